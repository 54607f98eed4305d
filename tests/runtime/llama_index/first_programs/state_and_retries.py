"""A state with a class, resources, retries and a handler of failures; and a run that goes on after its process died.

``state_and_retries.py`` runs all that at once. ``… begin FILE`` writes the run to a file after each document and
is killed in the middle, and ``… resume FILE`` goes on from there.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field
from workflows import Context, Workflow, catch_error, step
from workflows.events import Event, StartEvent, StepFailedEvent, StopEvent
from workflows.handler import WorkflowHandler
from workflows.resource import Resource
from workflows.retry_policy import retry_policy, stop_after_attempt, wait_fixed


class Progress(BaseModel):
    converted: list[str] = Field(default_factory=list)
    failures: int = 0


class Shop:
    """A service that fails the first two times."""

    made = 0

    def __init__(self) -> None:
        Shop.made += 1
        self.calls = 0

    def price(self, article: str) -> int:
        self.calls += 1
        if self.calls < 3:
            raise ConnectionError(f"call {self.calls} was lost")
        return len(article)


def open_shop() -> Shop:
    return Shop()


class Priced(Event):
    price: int


class Buying(Workflow):
    @step(retry_policy=retry_policy(wait=wait_fixed(0.01), stop=stop_after_attempt(5)))
    async def look_up(
        self, ctx: Context[Progress], ev: StartEvent, shop: Annotated[Shop, Resource(open_shop)]
    ) -> Priced:
        info = ctx.retry_info()
        if info.last_exception is not None:
            async with ctx.store.edit_state() as state:
                state.failures = info.retry_number
        return Priced(price=shop.price(ev.article))

    @step
    async def pay(
        self, ctx: Context[Progress], ev: Priced, shop: Annotated[Shop, Resource(open_shop)]
    ) -> StopEvent:
        state = await ctx.store.get_state()
        return StopEvent(result=[ev.price, state.failures, shop.calls])


class Hopeless(Workflow):
    @step(retry_policy=retry_policy(wait=wait_fixed(0), stop=stop_after_attempt(2)))
    async def fails(self, ev: StartEvent) -> Priced:
        raise ValueError("never works")

    @step
    async def pay(self, ev: Priced) -> StopEvent:
        return StopEvent(result="paid")

    @catch_error
    async def give_up(self, ctx: Context, ev: StepFailedEvent) -> StopEvent:
        return StopEvent(result=f"{ev.step_name} failed: {ev.exception}")


class Converting(Workflow):
    """Converts documents one after the other, and forgets none of those that it has converted."""

    def __init__(self, file: Path, **options: object) -> None:
        super().__init__(**options)
        self.file = file

    @step
    async def convert(self, ctx: Context[Progress], ev: StartEvent) -> StopEvent:
        done = (await ctx.store.get_state()).converted
        for document in ["a", "b", "c", "d"]:
            if document in done:
                continue
            print("converts", document, flush=True)
            await ctx.store.set("converted", done := [*done, document])
            await asyncio.sleep(0.5)
        return StopEvent(result=done)


def keep(file: Path, handler: WorkflowHandler) -> None:
    file.write_text(json.dumps(handler.ctx.to_dict()))


def kept(file: Path, workflow: Workflow) -> Context:
    return Context.from_dict(workflow, json.loads(file.read_text()))


async def begin(file: Path) -> None:
    handler = Converting(file, timeout=10).run()
    converted: list[str] = []
    while len(converted) < 3:
        await asyncio.sleep(0.005)
        found = (await handler.ctx.store.get_state()).converted
        if found != converted:
            converted = found
            keep(file, handler)
    os._exit(9)  # as if the process had been killed


async def resume(file: Path) -> None:
    workflow = Converting(file, timeout=10)
    print(await workflow.run(ctx=kept(file, workflow)))


async def main() -> None:
    print(await Buying(timeout=10).run(article="lamp"), "made", Shop.made)
    print(await Hopeless(timeout=10).run())


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["begin", file]:
            asyncio.run(begin(Path(file)))
        case ["resume", file]:
            asyncio.run(resume(Path(file)))
        case _:
            asyncio.run(main())
