"""Ticks of step bodies that people write, what such a body has done to the run, and of runs that steps have joined."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wfc.runtime.events import Event
from wfc.runtime.values.drafts import Saved

__all__ = ["ChildJoined", "ChildStarted", "Collected", "Edited", "WaitEnded", "Waiting"]


class Edited:
    """A change of the state by the body of a step run, by an agent for which one is paused, or by a person.

    Args:
        number: The step run; ``None``: it was not a step.
        ordinal: How many changes its body has made with this one: if it is cut off, these are done when it runs again.
        saved: The change; ``None``: it has come to nothing.
        by: The person; empty: nobody has said it.
    """

    __slots__ = ("by", "number", "ordinal", "saved")

    def __init__(self, number: int | None, ordinal: int, saved: Saved, by: str = "") -> None:
        self.number = number
        self.ordinal = ordinal
        self.saved = saved
        self.by = by


class ChildStarted:
    """The start of another run by the body of a step run; the number of it is a part of the other run's id."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class ChildJoined:
    """The joining of a run that was there already, by a step run that has paused for a run with the same key."""

    __slots__ = ("number", "run_id")

    def __init__(self, number: int, run_id: str) -> None:
        self.number = number
        self.run_id = run_id


class Collected:
    """The collecting of an event by the body of a step run, which is ``StepRun.given`` all of them if it has them.

    ``event`` is ``None`` for the one that the step runs on.
    """

    __slots__ = ("buffer_id", "event", "expected", "number")

    def __init__(
        self, number: int, event: Event | None, expected: list[type[Event]], buffer_id: str | None
    ) -> None:
        self.number = number
        self.event = event
        self.expected = expected
        self.buffer_id = buffer_id


class Waiting:
    """The beginning of a wait of a step run's body for an event, under the next number; see ``Context.wait_for_event``.

    ``question`` is published first, and ``seconds`` bound the wait.
    """

    __slots__ = ("event_type", "number", "question", "requirements", "seconds", "waiter_id")

    def __init__(
        self,
        number: int,
        event_type: type[Event],
        waiter_id: str | None,
        requirements: Mapping[str, Any],
        question: Event | None = None,
        seconds: float | None = None,
    ) -> None:
        self.number = number
        self.event_type = event_type
        self.waiter_id = waiter_id
        self.requirements = requirements
        self.question = question
        self.seconds = seconds


class WaitEnded:
    """The end of a body's wait without an event: it has timed out, or the body does not want it any more."""

    __slots__ = ("timed_out", "wait")

    def __init__(self, wait: int, *, timed_out: bool) -> None:
        self.wait = wait
        self.timed_out = timed_out
