"""Failures: attempts, time-outs, deadlines, cancellation, and what is said of them."""

from __future__ import annotations

import asyncio
import gc
import threading
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
    WorkflowCancelledByUser,
    WorkflowCancelledEvent,
    WorkflowConfigurationError,
    WorkflowError,
    WorkflowFailedEvent,
    WorkflowRuntimeError,
    WorkflowTimedOutEvent,
    WorkflowTimeoutError,
    step,
)
from wfc.runtime.events import StepState, StepStateChanged

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


# --- time


class Slow(Workflow):
    @step(timeout=2)
    async def work(self, ev: StartEvent) -> StopEvent:
        await asyncio.sleep(ev.seconds)
        return StopEvent(result="done")


def test_a_time_out_is_an_error_like_others(play: Play) -> None:
    assert play(Slow, seconds=1) == "done"
    with pytest.raises(StepFailedError, match=r"it took longer than 2 s \(timeout\)"):
        play(Slow, seconds=3)


def test_a_time_out_may_be_tried_again_and_does_not_count_the_time_in_the_queue(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> list[Item]:
            return [Item(value=value) for value in range(5)]

        @step(num_workers=1, timeout=2, retry_policy=RetryPolicy(retry_on=("timeout",)))
        async def work(self, ctx: Context, ev: Item) -> Item2:
            await asyncio.sleep(3 if ev.value == 2 and ctx.attempt == 1 else 1.5)
            return Item2()

        @step
        async def end(self, events: list[Item2]) -> StopEvent:
            return StopEvent(result=len(events))

    assert play(Flow) == 5


def test_a_time_out_of_the_step_itself_is_not_taken_for_the_runtimes(play: Play) -> None:
    class Flow(Workflow):
        @step(timeout=9)
        async def work(self, ev: StartEvent) -> StopEvent:
            try:
                async with asyncio.timeout(1):
                    await asyncio.sleep(5)
            except TimeoutError:
                return StopEvent(result="its own")
            return StopEvent()

    assert play(Flow) == "its own"


def test_a_time_out_frees_the_caller_of_blocking_code() -> None:
    release, over = threading.Event(), threading.Event()

    class Flow(Workflow):
        @step(timeout=0.01)
        def work(self, ev: StartEvent) -> StopEvent:
            release.wait(60)
            over.set()
            return StopEvent()

    async def main() -> Any:
        with pytest.raises(StepFailedError, match="timeout"):
            await Flow().run()

    asyncio.run(main())
    assert not over.is_set()
    release.set()
    assert over.wait(60)


def test_a_run_has_a_deadline(virtually: Virtually) -> None:
    class Flow(Workflow):
        @step
        async def work(self, ev: StartEvent) -> StopEvent:
            await asyncio.sleep(100)
            return StopEvent(result="done")

    async def main() -> Any:
        handler = Flow(timeout=10).run()
        with pytest.raises(WorkflowTimeoutError, match="longer than 10 s; at work: `work`"):
            await handler
        last = [event async for event in handler.stream_events()][-1]
        assert isinstance(last, WorkflowTimedOutEvent)
        assert (last.timeout, last.active_steps) == (10, ["work"])
        return await Flow(timeout=None).run()

    assert virtually(main) == "done"
    assert Flow().timeout == 45


def test_a_generated_workflow_has_its_own_deadline_or_none() -> None:
    class Bounded(Workflow, name="bounded", deadline=7.0):
        pass

    class Free(Workflow, name="free"):
        pass

    assert (Bounded().timeout, Free().timeout, Free(timeout=3).timeout) == (7.0, None, 3)


# --- cancellation


class Waiting(Workflow):
    cleaned: int = 0

    @step
    async def work(self, ev: StartEvent) -> StopEvent:
        try:
            await asyncio.sleep(1000)
        finally:
            await asyncio.sleep(1)
            type(self).cleaned += 1
        return StopEvent()


def test_a_run_may_be_cancelled(virtually: Virtually) -> None:
    async def main() -> None:
        handler = Waiting().run()
        await asyncio.sleep(1)
        assert not handler.is_done()
        await handler.cancel_run()
        assert (handler.is_done(), Waiting.cleaned) == (True, 1)
        with pytest.raises(WorkflowCancelledByUser):
            await handler
        assert isinstance([event async for event in handler.stream_events()][-1], WorkflowCancelledEvent)
        await handler.cancel_run()
        with pytest.raises(WorkflowRuntimeError, match="has ended"):
            await handler.send_event(Item())

    virtually(main)


def test_cancelling_the_one_who_waits_does_not_cancel_the_run(virtually: Virtually) -> None:
    async def main() -> Any:
        handler = Slow(timeout=None).run(seconds=1.5)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await handler
        return await handler

    assert virtually(main) == "done"


def test_the_first_end_ends_the_run_and_cancels_the_rest(virtually: Virtually) -> None:
    told = []

    class Race(Workflow):
        @step
        async def fast(self, ev: StartEvent) -> StopEvent:
            await asyncio.sleep(1)
            return StopEvent(result="fast")

        @step
        async def slow(self, ev: StartEvent) -> StopEvent:
            try:
                await asyncio.sleep(2)
            except asyncio.CancelledError:
                told.append("cancelled")
                raise
            return StopEvent(result="slow")

        @step
        async def stubborn(self, ev: StartEvent) -> StopEvent:
            try:
                await asyncio.sleep(2)
            except asyncio.CancelledError:
                told.append("went on")
            return StopEvent(result="stubborn")

    async def main() -> Any:
        result = await Race().run()
        await asyncio.sleep(5)
        return result

    assert virtually(main) == "fast"
    assert sorted(told) == ["cancelled", "went on"]


def test_something_cancelled_inside_a_step_is_its_failure(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def work(self, ev: StartEvent) -> StopEvent:
            waiting = asyncio.get_running_loop().create_future()
            waiting.cancel()
            await waiting
            return StopEvent()

    with pytest.raises(StepFailedError, match=r"was cancelled \(cancelled\)"):
        play(Flow)


def test_the_end_of_the_event_loop_ends_its_runs() -> None:
    handlers = []

    async def main() -> None:
        handlers.append(Waiting().run())
        await asyncio.sleep(0.01)

    asyncio.run(main())
    assert handlers[0].is_done()


# --- runs that cannot go on


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


def test_what_a_cancelled_step_says_after_the_end_is_not_shown(virtually: Virtually) -> None:
    class Race(Workflow):
        @step
        async def fast(self, ev: StartEvent) -> StopEvent:
            await asyncio.sleep(1)
            return StopEvent(result="fast")

        @step
        async def slow(self, ctx: Context, ev: StartEvent) -> Item | None:
            try:
                await asyncio.sleep(2)
            finally:
                ctx.write_event_to_stream(Item())
                ctx.send_event(Item())
            return None

        @step
        async def item(self, ev: Item) -> None: ...

    async def main() -> list[str]:
        handler = Race().run()
        await handler
        await asyncio.sleep(1)
        return [type(event).__name__ async for event in handler.stream_events()]

    assert virtually(main) == ["StopEvent"]


def test_what_ends_the_process_ends_the_run_too(caplog: pytest.LogCaptureFixture) -> None:
    handlers = []

    class Flow(Workflow):
        @step
        async def work(self, ev: StartEvent) -> StopEvent:
            raise SystemExit(3)

    async def main() -> None:
        handlers.append(Flow().run())
        await asyncio.sleep(1)

    with pytest.raises(SystemExit):
        asyncio.run(main())
    assert handlers[0].is_done()
    assert handlers[0]._run.future.exception() is not None
    handlers.clear()
    gc.collect()
    assert not caplog.records  # asyncio complains in the log of exceptions that nobody has looked at


@pytest.mark.parametrize("number", [0, -1, True])
def test_a_number_of_runs_that_makes_no_sense(number: int) -> None:
    with pytest.raises(WorkflowConfigurationError):
        Slow(num_concurrent_runs=number)
