"""A run's own exits, its bounds, and runs that begin anew as themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from wfc.runtime import (
    UNHANDLED,
    Context,
    Delay,
    Event,
    ExpressionError,
    Fail,
    Inputs,
    Item,
    Items,
    LimitError,
    Limits,
    Outside,
    Question,
    QuestionClosed,
    Receives,
    Restart,
    RetryPolicy,
    RunFailedError,
    RunInfo,
    RunState,
    SettingsError,
    StartEvent,
    StepError,
    StepFailedError,
    StopEvent,
    UndeclaredResultError,
    Unhandled,
    Workflow,
    WorkflowCancelledByUser,
    WorkflowTimeoutError,
    pause,
    run_cancel,
    run_deadline,
    run_error,
    step,
    transform,
)
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.calls.settings import Price, Settings
from wfc.runtime.testing import ScriptedModel

Play = Callable[..., Any]


class Began(StartEvent):
    how: str = ""
    round: int = 0


class Ended(StopEvent, closed=True):
    said: str


class Memory(RunState):
    count: int = 0


class Guarded(Workflow):
    @step(retry_policy=RetryPolicy(max_attempts=2, delay=1, retry_on=["odd"]))
    async def work(self, ctx: Context[Memory], event: Began) -> str:
        if event.how == "settings":
            raise SettingsError("no key")
        if event.how in {"slow", "cancel"}:
            await asyncio.sleep(1000)
        raise StepError("odd.thing", f"failed in attempt {ctx.attempt}")

    @work.then
    def after_work(self, event: Began, result: str) -> Ended:
        return Ended(said=result)

    @work.on_error
    def work_failed(self, state: Memory, event: Began, error: StepError) -> Ended | Unhandled:
        state.count += 1
        if event.how == "tail":
            raise ZeroDivisionError
        return UNHANDLED

    @run_error
    def failed(
        self, state: Memory, inputs: Inputs[Began], run: RunInfo, error: StepError
    ) -> Ended | Fail | Unhandled:
        if inputs.how == "unhandled":
            return UNHANDLED
        if inputs.how == "fail":
            return Fail("it was in vain")
        if inputs.how == "broken":
            raise ZeroDivisionError
        if inputs.how == "wrong":
            return Began()  # type: ignore[return-value]
        return Ended(said=f"{error.name}: {error.message}, {state.count}, {run.id}")

    @run_deadline
    def late(self, state: Memory) -> Ended:
        return Ended(said=f"late {state.count}")

    @run_cancel
    def stopped(self, state: Memory) -> Ended:
        return Ended(said=f"stopped {state.count}")


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("", "odd.thing: failed in attempt 2, 1, r"),
        ("slow", "late 0"),
        ("cancel", "stopped 0"),
        ("unhandled", StepFailedError),
        ("fail", RunFailedError),
        ("broken", ExpressionError),
        ("wrong", UndeclaredResultError),
        ("settings", StepFailedError),  # nobody catches what is missing
        ("tail", StepFailedError),  # nor what has no value
    ],
)
def test_a_run_leaves_by_its_own_exits(virtually: Play, how: str, expected: Any) -> None:
    async def main() -> Any:
        handler = Guarded(timeout=100).run(how=how, run_id="r")
        if how == "cancel":
            await asyncio.sleep(1)
            await handler.cancel_run()
        events = [event async for event in handler.stream_events()]
        return await handler, events[-1]

    if isinstance(expected, str):
        end, last = virtually(main)
        assert end == last == Ended(said=expected)
    else:
        with pytest.raises(expected):
            virtually(main)


def test_without_exits_a_run_fails_as_ever(virtually: Play) -> None:
    class Bare(Workflow):
        @step
        async def work(self, event: Began) -> Ended:
            await asyncio.sleep(1000)
            return Ended(said="")

    async def main() -> Any:
        with pytest.raises(WorkflowTimeoutError):
            await Bare(timeout=5).run()
        handler = Bare(timeout=5).run()
        await asyncio.sleep(1)
        await handler.cancel_run()
        with pytest.raises(WorkflowCancelledByUser):
            await handler

    virtually(main)


class Round(Event):
    pass


class Paid(Event, closed=True):
    number: int


class Endless(Workflow, receives=(Receives(Paid),)):
    """Begins anew four times, with other work under way each time."""

    @transform
    def begin(self, state: Memory, event: Began) -> Round:
        state.count += 1
        return Round()

    @step
    async def linger(self, event: Round) -> None:
        try:
            await asyncio.sleep(1000)
        finally:
            left.append("linger")

    @pause
    def ask(self, event: Round) -> Question[None]:
        return Question(None)

    @ask.then
    def after_ask(self, event: Round, result: None) -> None:
        return None

    @pause(within=1000)
    def pay(self, event: Round) -> Outside[Paid]:
        return Outside(Paid)

    @pay.that
    def pay_that(self, inputs: Inputs[Began], event: Round, result: Paid) -> bool:
        return result.number == inputs.round

    @pay.then
    def after_pay(self, state: Memory, inputs: Inputs[Began], event: Round, result: Paid) -> Restart | Ended:
        if inputs.round == 4:
            return Ended(said=f"{state.count}")
        return Restart(Began(round=inputs.round + 1))


left: list[str] = []


def test_a_run_begins_anew_as_itself(virtually: Play) -> None:
    async def main() -> Any:
        left.clear()
        handler = Endless(timeout=10).run(run_id="r")
        for number in (3, 2, 4):
            await handler.send_event(Paid(number=number))  # kept over all that follows
        ids = []
        for number in (0, 1):
            await asyncio.sleep(6)  # in all longer than the deadline, which counts anew
            (question,) = handler.questions()
            ids.append(question.id)
            await handler.send_event(Paid(number=number))
        end = await handler
        execution = handler._run.execution
        closed = [
            event.because async for event in handler.stream_events() if isinstance(event, QuestionClosed)
        ]
        await asyncio.sleep(0)
        return end, len(set(ids)), closed, len(left), execution.run_id, handler.run_id

    end, ids, closed, stopped, *names = virtually(main)
    assert end == Ended(said="1")  # the state is fresh
    assert ids == 2  # questions and keys of step runs are never the same again
    assert closed == ["cancelled"] * 5
    assert stopped == 5
    assert names == ["r", "r"]


def test_a_run_may_begin_anew_when_it_has_failed(play: Play) -> None:
    class Stubborn(Workflow):
        @step
        async def work(self, event: Began) -> Ended:
            if event.round < 3:
                raise StepError("odd", "not yet")
            return Ended(said=f"round {event.round}")

        @step
        async def beside(self, event: Began) -> None:
            await asyncio.sleep(1000)

        @run_error
        def failed(self, inputs: Inputs[Began], error: StepError) -> Restart:
            return Restart(Began(round=inputs.round + 1))

    assert play(Stubborn) == Ended(said="round 3")


def test_what_is_stopped_by_a_restart_cannot_meddle(virtually: Play) -> None:
    class Meddling(Workflow):
        @step
        async def work(self, event: Began) -> Restart | Ended:
            await asyncio.sleep(1)
            return Restart(Began(round=1)) if event.round == 0 else Ended(said="done")

        @step
        async def beside(self, ctx: Context, event: Began) -> Ended | None:
            try:
                await asyncio.sleep(1.5 if event.round else 100)
            except asyncio.CancelledError:
                ctx.send_event(Ended(said="from the grave"))
            return Ended(said="from beyond")

    async def main() -> Any:
        return await Meddling().run()

    assert virtually(main) == Ended(said="done")


class Many(Event):
    pass


class Counted(Workflow, limits=Limits(steps=5)):
    @transform
    def begin(self, event: Began) -> Round | Many:
        return Many() if event.how == "items" else Round()

    @step
    async def round(self, event: Round) -> Round | Ended:
        return Round()

    @pause
    def many(self, event: Many) -> Items[int]:
        return Items(range(10))

    @many.item()
    async def one(self, event: Many, item: Item[int]) -> int:
        return item

    @many.then
    def after_many(self, event: Many, result: list[int]) -> Ended:
        return Ended(said="")


@pytest.mark.parametrize("how", ["rounds", "items"])
def test_a_run_takes_no_more_steps_than_it_may(play: Play, how: str) -> None:
    with pytest.raises(LimitError, match="more than 5 steps") as failure:
        play(Counted, how=how)
    assert failure.value.name == "limit.steps"


def test_the_run_s_exit_takes_what_is_over_its_bounds(play: Play) -> None:
    class Handled(Counted):
        @run_error
        def failed(self, error: StepError) -> Ended | Unhandled:
            return Ended(said=error.name) if error.matches("limit") else UNHANDLED

    assert play(Handled, how="rounds") == Ended(said="limit.steps")


def test_an_exit_sees_the_state_class_that_it_names(play: Play) -> None:
    class Alone(Workflow):
        @pause
        def wait(self, event: Began) -> Delay:
            return Delay(float("nan"))

        @wait.then
        def after_wait(self, event: Began, result: None) -> Ended:
            return Ended(said="")

        @step
        async def work(self, event: Began) -> None:
            raise StepError("odd", "")

        @run_error
        def failed(self, state: Memory, error: StepError) -> Ended:
            return Ended(said=f"{state.count}")

    with pytest.raises(StepFailedError, match="nobody can wait"):
        play(Alone)
    assert definition_of(Alone).plan.state is Memory


class Spending(Workflow, limits=Limits(tokens=9)):
    @step(retry_policy=RetryPolicy(delay=0))
    async def work(self, ctx: Context, event: Began) -> Ended:
        await ctx.llm(MODEL, "four words of prompt")
        await ctx.llm(MODEL, "as many words again")
        await ctx.llm(MODEL, "and no more")
        return Ended(said="")


MODEL = ScriptedModel()


@pytest.fixture
def replies() -> None:
    """Gives the model its replies, and lets it forget what others have asked."""
    object.__setattr__(MODEL, "_replies", ["one", "two", "three"])
    MODEL.prompts.clear()


@pytest.mark.usefixtures("replies")
def test_no_model_is_called_when_the_tokens_are_used_up(play: Play) -> None:
    with pytest.raises(StepFailedError, match="has used 10 tokens, and may use 9") as failure:
        play(Spending)
    assert failure.value.name == "limit.tokens"
    assert MODEL.prompts == ["four words of prompt", "as many words again"]  # and no retry


@pytest.mark.usefixtures("replies")
@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ({"scripted:model": Price(100_000.0, 200_000.0)}, "has cost 0.6 US dollars, and may cost 0.5"),
        ({"scripted:other": Price(1.0, 1.0)}, "nobody knows what `scripted:model` costs"),
    ],
)
def test_a_run_costs_no_more_than_it_may(
    play: Play, monkeypatch: pytest.MonkeyPatch, prices: Any, said: str
) -> None:
    monkeypatch.setattr("wfc.runtime.calls.settings.settings_near", lambda folder: Settings(prices=prices))

    class Dear(Spending, limits=Limits(cost_usd=0.5)):
        @run_error
        def failed(self, error: StepError) -> Ended | Unhandled:
            return Ended(said=error.message) if error.matches("limit") else UNHANDLED

    if prices.get("scripted:model"):
        assert said in play(Dear).said
    else:
        with pytest.raises(StepFailedError, match=said):
            play(Dear)
