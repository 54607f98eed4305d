"""The continuation of a run in another process: from a snapshot, from its ticks, or from both."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from operator import itemgetter

from wfc.runtime.core.advance.collecting import uncollect
from wfc.runtime.core.advance.halting import run_continued
from wfc.runtime.core.advance.run_exits import exit_for
from wfc.runtime.core.effects import CheckInbox, StartAgain, StartChild, StartTimer, TakeRunExit
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import Exit, StepRun
from wfc.runtime.core.ticks import Recovered
from wfc.runtime.plan.pauses import Child

__all__ = ["recover", "under_way"]


def recover(execution: Execution, tick: Recovered) -> None:
    """Let what was at work begin again, before what was ready; request anew all that was under way outside."""
    if tick.rest < 0:
        execution.at += tick.rest
    if tick.rest:
        _move_clocks(execution, tick.rest)
    stops = execution.stops
    if stops is None or not stops.at:  # else the run is still halted
        run_continued(execution)
    not_begun = tick.ready if stops is None else dict.fromkeys((*tick.ready, *stops.held))
    ready = [run for number in not_begun if (run := execution.in_flight.get(number)) is not None]
    again = [run for number, run in sorted(execution.in_flight.items()) if number not in not_begun]
    for run in again:
        _cut_off(execution, run)
    execution.starting.clear()
    execution.starting.extend([*again, *ready])
    _request_again(execution)


def _cut_off(execution: Execution, run: StepRun) -> None:
    """Let a step run begin again: as a further attempt that costs no retry, if it has called something."""
    if run.step.action is not None and run.exit is Exit.ACTION:
        run.attempt += 1
        run.since += 1
    if hasattr(run, "collects"):
        uncollect(execution, run)
    if hasattr(run, "started_runs"):
        run.started_runs = getattr(run, "runs_before", 0)  # its first run is the same one as before


def _move_clocks(execution: Execution, rest: int) -> None:
    """Let all that the run itself counts go on as if no time had passed."""
    for run in under_way(execution):
        if hasattr(run, "began"):
            run.began += rest
    of_pauses = {timer for pause in execution.paused.values() for timer in pause.timers}
    for timer, due in execution.due_at.items():
        moved = due + (min(rest, 0) if timer in of_pauses else rest)
        waiting = execution.timers[timer]
        until = execution.until_of(waiting[1]) if isinstance(waiting, tuple) else None
        execution.due_at[timer] = moved if until is None else min(moved, max(until, execution.at))
    for waiter in execution.event_waits.values():
        if waiter.until is not None:
            waiter.until += min(rest, 0)
    if execution.deadline is not None:
        execution.deadline += rest


def under_way(execution: Execution) -> Iterator[StepRun]:
    """Yield the step runs that are not over, wherever they are."""
    yield from execution.in_flight.values()
    yield from chain.from_iterable(execution.queues.values())
    yield from (one for one in execution.timers.values() if isinstance(one, StepRun))
    yield from (pause.run for pause in execution.paused.values())


def _request_again(execution: Execution) -> None:
    """Request all that follows from what the execution is."""
    by_moment = sorted(
        execution.due_at.items(), key=itemgetter(1)
    )  # so that of two that are late the earlier is first
    execution.want(*(StartTimer(timer, due) for timer, due in by_moment))
    for number, pause in execution.paused.items():
        if isinstance(pause.value, Child):
            execution.want(StartChild(number, pause.value, pause.run.attempt))
    if execution.inbox:
        execution.want(*map(CheckInbox, execution.expecting))
    if execution.to_begin is not None:
        execution.want(StartAgain())
    if execution.failing is not None and (way := exit_for(execution.failing)) is not None:
        execution.want(TakeRunExit(way))  # last, since it may end all that is waited for
