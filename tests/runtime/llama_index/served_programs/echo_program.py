"""A server that is only made here: the module of the library serves it."""

import asyncio

from llama_agents.server import WorkflowServer
from workflows import Workflow, step
from workflows.context import Context
from workflows.events import Event, StartEvent, StopEvent


class Heard(Event):
    times: int


class Echo(Workflow):
    @step
    async def call(self, ctx: Context, ev: StartEvent) -> StopEvent:
        for times in range(3):
            ctx.write_event_to_stream(Heard(times=times))
            await asyncio.sleep(0.1)
        return StopEvent(result=f"{ev.get('word', 'oh')} and {ev.get('word', 'oh')}")


server = WorkflowServer()
server.add_workflow("echo", Echo())
