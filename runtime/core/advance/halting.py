"""Halts at breakpoints, for which a run's deadline stands still, and at which events may be replaced."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from wfc.runtime.core.execution import Execution
from wfc.runtime.core.halt_ticks import BreakpointsSet, Continued, Halted, Stops
from wfc.runtime.core.ticks import Replaced

__all__ = ["breakpoints_set", "event_replaced", "run_continued", "run_halted"]


def run_halted(execution: Execution, tick: Halted) -> None:
    """Let a run's deadline stand still, and note where it has halted."""
    if execution.deadline is not None:
        execution.deadline_left = max(0, execution.deadline - execution.at)
        execution.deadline = None
    if tick.at:
        stops = execution.stops or Stops()
        execution.stops = replace(stops, at=tick.at, number=tick.number, step=tick.step, held=tick.held)


def run_continued(execution: Execution, _: Continued | None = None) -> None:
    """Let what is left until a run's deadline count from now on."""
    if execution.deadline_left is not None:
        execution.deadline = execution.at + execution.deadline_left
        execution.deadline_left = None
    stops = execution.stops
    if stops is not None and stops.at:
        execution.stops = Stops(stops.before, stops.after) if stops.before or stops.after else None


def breakpoints_set(execution: Execution, tick: BreakpointsSet) -> None:
    """Note where a run is to halt."""
    stops = execution.stops or Stops()
    found = replace(stops, before=tick.before, after=tick.after)
    execution.stops = found if found.before or found.after or found.at else None


def event_replaced(execution: Execution, tick: Replaced) -> None:
    """Replace the event of a step run that has not begun."""
    for run in chain(execution.in_flight.values(), *execution.queues.values()):
        if run.number == tick.number:
            run.event = tick.event
