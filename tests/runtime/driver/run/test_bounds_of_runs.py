"""Bounds of a class with bounds on runs: worked out once for each start, and a run with a wrong one fails itself."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest

from wfc.runtime import (
    AllOf,
    Bounds,
    Context,
    Event,
    ExpressionError,
    Restart,
    RetryBounds,
    RetryPolicy,
    StartEvent,
    StepBounds,
    StepError,
    StopEvent,
    Workflow,
    run_bounds,
    step,
    transform,
)
from wfc.runtime.testing import run_virtually


class Asked(StartEvent):
    most: int
    round: int = 0


class Counting(Workflow):
    asked: ClassVar[list[int]]

    @run_bounds
    def bounds(self, inputs: Asked) -> Bounds:
        type(self).asked.append(inputs.round)
        return Bounds(concurrent_runs=inputs.most)

    @step
    async def work(self, event: Asked) -> StopEvent | Restart:
        await asyncio.sleep(1)
        again = Asked(most=event.most, round=event.round - 1)
        return Restart(again) if event.round else StopEvent(result="done")


def test_bounds_are_worked_out_once_for_each_start() -> None:
    class Counted(Counting):
        asked: ClassVar[list[int]] = []

    async def main() -> list[Any]:
        return list(
            await asyncio.gather(*(Counted().run(start_event=Asked(most=1, round=n)) for n in (0, 2)))
        )

    assert run_virtually(main) == ["done", "done"]
    assert sorted(Counted.asked) == [0, 0, 1, 2]


def test_a_bound_on_runs_that_is_out_of_range_fails_the_run_and_not_its_start() -> None:
    class Counted(Counting):
        asked: ClassVar[list[int]] = []

    async def main() -> list[Any]:
        handlers = [Counted().run(start_event=Asked(most=most)) for most in (0, 1)]
        return list(await asyncio.gather(*handlers, return_exceptions=True))

    failed, done = run_virtually(main)
    assert done == "done"
    assert isinstance(failed, ExpressionError)
    assert "`concurrent_runs` of the run is worked out as 0: at least 1 is possible" in str(failed)
    assert Counted.asked == [0, 0]


class Begun(StartEvent):
    bounds: Any = None


class Left(Event):
    pass


class Right(Event):
    pass


class Joined(Workflow):
    @run_bounds
    def bounds(self, inputs: Begun) -> Bounds:
        of_join = inputs.bounds
        if isinstance(of_join, int):
            of_join = StepBounds(until=after(of_join))
        return Bounds(of_steps={"join": of_join})

    @step
    async def left(self, event: Begun) -> Left:
        return Left()

    @step
    async def right(self, event: Begun) -> Right:
        await asyncio.sleep(100)
        return Right()

    @transform(join=AllOf(fork=None))
    def join(self, left: Left, right: Right) -> StopEvent:
        return StopEvent(result="both")

    @join.on_timeout
    def late(self) -> StopEvent:
        return StopEvent(result="late")


START = datetime(2026, 1, 1, tzinfo=UTC)


def after(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("bounds", "result", "seconds"),
    [
        (StepBounds(), "both", 100),
        (StepBounds(within=30), "late", 30),
        (StepBounds(until=after(40)), "late", 40),
        (StepBounds(within=30, until=after(40)), "late", 30),
        (StepBounds(within=50, until=after(40)), "late", 40),
        (StepBounds(within=500, until=after(400)), "both", 100),
        (StepBounds(until=after(-40)), "late", 0),
    ],
)
def test_of_a_joins_time_and_moment_the_earlier_counts(
    bounds: StepBounds, result: str, seconds: float
) -> None:
    async def main() -> tuple[Any, float]:
        found = await Joined(timeout=None).run(start_event=Begun(bounds=bounds))
        return found, asyncio.get_running_loop().time()

    assert run_virtually(main) == (result, pytest.approx(seconds))


@pytest.mark.parametrize("gone", [5, 35])
def test_a_join_waits_until_its_moment_also_when_the_run_was_stored_meanwhile(gone: float) -> None:
    async def first() -> dict[str, Any]:
        handler = Joined(timeout=None).run(start_event=Begun(bounds=40))
        await asyncio.sleep(10)
        data = handler.ctx.to_dict()
        await handler.cancel_run()
        return data

    async def second() -> tuple[Any, float]:
        workflow = Joined(timeout=None)
        found = await workflow.run(ctx=Context.from_dict(workflow, data))
        return found, asyncio.get_running_loop().time()

    data = run_virtually(first)
    found, seconds = run_virtually(second, start=after(10 + gone))
    assert (found, seconds) == ("late", pytest.approx(max(0, 30 - gone)))


class Failing(Workflow):
    @run_bounds
    def bounds(self, inputs: Begun) -> Bounds:
        return Bounds(of_steps={"work": StepBounds(retry=inputs.bounds)})

    @step(retry_policy=RetryPolicy(max_attempts=2, delay=10, backoff=2, max_delay=100))
    async def work(self, event: Begun) -> StopEvent:
        raise StepError("odd", "failed")

    @work.on_error
    def failed(self) -> StopEvent:
        return StopEvent(result=None)


@pytest.mark.parametrize(
    ("bounds", "seconds"),
    [
        (RetryBounds(), 10),
        (RetryBounds(max_attempts=4), 70),
        (RetryBounds(max_attempts=4, delay=timedelta(seconds=1), backoff=3), 13),
        (RetryBounds(max_attempts=4, max_delay=15), 40),
        (RetryBounds(max_attempts=9, total_timeout=40), 30),
        (RetryBounds(delay=0), 0),
    ],
)
def test_parts_of_a_retry_policy_are_worked_out(bounds: RetryBounds, seconds: float) -> None:
    async def main() -> float:
        await Failing(timeout=None).run(start_event=Begun(bounds=bounds))
        return asyncio.get_running_loop().time()

    assert run_virtually(main) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        (
            RetryBounds(max_attempts=0),
            "`max_attempts` of the retry policy of step `work` is worked out as 0: at least 1",
        ),
        (
            RetryBounds(backoff=0.5),
            "`backoff` of the retry policy of step `work` is worked out as 0.5: at least 1",
        ),
        (RetryBounds(delay=-1), "`delay` .* worked out as -1 s: nothing or more and at most ten years"),
        (RetryBounds(jitter=timedelta(days=4000)), "`jitter` .* at most ten years"),
        (RetryBounds(max_delay=0), "`max_delay` .* worked out as 0 s: more than nothing"),
        (
            RetryBounds(total_timeout=0),
            "`within` of the retry policy .* worked out as 0 s: more than nothing",
        ),
        (RetryBounds(delay=101), "`delay` .* as 1 min 41 s: that is longer than its `max_delay`, 1 min 40 s"),
        (RetryBounds(max_delay=9), "`delay` .* as 10 s: that is longer than its `max_delay`, 9 s"),
    ],
)
def test_a_part_of_a_retry_policy_that_is_out_of_range_fails_the_run(bounds: RetryBounds, said: str) -> None:
    async def main() -> None:
        await Failing(timeout=None).run(start_event=Begun(bounds=bounds))

    with pytest.raises(ExpressionError, match=said):
        run_virtually(main)
