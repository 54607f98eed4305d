"""A workflow that is part of others, and one that starts it."""

from __future__ import annotations

import asyncio
from typing import Any

from wfc.runtime import (
    Child,
    ChildEnd,
    Context,
    Engine,
    ProgressText,
    Record,
    StartEvent,
    StepError,
    StopEvent,
    Workflow,
    pause,
    step,
)


class Topic(StartEvent, closed=True):
    topic: str
    seconds: float = 10
    way: str = "done"


class Done(StopEvent, closed=True):
    text: str


class GaveUp(StopEvent, closed=True):
    reason: str


class Yes(Record):
    yes: bool


LOG: list[str] = []


class Research(Workflow, name="research", deadline=100):
    @step
    async def look(self, ctx: Context[Any], ev: Topic) -> Done | GaveUp:
        LOG.append(f"+{ctx.run_id}")
        ctx.write_event_to_stream(ProgressText(text=f"looking for {ev.topic}", step="look"))
        try:
            await asyncio.sleep(ev.seconds)
        except asyncio.CancelledError:
            LOG.append(f"x{ctx.run_id}")
            raise
        if ev.way == "fails":
            raise ValueError("no library")
        return Done(text=f"all about {ev.topic}") if ev.way == "done" else GaveUp(reason=ev.way)


# as the parent has them
ResearchDone = type("ResearchDone", (ChildEnd,), {"__annotations__": {"text": str}}, closed=True, name="Done")


ResearchGaveUp = type(
    "ResearchGaveUp", (ChildEnd,), {"__annotations__": {"reason": str}}, closed=True, name="GaveUp"
)


ENDS = (ResearchDone, ResearchGaveUp)


class Ask(StartEvent):
    inputs: Any = None
    workflow: Any = "research"
    ends: Any = ENDS
    detach: bool = False


class Asking(Workflow):
    """Runs a child as its inputs say; gives its end, or the name of the error."""

    @pause(within=50.0)
    def ask(self, event: Ask) -> Child[Any]:
        inputs = {"topic": "owls"} if event.inputs is None else event.inputs
        return Child(event.workflow, inputs, ends=event.ends, detach=event.detach)

    @ask.then
    def asked(self, event: Ask, result: Any) -> StopEvent:
        return StopEvent(result=result)

    @ask.on_expired
    def waited(self, event: Ask) -> StopEvent:
        return StopEvent(result="expired")

    @ask.on_error
    def failed(self, error: StepError) -> StopEvent:
        return StopEvent(result=(error.name, error.message))


def engine_with(*workflows: type[Workflow]) -> Engine:
    engine = Engine()
    for one in workflows or (Research,):
        engine.add(one)
    return engine
