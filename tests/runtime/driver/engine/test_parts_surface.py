"""What happens in the parts of a run shows at its top: their streams and their questions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from part_flows import LOG, Yes, engine_with

from wfc.runtime import (
    Child,
    ChildNote,
    Context,
    Event,
    HumanResponseEvent,
    InputRequiredEvent,
    ProgressText,
    Question,
    StartEvent,
    StopEvent,
    UnknownQuestionError,
    Workflow,
    WorkflowRuntimeError,
    pause,
    step,
)
from wfc.runtime.events.internal import EventEmitted, StepStateChanged

Virtually = Callable[[Callable[[], Any]], Any]


@pytest.fixture(autouse=True)
def _empty_log() -> None:
    LOG.clear()


class Question1(InputRequiredEvent):
    text: str


class Answer1(HumanResponseEvent):
    text: str


def nested(depth: int) -> list[type[Workflow]]:
    """Workflows of which each runs the next; the last one asks in both ways, and reports."""

    class Last(Workflow, name="w0", deadline=None):
        @pause
        def sure(self, event: StartEvent) -> Question[Yes]:
            return Question(Yes, title="sure?")

        @sure.then
        def is_sure(self, event: StartEvent, result: Yes) -> Sure:
            return Sure(yes=result.yes)

        @step
        async def ask(self, ctx: Context[Any], ev: Sure) -> StopEvent:
            ctx.write_event_to_stream(ProgressText(text="asking", step="ask"))
            answer = await ctx.wait_for_event(Answer1, waiter_event=Question1(text="what?"), timeout=None)
            return StopEvent(result=[ev.yes, answer.text])

    found: list[type[Workflow]] = [Last]
    for level in range(1, depth + 1):

        class Above(Workflow, name=f"w{level}", deadline=None):
            below = f"w{level - 1}"

            @pause
            def call(self, event: StartEvent) -> Child[Any]:
                return Child(self.below)

            @call.then
            def called(self, result: StopEvent) -> StopEvent:
                return StopEvent(result=result.result)

        found.append(Above)
    return found


class Sure(Event):
    yes: bool


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_streams_and_questions_of_parts_surface_at_the_top(virtually: Virtually, depth: int) -> None:
    async def main() -> None:
        flows = nested(depth)
        handler = flows[-1](engine=engine_with(*flows)).run(run_id="p")
        below = "p" + "/call/1" * depth
        seen: list[tuple[str, str]] = []

        async def read() -> None:
            async for run_id, event in handler.stream_with_run_ids():
                seen.append((run_id.removeprefix(below) or "here", type(event).__name__))

        reading = asyncio.create_task(read())
        await asyncio.sleep(1)
        (question,) = handler.questions()
        assert (question.id, question.title) == (f"{below}/sure/1", "sure?")
        with pytest.raises(UnknownQuestionError):
            await handler.answer(f"{below}/sure/2", {"yes": True})
        await handler.answer(question.id, {"yes": True})
        await asyncio.sleep(1)
        assert handler.questions() == []
        await handler.answer(question.id, {"yes": False})  # once more is nothing
        await handler.send_event(Answer1(text="that"))
        assert await handler == [True, "that"]
        await handler.answer(question.id, {"yes": False})  # nor when its asker is over
        with pytest.raises(UnknownQuestionError):
            await handler.answer("q", {"yes": False})
        await reading
        assert seen == [
            ("here", "QuestionAsked"),
            ("here", "QuestionClosed"),
            ("here", "ProgressText"),
            ("here", "Question1"),
            ("here" if depth == 0 else "p", "StopEvent"),
        ]

    virtually(main)


@pytest.mark.parametrize("first", [True, False], ids=["from the start", "from the middle"])
def test_what_happens_inside_of_parts_is_noted_with_their_id(virtually: Virtually, first: bool) -> None:
    async def main() -> list[Event]:
        flows = nested(2)
        handler = flows[-1](engine=engine_with(*flows)).run(run_id="p")
        notes: list[Event] = []
        if not first:
            await asyncio.sleep(1)
        handler.observe(notes.append)
        await asyncio.sleep(1)
        await handler.answer(handler.questions()[0].id, {"yes": True})
        await asyncio.sleep(1)
        await handler.send_event(Answer1(text="x"))
        await handler
        return notes

    notes = virtually(main)
    own = {one.name for one in notes if isinstance(one, StepStateChanged)}
    assert own <= {"call"}
    inside = [one for one in notes if isinstance(one, ChildNote)]
    assert not any(isinstance(one.event, ChildNote) for one in inside)
    emitted = [(one.workflow, one.run_id) for one in inside if isinstance(one.event, EventEmitted)]
    begun = [("w1", "p/call/1"), ("w0", "p/call/1/call/1")]
    assert emitted == [*(begun if first else ()), *[("w0", "p/call/1/call/1")] * 3, ("w1", "p/call/1")]
    assert sum(isinstance(one, ProgressText) for one in notes) == 1


def test_an_answer_that_nobody_below_waits_for_is_an_error(virtually: Virtually) -> None:
    async def main() -> None:
        flows = nested(1)
        handler = flows[-1](engine=engine_with(*flows)).run()
        await asyncio.sleep(1)
        with pytest.raises(WorkflowRuntimeError, match="no step accepts Answer1"):
            await handler.send_event(Answer1(text="x"))
        await handler.cancel_run()

    virtually(main)
