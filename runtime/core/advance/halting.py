"""Halts at breakpoints, for which a run's deadline stands still, and at which events may be replaced."""

from __future__ import annotations

from itertools import chain

from wfc.runtime.core.execution import Execution
from wfc.runtime.core.ticks import Continued, Halted, Replaced

__all__ = ["deadline_continued", "deadline_halted", "event_replaced"]


def deadline_halted(execution: Execution, _: Halted) -> None:
    """Let a run's deadline stand still."""
    if execution.deadline is not None:
        execution.deadline_left = max(0, execution.deadline - execution.at)
        execution.deadline = None


def deadline_continued(execution: Execution, _: Continued | None = None) -> None:
    """Let what is left until a run's deadline count from now on."""
    if execution.deadline_left is not None:
        execution.deadline = execution.at + execution.deadline_left
        execution.deadline_left = None


def event_replaced(execution: Execution, tick: Replaced) -> None:
    """Replace the event of a step run that has not begun."""
    for run in chain(execution.in_flight.values(), *execution.queues.values()):
        if run.number == tick.number:
            run.event = tick.event
