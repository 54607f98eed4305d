"""``advance`` is a function of an execution and a tick, and of nothing else."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfc.runtime import (
    AllOf,
    Context,
    Event,
    RetryPolicy,
    StartEvent,
    StopEvent,
    Workflow,
    step,
    transform,
)
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.core.advance import advance
from wfc.runtime.core.body_ticks import Waiting
from wfc.runtime.core.effects import StartTimer
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.ticks import Arrived, Cancelled, Completed, Recovered, Started, Tick, TimerFired
from wfc.runtime.driver import run as runs
from wfc.runtime.driver.run import workers
from wfc.runtime.testing import run_virtually

ROOT = Path(__file__).parents[3]


PURE = tuple(path for room in ("core", "plan") for path in sorted((ROOT / "runtime" / room).rglob("*.py")))


@pytest.mark.parametrize("path", PURE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_it_knows_no_clock_no_chance_and_no_loop(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        )
    }
    assert not imported & {"asyncio", "time", "random", "os", "threading", "socket", "secrets", "uuid"}
    assert not any(isinstance(node, ast.AsyncFunctionDef | ast.Await) for node in ast.walk(tree))


class Begin(StartEvent):
    seconds: list[float]


class Item(Event):
    seconds: float


class Left(Event):
    seconds: float


class Right(Event):
    seconds: float


class Both(Event):
    seconds: float


class Flow(Workflow):
    """A batch; two branches in each item, one of which fails at first; a pair with a time-out; and the end."""

    @step
    async def send_out(self, ev: Begin) -> list[Item]:
        return [Item(seconds=seconds) for seconds in ev.seconds]

    @step(num_workers=2)
    async def left(self, ctx: Context, ev: Item) -> Left:
        ctx.send_event(Aside())
        await asyncio.sleep(ev.seconds)
        return Left(seconds=ev.seconds)

    @step(retry_policy=RetryPolicy(delay=2, jitter=1))
    async def right(self, ctx: Context, ev: Item) -> Right:
        await asyncio.sleep(1)
        if ctx.attempt == 1 and ev.seconds > 3:
            raise ValueError
        return Right(seconds=ev.seconds)

    @transform(join=AllOf("send_out", within=6, proceed=True))
    def pair(self, left: Left | None, right: Right | None) -> Both:
        return Both(seconds=(left.seconds if left else 0) - (right.seconds if right else 0))

    @transform
    def aside(self, ev: Aside) -> None:
        return None

    @step
    async def end(self, events: list[Both]) -> StopEvent:
        return StopEvent(result=[event.seconds for event in events])


class Aside(Event):
    pass


def recorded(seconds: list[float], patch: pytest.MonkeyPatch) -> tuple[Execution, list[Tick]]:
    """A run, and the ticks of it."""
    ticks: list[Tick] = []

    def record(execution: Execution, tick: Tick, at: int) -> None:
        ticks.append(tick)
        advance(execution, tick, at)

    patch.setattr(workers, "advance", record)
    patch.setattr(runs, "advance", record)

    async def main() -> Execution:
        run = runs.Run(Flow(timeout=None), Begin(seconds=seconds), "r")
        run.begin()
        await asyncio.wait([run.future])
        return run.execution

    return run_virtually(main), ticks


@given(st.lists(st.integers(0, 9), max_size=8))
@settings(max_examples=60)
def test_the_ticks_alone_give_the_same_run_again(seconds: list[float]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        first, ticks = recorded(seconds, patch)
        second, others = recorded(seconds, patch)
    assert isinstance(first.outcome, StopEvent)
    assert [type(tick) for tick in ticks] == [type(tick) for tick in others]

    again = Execution(definition_of(Flow).plan, "r", None)
    for tick in ticks:
        advance(again, tick)
        # what shall start and what is wanted can be read off the execution, and is left to the driver
        if again.outcome is None:
            assert all(again.in_flight[run.number] is run for run in again.starting)
            assert all(
                want.timer in again.timers for want in again.effects if isinstance(want, StartTimer)
            ) or isinstance(tick, Completed | TimerFired)
        again.starting.clear()
        again.take_effects()
    assert again.outcome is first.outcome
    assert (again.number, again.busy, len(again.timers)) == (first.number, first.busy, len(first.timers))
    assert second.outcome == first.outcome or second.outcome.result == first.outcome.result  # type: ignore[union-attr]


def begun() -> Execution:
    execution = Execution(definition_of(Flow).plan, "r", None)
    advance(execution, Started(Begin(seconds=[1, 2]), {}))
    return execution


def test_a_step_run_waits_for_a_free_worker() -> None:
    execution = begun()
    (start,) = execution.starting
    execution.starting.clear()
    advance(execution, Completed(start.number, [Item(seconds=second) for second in range(3)]))
    assert [run.step.name for run in execution.starting] == ["left", "right", "left", "right", "right"]
    assert [run.event.seconds for run in execution.queues[start.step.index + 1]] == [2]
    first = execution.starting[0]
    advance(execution, Completed(first.number, Left(seconds=0)))
    assert execution.starting[-1].event.seconds == 2


@pytest.mark.parametrize(
    "tick",
    [Completed(99, None), TimerFired(99), Completed(1, None)],
    ids=["never started", "never set", "done before"],
)
def test_ticks_of_what_is_no_more_change_nothing(tick: Tick) -> None:
    execution = begun()
    advance(execution, Completed(1, [Item(seconds=1)]))
    before = (execution.number, dict(execution.in_flight), list(execution.starting), execution.outcome)
    advance(execution, tick)
    assert (execution.number, execution.in_flight, list(execution.starting), execution.outcome) == before


def test_after_the_end_nothing_changes() -> None:
    execution = begun()
    error = ValueError()
    advance(execution, Cancelled(error))
    advance(execution, Completed(1, [Item(seconds=1)]))
    advance(execution, Arrived(Aside()))
    assert (execution.outcome, execution.number) == (error, 1)


OUTLASTS = {"plan", "run_id", "number", "at", "observed", "in_brief", "outcome", "stops", "to_begin"}
OUTLASTS |= {"deadline", "deadline_left", "in_flight", "starting", "effects"}  # for which others see
OUTLASTS |= {"inbox", "unclaimed", "received", "asked_for", "asked_waits"}  # which come from outside


def test_of_a_run_that_begins_anew_nothing_is_left_that_a_new_one_does_not_have() -> None:
    new, old = (Execution(definition_of(Flow).plan, "r", None) for _ in range(2))
    begins_anew = {*Execution.__slots__, *Execution.__annotations__} - {"__dict__"} - OUTLASTS
    for name in begins_anew:
        setattr(old, name, object())
    old.begin(None)
    assert {name: getattr(old, name) for name in begins_anew} == {
        name: getattr(new, name) for name in begins_anew
    }


def test_each_event_costs_the_same_however_many_there_were(calls_counted: Callable[[], Any]) -> None:
    """Counted in the calls that are made, so that no clock is needed."""

    def calls(count: int) -> int:
        execution = begun()
        advance(execution, Completed(1, [Item(seconds=0) for _ in range(count)]))
        while len(execution.starting) > 10:
            del execution.starting[0]
        with calls_counted() as made:
            for run in list(execution.starting):
                advance(
                    execution,
                    Completed(run.number, Left(seconds=0) if run.step.name == "left" else Right(seconds=0)),
                )
        return made[0]

    assert calls(1_000) == calls(10_000)


class Heard(Event):
    pass


class Listening(Workflow):
    @step
    async def listen(self, ctx: Context, ev: Begin) -> StopEvent:
        """Wait twice for the same, side by side, the first time for ever."""
        await asyncio.gather(*(ctx.wait_for_event(Heard, timeout=seconds) for seconds in (None, 5.0)))
        return StopEvent()


def test_each_of_two_equal_waits_of_a_body_keeps_its_own_time_when_it_was_cut_off() -> None:
    plan = definition_of(Listening).plan
    execution = Execution(plan, "r", plan.new_state())
    advance(execution, Started(Begin(seconds=[]), {}), 10)

    def wait(at: int) -> list[int | None]:
        for seconds in (None, 5.0):
            advance(execution, Waiting(1, Heard, None, {}, None, seconds), at)
        return [one.until for one in execution.event_waits.values()]

    assert wait(20) == [None, 5_000_000_020]
    advance(execution, Recovered(()), 30)
    assert wait(40) == [None, 5_000_000_020]
