"""Steps that wait: for people, for times, for events from outside; what a run is meanwhile, and how it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import pytest

from wfc.runtime import (
    Context,
    Delay,
    ErrorHandled,
    Event,
    HumanResponseEvent,
    InputRequiredEvent,
    InvalidAnswerError,
    Question,
    QuestionAsked,
    QuestionClosed,
    Record,
    RetryPolicy,
    RunState,
    StartEvent,
    StepError,
    StepFailedError,
    StopEvent,
    StuckError,
    UnknownQuestionError,
    Workflow,
    WorkflowHandler,
    WorkflowValidationError,
    pause,
    step,
    transform,
)

Play = Callable[..., Any]


HOUR = 3600.0


class Asked(StartEvent):
    text: str = "sure?"
    seconds: float = 0.0


class Form(Record):
    verdict: Literal["yes", "no"]
    note: str | None = None


class State(RunState):
    urgent: bool = False


class Approval(Workflow):
    @pause(within=4 * HOUR, num_workers=1)
    def approve(self, event: Asked, state: State) -> Question[Form]:
        return Question(
            Form, title=f"About {event.text}", show="Look!", assign=["group:leads"], prefill={"note": "n"}
        )

    @approve.require
    def approve_requires(self, event: Asked, result: Form) -> Any:
        if result.verdict == "no" and result.note is None:
            yield "a refusal says why"

    @approve.then
    def after_approve(self, event: Asked, result: Form) -> StopEvent:
        return StopEvent(result=(result.verdict, result.note))

    @approve.on_expired
    def approve_expired(self, event: Asked) -> StopEvent:
        return StopEvent(result="nobody")


async def asked(handler: WorkflowHandler, count: int = 1) -> list[Any]:
    while len(handler.questions()) < count:  # noqa: ASYNC110 - a run has no event of its own for tests
        await asyncio.sleep(0)
    return handler.questions()


def test_a_question_waits_as_data_until_somebody_answers(virtually: Play) -> None:
    async def main() -> Any:
        handler = Approval(timeout=None).run(run_id="r")
        (question,) = await asked(handler)
        execution = handler._run.execution
        assert not execution.in_flight
        assert execution.busy == [0]  # nobody is at work
        assert len(asyncio.all_tasks()) == 1  # there is no task
        assert question.id == "r/approve/1"
        assert (question.step, question.title, question.show) == ("approve", "About sure?", "Look!")
        assert question.form["properties"]["verdict"] == {
            "enum": ["yes", "no"],
            "title": "Verdict",
            "type": "string",
        }
        assert (question.prefill, question.assign, question.answered_by) == (
            {"note": "n"},
            ("group:leads",),
            (),
        )
        assert question.expires_at - question.asked_at == timedelta(hours=4)
        await asyncio.sleep(3 * HOUR)
        await handler.answer(question.id, {"verdict": "yes"}, by="user:ann")
        return await handler, handler.questions()

    assert virtually(main) == (("yes", None), [])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"verdict": "perhaps"}, "`verdict`"),
        ({}, "`verdict`"),
        ({"verdict": "yes", "more": 1}, "`more`"),
        ("yes", "does not fit"),
        (object(), "does not fit"),
        ({"verdict": "no"}, "a refusal says why"),
    ],
)
def test_an_invalid_answer_is_refused_at_the_door_and_the_question_stays_open(
    virtually: Play, answer: object, said: str
) -> None:
    async def main() -> Any:
        handler = Approval().run()
        (question,) = await asked(handler)
        with pytest.raises(InvalidAnswerError, match=said):
            await handler.answer(question.id, answer)
        assert handler.questions() == [question]
        await handler.answer(question.id, {"verdict": "no", "note": "late"})
        return await handler

    assert virtually(main) == ("no", "late")


def test_answering_twice_changes_nothing_and_an_unknown_question_is_an_error(virtually: Play) -> None:
    async def main() -> Any:
        handler = Approval().run(run_id="r")
        (question,) = await asked(handler)
        for wrong in (
            "r/approve/2",
            "r/approve/x",
            "s/approve/1",
            "",
            "r/approve/" + "1" * 30,
            "r/approve/²",
        ):
            with pytest.raises(UnknownQuestionError):
                await handler.answer(wrong, {"verdict": "yes"})
        await handler.answer(question.id, {"verdict": "yes"})
        await handler.answer(question.id, {"verdict": "no", "note": "?"})
        result = await handler
        await handler.answer(question.id, {"verdict": "no", "note": "?"})
        with pytest.raises(UnknownQuestionError):
            await handler.answer("r/approve/2")
        return result

    assert virtually(main) == ("yes", None)


def test_four_hours_pass_in_no_time_and_then_the_pause_expires(virtually: Play) -> None:
    async def main() -> Any:
        handler = Approval(timeout=None).run()
        start = asyncio.get_running_loop().time()
        return await handler, asyncio.get_running_loop().time() - start

    assert virtually(main) == ("nobody", 4 * HOUR)


def test_watchers_see_a_question_asked_and_closed(virtually: Play) -> None:
    async def main() -> Any:
        handler = Approval(timeout=None).run()
        return [event async for event in handler.stream_events()]

    first, second, third, _ = virtually(main)
    assert isinstance(first, QuestionAsked)
    assert isinstance(first, InputRequiredEvent)
    assert isinstance(second, QuestionClosed)
    assert (first.id, first.step, second.because) == (second.id, "approve", "expired")
    assert isinstance(third, ErrorHandled)
    assert (third.step, third.name, third.goes_to) == ("approve", "timeout", ["StopEvent"])


class Panel(Workflow):
    @pause(within=HOUR)
    def vote(self, event: Asked) -> Question[Form]:
        return Question(Form, quorum=2)

    @vote.then
    def after_vote(self, event: Asked, result: list[Form]) -> StopEvent:
        return StopEvent(result=[one.verdict for one in result])


def test_a_quorum_is_of_distinct_people_in_order_of_arrival(virtually: Play) -> None:
    async def main() -> Any:
        handler = Panel().run()
        (question,) = await asked(handler)
        await handler.answer(question.id, {"verdict": "no"}, by="user:bob")
        await handler.answer(question.id, {"verdict": "yes"}, by="user:bob")
        (question,) = handler.questions()
        assert question.answered_by == ("user:bob",)
        await handler.answer(question.id, {"verdict": "yes"}, by="user:ann")
        return await handler

    assert virtually(main) == ["no", "yes"]


def test_without_an_exit_an_expired_pause_fails_with_a_time_out(virtually: Play) -> None:
    async def main() -> Any:
        with pytest.raises(StepFailedError, match="did not come within 1 h") as failure:
            await Panel(timeout=None).run()
        return failure.value.error.name

    assert virtually(main) == "timeout"


def test_a_pause_gives_its_worker_back(virtually: Play) -> None:
    """One worker, and as many questions open at once as there are events."""

    class Item(Event):
        number: int

    class Done(Event):
        number: int

    class Many(Workflow):
        @transform
        def begin(self, event: Asked) -> list[Item]:
            return [Item(number=number) for number in range(20)]

        @pause(num_workers=1)
        def ask(self, event: Item) -> Question[None]:
            return Question(None)

        @ask.then
        def after_ask(self, event: Item, result: None) -> Done:
            return Done(number=event.number)

        @transform
        def end(self, events: list[Done]) -> StopEvent:
            return StopEvent(result=[one.number for one in events])

    async def main() -> Any:
        handler = Many(timeout=None).run()
        questions = await asked(handler, 20)
        for question in reversed(questions):
            await handler.answer(question.id)
        return await handler, handler._run.execution.busy[1]

    assert virtually(main) == (list(range(20)), 0)


def test_a_wait_sees_the_state_of_its_beginning_and_its_tail_that_of_its_end(virtually: Play) -> None:
    class Count(RunState):
        count: int = 0

    class Aside(Event):
        pass

    class Two(Workflow):
        @pause
        def wait(self, event: Asked, state: Count) -> Delay:
            return Delay(10.0 + state.count)

        @wait.then
        def after_wait(self, state: Count, event: Asked, result: None) -> StopEvent:
            return StopEvent(result=state.count)

        @step
        async def aside(self, event: Asked) -> str:
            await asyncio.sleep(5)
            return ""

        @aside.then
        def after_aside(self, state: Count, event: Asked, result: str) -> None:
            state.count += 1

    async def main() -> Any:
        return await Two().run(), asyncio.get_running_loop().time()

    assert virtually(main) == (1, 10.0)


def test_inputs_that_fail_are_the_step_s_failure_and_a_retry_asks_anew(virtually: Play) -> None:
    class Flaky(Workflow):
        @pause(retry_policy=RetryPolicy(delay=1), timeout=30)
        def ask(self, event: Asked) -> Question[None]:
            return Question(None)

        @ask.then
        def after_ask(self, event: Asked, result: None) -> StopEvent:
            return StopEvent(result="answered")

        @ask.on_error
        def ask_failed(self, event: Asked, error: StepError) -> StopEvent:
            return StopEvent(result=error.name)

    async def main() -> Any:
        handler = Flaky(timeout=None).run()
        closed = [
            event.because async for event in handler.stream_events() if isinstance(event, QuestionClosed)
        ]
        return await handler, closed, asyncio.get_running_loop().time()

    assert virtually(main) == ("timeout", ["timed out"] * 3, 93.0)


def test_the_run_s_own_time_goes_on_while_it_waits(virtually: Play) -> None:
    async def main() -> Any:
        handler = Approval(timeout=60).run()
        events = [event async for event in handler.stream_events()]
        return [type(event).__name__ for event in events], events[-1].active_steps  # type: ignore[attr-defined]

    names, at_work = virtually(main)
    assert names == ["QuestionAsked", "QuestionClosed", "WorkflowTimedOutEvent"]
    assert at_work == ["approve"]


def test_an_answer_that_leads_nowhere_leaves_the_run_stuck_at_once(virtually: Play) -> None:
    class Nowhere(Workflow):
        @pause
        def ask(self, event: Asked) -> Question[None]:
            return Question(None)

        @ask.then
        def after_ask(self, event: Asked, result: None) -> StopEvent | None:
            return None

    async def main() -> Any:
        handler = Nowhere(timeout=None).run()
        (question,) = await asked(handler)
        await handler.answer(question.id)
        with pytest.raises(StuckError, match="`ask`, emitted nothing on Asked"):
            await handler

    virtually(main)


def test_a_pause_says_what_it_pauses_for() -> None:
    class Wrong(Workflow):
        @pause
        def ask(self, event: Asked) -> str:
            return ""

        @ask.then
        def after_ask(self, event: Asked, result: str) -> StopEvent:
            return StopEvent()

    with pytest.raises(WorkflowValidationError, match="must say by `-> …` what it pauses for"):
        Wrong()


def test_a_pause_for_something_else_than_it_declares_fails(play: Play) -> None:
    class Wrong(Workflow):
        @pause
        def ask(self, event: Asked) -> Delay:
            return Question(None)  # type: ignore[return-value]

        @ask.then
        def after_ask(self, event: Asked, result: None) -> StopEvent:
            return StopEvent()

    with pytest.raises(StepFailedError, match="returned a value of type Question, but declares Delay"):
        play(Wrong)


def test_what_waits_can_be_read_off_the_execution(virtually: Play) -> None:
    async def main() -> Any:
        handler = Approval(timeout=None).run(run_id="r")
        await asked(handler)
        (waiting,) = handler._run.execution.paused.values()
        return waiting.run.step.name, waiting.value.title, waiting.began, len(waiting.timers)

    assert virtually(main) == ("approve", "About sure?", datetime(2026, 1, 1, tzinfo=UTC), 1)


def test_what_a_body_waits_for_can_be_read_off_the_execution_too(virtually: Play) -> None:
    class Ask(Workflow):
        @step
        async def ask(self, ctx: Context, event: Asked) -> StopEvent:
            answer = await ctx.wait_for_event(
                HumanResponseEvent, waiter_id="one", requirements={"by": "ann"}, timeout=60
            )
            return StopEvent(result=answer.get("text"))

    async def main() -> Any:
        handler = Ask().run()
        await asyncio.sleep(5)
        execution = handler._run.execution
        (waiter,) = execution.event_waits.values()
        seen = waiter.event_type, waiter.requirements, waiter.run.number, waiter.waiter_id
        await handler.send_event(HumanResponseEvent(by="ann", text="yes"))
        return await handler, seen, execution.event_waits

    result, seen, left = virtually(main)
    assert (result, left) == ("yes", {})
    assert seen == (HumanResponseEvent, {"by": "ann"}, 1, "one")
