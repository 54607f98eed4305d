"""Failures, limits and time-outs that a step takes: what the watchers of a run are told of them."""

from __future__ import annotations

from typing import Protocol

from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.driver.run.watchers import Watchers
from wfc.runtime.events import ErrorHandled, Event, event_name

__all__ = ["tell_handled"]


class TellingRun(Protocol):
    """The interface of a run that tells of what its steps took."""

    @property
    def watchers(self) -> Watchers:
        """The run's watchers."""


def tell_handled(run: TellingRun, step_run: StepRun, name: str, message: str, emitted: object) -> None:
    """Tell the watchers that a step took an error, a limit or a time-out."""
    events = emitted if isinstance(emitted, list | tuple) else [emitted]
    goes_to = [event_name(each) for each in events if isinstance(each, Event)]
    step = step_run.step.name
    told = ErrorHandled(step=step, name=name, message=message, attempts=step_run.attempt, goes_to=goes_to)
    run.watchers.publish(told)
