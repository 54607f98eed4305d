"""Failures, limits and time-outs that a step takes: what the watchers of a run are told of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.driver.run.watchers import Watchers
from wfc.runtime.events import ErrorHandled, Event, event_name
from wfc.runtime.plan.outcomes import All

__all__ = ["tell_handled"]


class TellingRun(Protocol):
    """The interface of a run that tells of what its steps took."""

    @property
    def watchers(self) -> Watchers:
        """The run's watchers."""


def events_in(emitted: object) -> Iterator[Event]:
    """Yield the events that an exit has emitted: one, several, or one for each item of a list."""
    if isinstance(emitted, Event):
        yield emitted
    elif isinstance(emitted, list | tuple | All):
        for each in emitted.events if isinstance(emitted, All) else emitted:
            yield from events_in(each)


def tell_handled(run: TellingRun, step_run: StepRun, name: str, message: str, emitted: object) -> None:
    """Tell the watchers that a step took an error, a limit or a time-out."""
    goes_to = list(dict.fromkeys(map(event_name, events_in(emitted))))
    step = step_run.step.name
    told = ErrorHandled(step=step, name=name, message=message, attempts=step_run.attempt, goes_to=goes_to)
    run.watchers.publish(told)
