"""The resumption of runs that were read from snapshots."""

from __future__ import annotations

from datetime import datetime

from wfc.runtime.core.advance.run_exits import exit_for
from wfc.runtime.core.effects import CheckInbox, StartChild, TakeRunExit
from wfc.runtime.core.execution import NONE, Execution
from wfc.runtime.core.moments import SECOND, as_moment, seconds_later
from wfc.runtime.core.step_runs import Exit, StepRun
from wfc.runtime.plan.pauses import Child
from wfc.runtime.store.snapshots import StoredRun

__all__ = ["begin_again", "restore_effects"]


def begin_again(stored: StoredRun, execution: Execution, now: datetime) -> None:
    """Restart active step runs, before those that were ready, as a further attempt that costs no retry."""
    left = _timers_left(stored, execution, now)
    execution.due_at = {
        timer: seconds_later(execution.at, seconds) for timer, seconds in left.items()
    } or NONE
    for step_run in _live(execution):
        if hasattr(step_run, "began"):
            step_run.began += execution.at
    parts: dict[int, int] = {}
    for _, number, _ in stored.children:
        parts[number] = parts.get(number, 0) + 1
    ready = {step_run.number for step_run in execution.starting}
    again = [one for one in execution.in_flight.values() if one.number not in ready]
    for step_run in again:
        if step_run.step.action is not None and step_run.exit is Exit.ACTION:
            step_run.attempt += 1
            step_run.since += 1
        if hasattr(step_run, "started_runs"):
            step_run.started_runs = max(0, step_run.started_runs - parts.get(step_run.number, 0))
    execution.starting.extendleft(reversed(again))


def _timers_left(stored: StoredRun, execution: Execution, now: datetime) -> dict[int, float]:
    """Return the seconds that are left of each timer.

    Pauses wait for people and other services, whose time goes on while a run is stored: they use the
    calendar, and so do joins that wait until a moment.
    """
    gone = max(0.0, (now - stored.taken).total_seconds()) if stored.taken is not None else 0.0
    of_pauses = {timer for pause in execution.paused.values() for timer in pause.timers}
    found = {
        timer: max(0.0, left - gone) if timer in of_pauses else left
        for timer, left in stored.timers_left.items()
    }
    for timer, waiting in execution.timers.items():
        if isinstance(waiting, tuple) and (until := execution.until_of(waiting[1])) is not None:
            found[timer] = min(found[timer], max(0.0, (until - as_moment(now)) / SECOND))
    return found


def restore_effects(execution: Execution) -> None:
    """Add the pending effects, which are derived from the state of execution."""
    for number, pause in execution.paused.items():
        if isinstance(pause.value, Child):
            execution.effects.append(StartChild(number, pause.value, pause.run.attempt))
    if execution.inbox:
        execution.effects.extend(CheckInbox(number) for number in execution.expecting)
    if execution.failing is not None and (way := exit_for(execution.failing)) is not None:
        execution.effects.append(TakeRunExit(way))  # last, since it may end all that is waited for


def _live(execution: Execution) -> list[StepRun]:
    timed = [one for one in execution.timers.values() if isinstance(one, StepRun)]
    queued = [one for queue in execution.queues.values() for one in queue]
    return [
        *execution.in_flight.values(),
        *queued,
        *timed,
        *(pause.run for pause in execution.paused.values()),
    ]
