"""Ticks, which are all that can happen to a run, and wants, which are all that a run can ask for."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from wfc.runtime.events import Event, StartEvent, StepFailedEvent

if TYPE_CHECKING:
    from wfc.runtime.advance.exits import RunExit
    from wfc.runtime.errors import StepError
    from wfc.runtime.execution import StepRun, Wanted
    from wfc.runtime.pauses import Child, PauseValue
    from wfc.runtime.table import Step

__all__ = [
    "Answered",
    "Arrived",
    "BeginAnew",
    "Broken",
    "Cancelled",
    "Completed",
    "Failed",
    "Gave",
    "Interrupt",
    "ItemFailed",
    "LeaveBy",
    "Left",
    "Look",
    "Matched",
    "Note",
    "Paused",
    "Publish",
    "Resolve",
    "Resolved",
    "Spent",
    "StartChild",
    "StartTimer",
    "Started",
    "StepsCancelled",
    "StopChild",
    "StopTimer",
    "Tick",
    "TimerFired",
    "Took",
    "TriedAgain",
    "Waiter",
    "Want",
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


class TriedAgain:
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


class Took:
    """A pause took an event from outside, by its number in the inbox."""

    __slots__ = ("event", "number")

    def __init__(self, number: int, event: int) -> None:
        self.number = number
        self.event = event


class Resolved:
    """What a step run paused for is there."""

    __slots__ = ("number", "result")

    def __init__(self, number: int, result: Any) -> None:
        self.number = number
        self.result = result


class Broken:
    """What a step run paused for has failed."""

    __slots__ = ("error", "number")

    def __init__(self, number: int, error: StepError) -> None:
        self.number = number
        self.error = error


class Gave:
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


class Matched:
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


class Left:
    """An exit of the run says this: an end event, ``Fail``, ``Restart`` or ``UNHANDLED``."""

    __slots__ = ("emitted",)

    def __init__(self, emitted: Any) -> None:
        self.emitted = emitted


class Spent:
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
    | TriedAgain
    | Failed
    | Arrived
    | Paused
    | Answered
    | Took
    | Resolved
    | Broken
    | Gave
    | ItemFailed
    | Left
    | Spent
    | Matched
    | StepsCancelled
    | TimerFired
    | Cancelled
)


class StartTimer:
    """Wanted: a tick ``TimerFired(timer)`` after so many seconds."""

    __slots__ = ("seconds", "timer")

    def __init__(self, timer: int, seconds: float) -> None:
        self.timer = timer
        self.seconds = seconds


class StopTimer:
    """Wanted no more: this timer."""

    __slots__ = ("timer",)

    def __init__(self, timer: int) -> None:
        self.timer = timer


class Publish:
    """Wanted: that those who watch the run see this event."""

    __slots__ = ("event",)

    def __init__(self, event: Event) -> None:
        self.event = event


class Note:
    """Worth knowing for those who look inside a run. Made only while ``Execution.observed``."""

    __slots__ = ("event",)

    def __init__(self, event: Event) -> None:
        self.event = event


class Resolve:
    """Wanted: that the body that waits under this number gets this event."""

    __slots__ = ("event", "waiter")

    def __init__(self, waiter: int, event: Event) -> None:
        self.waiter = waiter
        self.event = event


class StartChild:
    """Wanted: another workflow's run, for the step run that paused under this number; its end comes as a tick.

    That is ``Resolved`` or ``Broken``. ``attempt`` counts the step run's attempts, from 1.
    """

    __slots__ = ("attempt", "child", "number")

    def __init__(self, number: int, child: Child[Any], attempt: int) -> None:
        self.number = number
        self.child = child
        self.attempt = attempt


class StopChild:
    """Wanted no more: the run that was started for this number."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class Look:
    """Wanted: a look at the inbox for the pause with this number."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class LeaveBy:
    """Wanted: what an exit of the run says."""

    __slots__ = ("way",)

    def __init__(self, way: RunExit) -> None:
        self.way = way


class BeginAnew:
    """Wanted: a tick ``Started`` with this event."""

    __slots__ = ("event",)

    def __init__(self, event: StartEvent) -> None:
        self.event = event


class Interrupt:
    """Wanted: that the task of a step run that is no more stops."""

    __slots__ = ("run",)

    def __init__(self, run: StepRun) -> None:
        self.run = run


class Waiter:
    """What a step's body waits for: an event of a class, with these values in its fields.

    Args:
        run: The step run.
        waiter_id: See ``Context.wait_for_event``.
        until: When it stops waiting, on the event loop's clock; ``None``: it does not.
    """

    __slots__ = ("attempt", "event_type", "requirements", "run", "step", "until", "waiter_id")

    def __init__(
        self,
        event_type: type[Event],
        requirements: Mapping[str, Any],
        run: StepRun,
        waiter_id: str | None,
        until: float | None,
    ) -> None:
        self.event_type = event_type
        self.requirements = requirements
        self.run = run
        self.attempt = run.attempt
        self.step = run.step
        self.waiter_id = waiter_id
        self.until = until

    @property
    def wanted(self) -> Wanted:
        """What it waits for, to be compared."""
        return self.event_type, self.waiter_id, self.requirements

    def takes(self, event: Event) -> bool:
        """Whether this event is it; one of a derived class, where the step accepts those."""
        kind = type(event)
        fits = kind is self.event_type or (self.step.subclasses and issubclass(kind, self.event_type))
        return fits and all(getattr(event, name, None) == value for name, value in self.requirements.items())


Want = (
    StartTimer
    | StopTimer
    | Publish
    | Note
    | Resolve
    | StartChild
    | StopChild
    | Look
    | LeaveBy
    | BeginAnew
    | Interrupt
)
