"""A porter, who asks for the number of a room and waits for the answer."""

import asyncio

from llama_agents.server import WorkflowServer
from workflows import Workflow, step
from workflows.context import Context
from workflows.events import HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent


class RoomWanted(InputRequiredEvent):
    prompt: str


class RoomGiven(HumanResponseEvent):
    response: str


class Brought(StopEvent):
    output: str


class Porter(Workflow):
    @step
    async def ask(self, ev: StartEvent, ctx: Context) -> RoomWanted:
        return RoomWanted(prompt="Which room?")

    @step
    async def bring(self, ev: RoomGiven) -> Brought:
        return Brought(output=f"Your bags are in {ev.response}")


async def main() -> None:
    server = WorkflowServer()
    server.add_workflow("porter", Porter(timeout=60))
    await server.serve("localhost", 8000)


if __name__ == "__main__":
    asyncio.run(main())
