"""Waits of step bodies for an event, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wfc.runtime.core.step_runs import StepRun, WaitKey
from wfc.runtime.events import Event

__all__ = ["EventWait"]


class EventWait:
    """A wait of a step's body for an event of a class, with these values in its fields.

    Args:
        run: The step run.
        waiter_id: See ``Context.wait_for_event``.
        until: The moment at which it is over; ``None``: it has no bound.
    """

    __slots__ = ("attempt", "event_type", "requirements", "run", "step", "until", "waiter_id")

    def __init__(
        self,
        event_type: type[Event],
        requirements: Mapping[str, Any],
        run: StepRun,
        waiter_id: str | None,
        until: int | None = None,
    ) -> None:
        self.event_type = event_type
        self.requirements = requirements
        self.run = run
        self.attempt = run.attempt
        self.step = run.step
        self.waiter_id = waiter_id
        self.until = until

    @property
    def key(self) -> WaitKey:
        """The key by which waits are compared."""
        return self.event_type, self.waiter_id, self.requirements

    def takes(self, event: Event) -> bool:
        """Return whether the wait is for this event; a derived class counts where the step accepts those."""
        kind = type(event)
        fits = kind is self.event_type or (self.step.subclasses and issubclass(kind, self.event_type))
        return fits and all(getattr(event, name, None) == value for name, value in self.requirements.items())
