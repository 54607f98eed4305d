"""Failures: attempts, time-outs, deadlines, cancellation, and what is said of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from wfc.runtime import (
    Context,
    Event,
    InputRequiredEvent,
    RetryPolicy,
    StartEvent,
    StepError,
    StepFailedError,
    StopEvent,
    StuckError,
    Workflow,
    WorkflowConfigurationError,
    WorkflowError,
    WorkflowFailedEvent,
    step,
)
from wfc.runtime.events.internal import StepState, StepStateChanged

Play = Callable[..., Any]


Watch = Callable[..., list[Event]]


Virtually = Callable[[Callable[[], Any]], Any]


class Item(Event):
    value: int = 0


class Flaky(Workflow):
    """Fails as often as it is told to."""

    @step(retry_policy=RetryPolicy(max_attempts=4, delay=1, backoff=2))
    async def work(self, ctx: Context, ev: StartEvent) -> StopEvent:
        info = ctx.retry_info()
        assert (info.retry_number, info.last_failed_at is None) == (ctx.attempt - 1, ctx.attempt == 1)
        assert (info.last_exception is None) == (ctx.attempt == 1)
        if ctx.attempt <= ev.failures:
            raise ConnectionError(f"no line, try {ctx.attempt}")
        return StopEvent(result=(ctx.attempt, info.elapsed_seconds))


@pytest.mark.parametrize(("failures", "attempt", "elapsed"), [(0, 1, 0), (1, 2, 1), (3, 4, 7)])
def test_an_attempt_that_fails_is_tried_again(
    play: Play, failures: int, attempt: int, elapsed: float
) -> None:
    assert play(Flaky, failures=failures) == (attempt, pytest.approx(elapsed))


def test_the_last_failure_ends_the_run_in_plain_words(play: Play) -> None:
    with pytest.raises(StepFailedError) as caught:
        play(Flaky, failures=9)
    error = caught.value
    assert str(error) == (
        "step `work` failed on StartEvent, attempt 4: ConnectionError: no line, try 4 (connection)"
    )
    assert (error.step, error.event, error.attempt, error.name) == ("work", "StartEvent", 4, "connection")
    assert isinstance(error.__cause__, ConnectionError)
    assert isinstance(error, WorkflowError)


def test_attempts_are_told_of(watch: Watch) -> None:
    states = [event for event in watch(Flaky, failures=9) if isinstance(event, StepStateChanged)]
    assert [(event.step_state, event.attempt, event.retry_in) for event in states] == [
        (StepState.RUNNING, 1, None),
        (StepState.RETRYING, 1, 1.0),
        (StepState.RUNNING, 2, None),
        (StepState.RETRYING, 2, 2.0),
        (StepState.RUNNING, 3, None),
        (StepState.RETRYING, 3, 4.0),
        (StepState.RUNNING, 4, None),
        (StepState.NOT_RUNNING, 4, None),
    ]
    assert states[-1].error == "ConnectionError: no line, try 4"


def test_what_a_failed_attempt_collected_is_collected_again(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ctx: Context, ev: StartEvent) -> Item | None:
            ctx.send_event(Item(value=1))
            return Item(value=2)

        @step(num_workers=1, retry_policy=RetryPolicy())
        async def both(self, ctx: Context, ev: Item) -> StopEvent | None:
            seen = ctx.collect_events(ev, [Item, Item])
            if ctx.attempt == 1:
                raise ValueError("after it collected")
            return None if seen is None else StopEvent(result=[one.value for one in seen])

    assert play(Flow) == [1, 2]


def test_a_policy_of_ones_own(play: Play) -> None:
    class Twice:
        def next(
            self, elapsed_time: float, attempts: int, error: Exception, *, seed: int | None = None
        ) -> Any:
            return None if attempts == 2 or not isinstance(error, KeyError) else 0.5

    class Flow(Workflow):
        @step(retry_policy=Twice())
        async def work(self, ctx: Context, ev: StartEvent) -> StopEvent:
            if ctx.attempt == 1:
                raise KeyError("once")
            return StopEvent(result=ctx.attempt)

    assert play(Flow) == 2


def test_a_step_that_waits_to_be_tried_again_leaves_its_worker_to_others(play: Play) -> None:
    done = []

    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> list[Item]:
            return [Item(value=1), Item(value=2), Item(value=3)]

        @step(num_workers=1, retry_policy=RetryPolicy(delay=10))
        async def work(self, ctx: Context, ev: Item) -> Item2:
            await asyncio.sleep(1)
            if ev.value == 1 and ctx.attempt == 1:
                raise ValueError
            done.append(ev.value)
            return Item2()

        @step
        async def end(self, events: list[Item2]) -> StopEvent:
            return StopEvent(result=done)

    assert play(Flow) == [2, 3, 1]


class Item2(Event):
    pass


class Slow(Workflow):
    @step(timeout=2)
    async def work(self, ev: StartEvent) -> StopEvent:
        await asyncio.sleep(ev.seconds)
        return StopEvent(result="done")


def test_a_run_that_can_no_longer_move_says_so_at_once(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> Item | None:
            return None

        @step
        async def end(self, ev: Item) -> StopEvent:
            return StopEvent()

    with pytest.raises(
        StuckError, match="the last step, `start`, emitted nothing on StartEvent, so no end event can come"
    ):
        play(Flow)


def test_a_run_that_asked_somebody_waits(virtually: Virtually) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> InputRequiredEvent:
            return InputRequiredEvent(prefix="name?")

        @step
        async def end(self, ev: Item) -> StopEvent:
            return StopEvent(result=ev.value)

    async def main() -> Any:
        handler = Flow(disable_validation=True).run()
        async for event in handler.stream_events():
            if isinstance(event, InputRequiredEvent):
                await handler.send_event(Item(value=7))
        return await handler

    assert virtually(main) == 7


def test_the_last_event_of_a_run_that_failed_says_why(watch: Watch) -> None:
    last = watch(Flaky, failures=9)[-1]
    assert isinstance(last, WorkflowFailedEvent)
    assert (last.step_name, last.attempts, type(last.exception)) == ("work", 4, ConnectionError)


def test_a_step_error_may_be_raised_by_hand(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def work(self, ev: StartEvent) -> StopEvent:
            raise StepError("http.404", "not there", status=404)

    with pytest.raises(StepFailedError, match=r"attempt 1: not there \(http.404\)"):
        play(Flow)


def test_a_step_sees_what_its_last_attempt_raised(play: Play) -> None:
    class Flow(Workflow):
        @step(retry_policy=RetryPolicy())
        async def work(self, ctx: Context, ev: StartEvent) -> StopEvent:
            if ctx.attempt == 1:
                raise StepError("http.503", "busy") from ValueError("below")
            return StopEvent(result=ctx.retry_info().last_exception)

    assert isinstance(play(Flow), StepError)


@pytest.mark.parametrize("number", [0, -1, True])
def test_a_number_of_runs_that_makes_no_sense(number: int) -> None:
    with pytest.raises(WorkflowConfigurationError):
        Slow(num_concurrent_runs=number)
