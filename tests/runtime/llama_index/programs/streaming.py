"""What a run shows while it is under way, and how its stream ends."""

import asyncio

from workflows import Context, Workflow, step
from workflows.errors import WorkflowCancelledByUser, WorkflowTimeoutError
from workflows.events import (
    Event,
    StartEvent,
    StopEvent,
    WorkflowCancelledEvent,
    WorkflowFailedEvent,
    WorkflowTimedOutEvent,
)


class Chapter(Event):
    number: int


class Word(Event):
    text: str


class Narrator(Workflow):
    @step
    async def open_book(self, ctx: Context, ev: StartEvent) -> Chapter:
        ctx.write_event_to_stream(Word(text=f"reading {ev.title}"))
        return Chapter(number=1)

    @step
    async def read(self, ctx: Context, ev: Chapter) -> StopEvent:
        for word in ("call", "me", "anything"):
            ctx.write_event_to_stream(Word(text=word))
            await asyncio.sleep(0)
        return StopEvent(result=ev.number)


class Ends(Workflow):
    @step
    async def begin(self, ev: StartEvent) -> StopEvent:
        if ev.how == "fail":
            raise LookupError("no such page")
        await asyncio.sleep(30)
        return StopEvent()


async def reading() -> object:
    handler = Narrator().run(title="a book")
    seen = [ev async for ev in handler.stream_events()]
    return [type(ev).__name__ for ev in seen], [ev.text for ev in seen if isinstance(ev, Word)], await handler


async def ending(how: str) -> object:
    handler = Ends(timeout=0.05 if how == "time" else None).run(how=how)
    if how == "cancel":
        await asyncio.sleep(0.02)
        await handler.cancel_run()
    last = [ev async for ev in handler.stream_events()][-1]
    try:
        await handler
        raised = ""
    except WorkflowTimeoutError:
        raised = "timeout"
    except WorkflowCancelledByUser:
        raised = "cancelled"
    except LookupError as error:
        raised = "lookup" if "no such page" in str(error) else ""
    if isinstance(last, WorkflowTimedOutEvent):
        return raised, "timed out", last.timeout, last.active_steps
    if isinstance(last, WorkflowFailedEvent):
        return raised, last.step_name, last.attempts, type(last.exception).__name__, str(last.exception)
    return raised, isinstance(last, WorkflowCancelledEvent)


async def main() -> object:
    return [await reading(), [await ending(how) for how in ("fail", "time", "cancel")]]


EXPECTED = [
    [
        ["Word", "Word", "Word", "Word", "StopEvent"],
        ["reading a book", "call", "me", "anything"],
        1,
    ],
    [
        ["lookup", "begin", 1, "LookupError", "no such page"],
        ["timeout", "timed out", 0.05, ["begin"]],
        ["cancelled", True],
    ],
]
