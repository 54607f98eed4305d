"""What steps ask for besides events: objects that are shared or not, configuration, one from the other."""

import asyncio
import json
import os
import tempfile
from typing import Annotated

from pydantic import BaseModel
from workflows import Workflow, step
from workflows.events import Event, StartEvent, StopEvent
from workflows.resource import Resource, ResourceConfig, ResourceManager

MADE = []


class Memory:
    def __init__(self) -> None:
        self.said: list[str] = []
        MADE.append(self)


def get_memory() -> Memory:
    return Memory()


async def get_slowly() -> str:
    await asyncio.sleep(0.001)
    return "at last"


class Second(Event):
    text: str


class Shared(Workflow):
    @step
    async def first(self, ev: StartEvent, memory: Annotated[Memory, Resource(get_memory)]) -> Second:
        memory.said.append("first")
        return Second(text="second")

    @step
    def then(self, ev: Second, memory: Annotated[Memory, Resource(get_memory)]) -> StopEvent:
        memory.said.append(ev.text)
        return StopEvent(result=list(memory.said))


class Unshared(Workflow):
    @step
    async def first(
        self, ev: StartEvent, memory: Annotated[Memory, Resource(get_memory, cache=False)]
    ) -> Second:
        memory.said.append("first")
        return Second(text="second")

    @step
    async def then(
        self,
        ev: Second,
        memory: Annotated[Memory, Resource(get_memory, cache=False)],
        slow: Annotated[str, Resource(get_slowly)],
    ) -> StopEvent:
        memory.said.append(ev.text)
        return StopEvent(result=[memory.said, slow])


class Limits(BaseModel):
    most: int
    words: list[str]


def get_client(
    limits: Annotated[Limits, ResourceConfig(config_file="limits.json", path_selector="deep.er")],
) -> str:
    return f"client of {limits.most}"


def get_session(client: Annotated[str, Resource(get_client)], more: str = "session") -> str:
    return f"{more} of {client}"


class Configured(Workflow):
    @step
    async def first(
        self,
        ev: StartEvent,
        limits: Annotated[
            Limits, ResourceConfig(config_file="limits.json", label="Limits", description="bounds")
        ],
        session: Annotated[str, Resource(get_session)],
    ) -> StopEvent:
        return StopEvent(result=[limits.most, limits.words, session])


async def main() -> object:
    shared = Shared()
    first, second = await shared.run(), await shared.run()
    made = len(MADE)
    manager = ResourceManager()
    await manager.set("get_memory", Memory())
    given = await Shared(resource_manager=manager).run()
    home = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            with open("limits.json", "w") as file:
                json.dump({"most": 1, "words": ["a"], "deep": {"er": {"most": 2, "words": []}}}, file)
            Configured().validate()
            configured = await Configured().run()
        finally:
            os.chdir(home)
    return [first, second, made, given, len(MADE) - made, await Unshared().run(), configured]


EXPECTED = [
    ["first", "second"],
    ["first", "second", "first", "second"],
    1,
    ["first", "second"],
    1,
    [["second"], "at last"],
    [1, ["a"], "session of client of 2"],
]
