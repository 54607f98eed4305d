"""The return of a run to how it was before: its clocks have stood still since, and no number is given twice."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from wfc.runtime.core.advance.recovering import under_way
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import Pause
from wfc.runtime.core.ticks import Rewound, Upgraded
from wfc.runtime.plan.pauses import Until

__all__ = ["rewind", "upgrade"]

_OF_THE_RUN: Final = frozenset({"__dict__", "plan", "run_id", "observed", "in_brief", "number", "at"})
"""What does not change when a run returns to how it was."""


def rewind(execution: Execution, tick: Rewound) -> None:
    """Make a run what it was; step runs that begin from now on have numbers that none has had."""
    _become(execution, tick.execution)
    _move_clocks(execution, execution.at - tick.execution.at)


def upgrade(execution: Execution, tick: Upgraded) -> None:
    """Make a run what it is in another version of its workflow; its clocks go on."""
    _become(execution, tick.execution)


def _become(execution: Execution, other: Execution) -> None:
    for name in (*Execution.__slots__, *Execution.__annotations__):
        if name not in _OF_THE_RUN:
            setattr(execution, name, getattr(other, name))
    execution.number = max(execution.number, other.number)
    execution.take_effects()
    execution.starting.clear()  # all that is in flight begins when somebody goes on with the run


def _move_clocks(execution: Execution, rest: int) -> None:
    """Let the clocks go on as if no time had passed, those of pauses too; but a date stays a date."""
    for run in under_way(execution):
        if hasattr(run, "began"):
            run.began += rest
    due_at = dict(execution.due_at)
    for timer, due in due_at.items():
        waiting = execution.timers[timer]
        if isinstance(waiting, Pause) and (
            isinstance(waiting.value, Until) or getattr(waiting.value, "until", None) is not None
        ):
            continue
        until = execution.until_of(waiting[1]) if isinstance(waiting, tuple) else None
        execution.due_at[timer] = due + rest if until is None else min(due + rest, max(until, execution.at))
    for pause in execution.paused.values():
        if pause.expires is not None and getattr(pause.value, "until", None) is None:
            pause.expires += timedelta(microseconds=rest // 1000)
    for waiter in execution.event_waits.values():
        if waiter.until is not None:
            waiter.until += rest
    if execution.deadline is not None:
        execution.deadline += rest
