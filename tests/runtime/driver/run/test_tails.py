"""Tails, exits and requirements of steps, as generated code has them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from wfc.runtime import (
    UNHANDLED,
    All,
    Context,
    Event,
    Fail,
    Inputs,
    LimitError,
    ProgressText,
    RunConfig,
    RunFailedError,
    RunInfo,
    RunState,
    StartEvent,
    StepError,
    StepFailedError,
    StopEvent,
    Unhandled,
    Workflow,
    step,
    transform,
)

Watch = Callable[..., list[Event]]


class Config(RunConfig):
    factor: int


class State(RunState):
    count: int = 0
    seen: list[int] = []  # noqa: RUF012 - a field


class Begin(StartEvent, closed=True):
    numbers: list[int]


class Number_(Event, closed=True, name="Number"):  # noqa: N801 - a name that is claimed
    value: int


class Counted(StopEvent, closed=True):
    total: int


class Tally(Workflow, name="tally", config=Config):
    @step
    async def double(self, ctx: Context[State], event: Begin, config: Config, run: RunInfo) -> list[int]:
        assert run.attempt == 1
        return [config.factor * value for value in event.numbers]

    @double.then
    def after_double(self, result: list[int], inputs: Inputs[Begin]) -> list[Number_]:
        assert len(inputs.numbers) == len(result)
        return [Number_(value=value) for value in result]

    @step(name="add", num_workers=40)
    async def add_(self, ctx: Context[State], event: Number_, state: State) -> int:
        before = state.count
        await asyncio.sleep(1 / (event.value + 1))
        assert state.count == before  # as it was when the step run began
        return event.value

    @add_.then
    def after_add(self, event: Number_, state: State, result: int) -> All[None] | Counted | None:
        count, seen = state.count + 1, [*state.seen, result]
        emitted = Counted(total=sum(seen)) if count == len(range(40)) else None
        state.count = count
        state.seen = seen
        return emitted


def started(workflow: type[Workflow], start: StartEvent, **options: Any) -> Any:
    from wfc.runtime.driver.run import Run
    from wfc.runtime.testing import run_virtually

    async def main() -> Any:
        run = Run(workflow(), start, "test", **options)
        run.begin()
        return await run.future, run.execution.state

    return run_virtually(main)


def test_a_tail_sees_the_state_of_its_moment() -> None:
    end, state = started(Tally, Begin(numbers=list(range(40))), config=Config(factor=2))
    assert end == Counted(total=2 * sum(range(40)))
    assert state.count == 40
    assert state.seen == sorted(state.seen, reverse=True)  # in the order in which they were done


def fetching(failing: Exception, on_error: Any) -> type[Workflow]:
    class Fetch(Workflow, name="fetch"):
        @step
        async def fetch(self, ctx: Context, event: Begin) -> int:
            raise failing

        @fetch.then
        def after_fetch(self, result: int) -> Counted:
            return Counted(total=result)

        @fetch.on_error
        def fetch_failed(self, event: Begin, error: StepError) -> Counted | Fail | Unhandled:
            return on_error(error)  # type: ignore[no-any-return]

    async def action(ctx: Any) -> int:
        raise failing

    Fetch.double = action  # type: ignore[attr-defined]
    return Fetch


def fetch(failing: Exception, on_error: Any) -> Any:
    flow = fetching(failing, on_error)
    return started(flow, Begin(numbers=[]), doubles={"fetch": flow.double})[0]  # type: ignore[attr-defined]


def test_on_error_takes_what_it_matches() -> None:
    gone = StepError("http.404", "gone", status=404)
    assert fetch(gone, lambda error: Counted(total=error.status)) == Counted(total=404)
    with pytest.raises(StepFailedError, match=r"step `fetch` failed on Begin, attempt 1: gone \(http\.404\)"):
        fetch(gone, lambda error: UNHANDLED)
    with pytest.raises(RunFailedError, match="gave up on http"):
        fetch(gone, lambda error: Fail("gave up on http"))


def test_an_error_in_on_error_is_an_expression() -> None:
    with pytest.raises(StepFailedError, match="handling its result") as caught:
        fetch(StepError("timeout", "slow"), lambda error: 1 // 0)
    assert caught.value.name == "expression"
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_an_error_in_a_tail_is_an_expression_and_not_caught() -> None:
    attempts = []

    class Divide(Workflow, name="divide"):
        @step
        async def work(self, ctx: Context, event: Begin) -> int:
            return 0

        @work.then
        def after_work(self, result: int) -> Counted:
            attempts.append(result)
            return Counted(total=1 // result)

        @work.on_error
        def work_failed(self, error: StepError) -> Counted:
            return Counted(total=-1)

    with pytest.raises(StepFailedError) as caught:
        started(Divide, Begin(numbers=[]))
    assert (caught.value.name, attempts) == ("expression", [0])


def test_an_error_in_the_inputs_of_an_action_is_an_expression() -> None:
    class Divide(Workflow, name="divide"):
        @step
        async def work(self, ctx: Context, event: Begin) -> int:
            return 1 // len(event.numbers)

        @work.then
        def after_work(self, result: int) -> Counted:
            return Counted(total=result)

        @work.on_error
        def work_failed(self, error: StepError) -> Counted:
            return Counted(total=-1)

    with pytest.raises(StepFailedError) as caught:
        started(Divide, Begin(numbers=[]))
    assert caught.value.name == "expression"


def test_what_is_required_of_a_result() -> None:
    class Check(Workflow, name="check"):
        @step
        async def work(self, ctx: Context, event: Begin) -> int:
            return len(event.numbers)

        @work.then
        def after_work(self, result: int) -> Counted:
            return Counted(total=result)

        @work.require
        def require_work(self, result: int, inputs: Inputs[Begin]) -> Iterator[str]:
            if result < 2:
                yield "at least two"
            if result < 1:
                yield f"not {inputs.numbers}"

    assert started(Check, Begin(numbers=[1, 2]))[0] == Counted(total=2)
    with pytest.raises(StepFailedError, match=r"at least two; not \[\] \(requirement\)"):
        started(Check, Begin(numbers=[]))


class Round(Event, closed=True):
    number: int


def test_after_the_last_run_comes_the_exit_for_it() -> None:
    class Loop(Workflow, name="loop"):
        @transform
        def begin(self, event: Begin) -> Round:
            return Round(number=1)

        @step
        async def again(self, ctx: Context[State], event: Round, state: State) -> int:
            return event.number

        @again.then
        def after_again(self, result: int, state: State) -> Round:
            state.count = state.count + 1
            return Round(number=result + 1)

        @again.max_runs
        def again_max_runs(self, inputs: Inputs[Begin]) -> int:
            return len(inputs.numbers)

        @again.on_limit
        def again_over_limit(self, event: Round, state: State) -> Counted:
            return Counted(total=100 * event.number + state.count)

    assert started(Loop, Begin(numbers=[0] * 3))[0] == Counted(total=403)


def test_without_an_exit_for_it_a_run_over_the_bound_fails() -> None:
    class Loop(Workflow, name="loop"):
        @transform(max_runs=3)
        def again(self, event: Begin | Round) -> Round | Counted:
            return Round(number=1)

    with pytest.raises(LimitError, match="`again` was to run on Round more often"):
        started(Loop, Begin(numbers=[]))


def test_whoever_watches_is_told_before_and_after(watch: Watch) -> None:
    class Tell(Workflow, name="tell"):
        @step
        async def work(self, ctx: Context, event: Begin) -> int:
            ctx.report("working")
            return len(event.numbers)

        @work.then
        def after_work(self, result: int) -> Counted:
            return Counted(total=result)

        @work.stream_before
        def before_work(self, event: Begin) -> str:
            return f"about to count {event.numbers}"

        @work.stream_after
        def report_work(self, result: int) -> Round:
            return Round(number=result)

    events = watch(Tell, numbers=[1])
    told = [event for event in events if isinstance(event, ProgressText | Round)]
    assert told == [
        ProgressText(text="about to count [1]", step="work"),
        ProgressText(text="working", step="work"),
        Round(number=1),
    ]


def test_a_key_is_the_same_in_all_attempts() -> None:
    from wfc.runtime import RetryPolicy

    keys = []

    class Keyed(Workflow, name="keyed"):
        @step(retry_policy=RetryPolicy(max_attempts=3))
        async def work(self, ctx: Context, event: Begin) -> int:
            return 1

        @work.then
        def after_work(self, result: int) -> Counted:
            return Counted(total=result)

        @work.idempotency_key
        def work_key(self, inputs: Inputs[Begin], run: RunInfo) -> str:
            return f"{run.id}-{inputs.numbers}"

    async def action(ctx: Any) -> int:
        keys.append((ctx.idempotency_key, ctx.attempt))
        if ctx.attempt < 3:
            raise StepError("timeout", "slow")
        return 5

    assert started(Keyed, Begin(numbers=[7]), doubles={"work": action})[0] == Counted(total=5)
    assert keys == [("test-[7]", 1), ("test-[7]", 2), ("test-[7]", 3)]
