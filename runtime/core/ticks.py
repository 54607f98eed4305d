"""Ticks: all that can happen to a run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from wfc.runtime.errors import StepError
from wfc.runtime.events import Event, StartEvent, StepFailedEvent
from wfc.runtime.plan.pauses import PauseValue
from wfc.runtime.plan.step import Step

__all__ = [
    "Answered",
    "Arrived",
    "AttemptFailed",
    "Cancelled",
    "Completed",
    "Failed",
    "InboxEventTaken",
    "ItemCompleted",
    "ItemFailed",
    "MatchValueComputed",
    "ModelUsed",
    "PauseFailed",
    "PauseResolved",
    "Paused",
    "RunExitTaken",
    "Started",
    "StepsCancelled",
    "Tick",
    "TimerFired",
]


class Started:
    """The run starts. ``limits`` holds the ``max_runs`` of steps that compute it, by step index."""

    __slots__ = ("event", "limits")

    def __init__(self, event: StartEvent, limits: Mapping[int, int]) -> None:
        self.event = event
        self.limits = limits


class Completed:
    """A step run is done and emits this: an event, ``None``, a list, ``All`` or ``Fail``."""

    __slots__ = ("emitted", "number")

    def __init__(self, number: int, emitted: Any) -> None:
        self.number = number
        self.emitted = emitted


class AttemptFailed:
    """An attempt failed; the next one starts after ``delay`` seconds."""

    __slots__ = ("delay", "number")

    def __init__(self, number: int, delay: float) -> None:
        self.number = number
        self.delay = delay


class Failed:
    """A step run failed for good, and with it the run, unless the step has a handler for ``event``."""

    __slots__ = ("error", "event", "number")

    def __init__(self, number: int, error: Exception, event: StepFailedEvent | None = None) -> None:
        self.number = number
        self.error = error
        self.event = event


class Arrived:
    """An event was sent: by a step run (its number), or from outside; to one step or to all that accept it.

    ``message_id`` is what one from outside is known by, so that it is taken only once.
    """

    __slots__ = ("event", "message_id", "sender", "step")

    def __init__(
        self, event: Event, step: Step | None = None, sender: int | None = None, message_id: str | None = None
    ) -> None:
        self.event = event
        self.step = step
        self.sender = sender
        self.message_id = message_id


class Paused:
    """A step run waits from now on, which is ``now``; bounded by the seconds ``within``."""

    __slots__ = ("now", "number", "value", "within")

    def __init__(self, number: int, value: PauseValue, now: datetime, within: float | None) -> None:
        self.number = number
        self.value = value
        self.now = now
        self.within = within


class Answered:
    """Somebody answered a question; ``answer`` is of its form."""

    __slots__ = ("answer", "by", "number")

    def __init__(self, number: int, answer: Any, by: str) -> None:
        self.number = number
        self.answer = answer
        self.by = by


class InboxEventTaken:
    """A pause took an event from outside, by its number in the inbox."""

    __slots__ = ("event", "number")

    def __init__(self, number: int, event: int) -> None:
        self.number = number
        self.event = event


class PauseResolved:
    """What a step run paused for is there."""

    __slots__ = ("number", "result")

    def __init__(self, number: int, result: Any) -> None:
        self.number = number
        self.result = result


class PauseFailed:
    """What a step run paused for has failed."""

    __slots__ = ("error", "number")

    def __init__(self, number: int, error: StepError) -> None:
        self.number = number
        self.error = error


class ItemCompleted:
    """An item's run is done, and this is what it gives."""

    __slots__ = ("number", "value")

    def __init__(self, number: int, value: Any) -> None:
        self.number = number
        self.value = value


class ItemFailed:
    """An item's run failed for good."""

    __slots__ = ("error", "number")

    def __init__(self, number: int, error: StepError) -> None:
        self.number = number
        self.error = error


class MatchValueComputed:
    """The value by which an event belongs to others at a join, as JSON text."""

    __slots__ = ("number", "value")

    def __init__(self, number: int, value: str) -> None:
        self.number = number
        self.value = value


class StepsCancelled:
    """Somebody outside cancels a step's runs, or the one of a number, with what follows from them."""

    __slots__ = ("number", "step")

    def __init__(self, step: Step | None, number: int | None) -> None:
        self.step = step
        self.number = number


class TimerFired:
    """A timer that the execution wanted has run out."""

    __slots__ = ("timer",)

    def __init__(self, timer: int) -> None:
        self.timer = timer


class RunExitTaken:
    """An exit of the run says this: an end event, ``Fail``, ``Restart`` or ``UNHANDLED``."""

    __slots__ = ("emitted",)

    def __init__(self, emitted: Any) -> None:
        self.emitted = emitted


class ModelUsed:
    """A model was called: so many tokens, in and out, at so many US dollars."""

    __slots__ = ("cost_usd", "tokens")

    def __init__(self, tokens: int, cost_usd: float) -> None:
        self.tokens = tokens
        self.cost_usd = cost_usd


class Cancelled:
    """The run ends from outside: cancelled, or out of time."""

    __slots__ = ("error",)

    def __init__(self, error: Exception) -> None:
        self.error = error


Tick = (
    Started
    | Completed
    | AttemptFailed
    | Failed
    | Arrived
    | Paused
    | Answered
    | InboxEventTaken
    | PauseResolved
    | PauseFailed
    | ItemCompleted
    | ItemFailed
    | RunExitTaken
    | ModelUsed
    | MatchValueComputed
    | StepsCancelled
    | TimerFired
    | Cancelled
)
