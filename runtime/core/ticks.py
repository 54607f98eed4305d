"""Ticks: everything that can happen to a run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from wfc.runtime.core.body_ticks import ChildJoined, ChildStarted, Collected, Edited, WaitEnded, Waiting
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.halt_ticks import BreakpointsSet, Continued, Halted
from wfc.runtime.errors import StepError
from wfc.runtime.events import Event, StartEvent, StepFailedEvent
from wfc.runtime.plan.pauses import PauseValue
from wfc.runtime.plan.step import Step
from wfc.runtime.values.drafts import Saved

__all__ = [
    "Answered",
    "Arrived",
    "AttemptFailed",
    "Cancelled",
    "Completed",
    "Delegated",
    "Failed",
    "Given",
    "InboxEventDropped",
    "InboxEventTaken",
    "InboxEventsRefused",
    "ItemCompleted",
    "ItemFailed",
    "MatchValueComputed",
    "ModelUsed",
    "PauseFailed",
    "PauseResolved",
    "Paused",
    "Recovered",
    "Replaced",
    "Rewound",
    "RunExitTaken",
    "SearchMade",
    "Started",
    "StepsCancelled",
    "Tick",
    "TimerFired",
    "Upgraded",
]


class Started:
    """The start of the run. ``limits`` holds the ``max_runs`` of steps that compute it, by step index.

    ``bounds`` holds the other bounds that are worked out at the start: see ``Execution.bounds``. ``timeout`` is the
    number of seconds that the run may take; ``None``: any number.
    """

    __slots__ = ("bounds", "event", "limits", "timeout")

    def __init__(
        self,
        event: StartEvent,
        limits: Mapping[int, int],
        bounds: Mapping[tuple[str, int], float] | None = None,
        timeout: float | None = None,
    ) -> None:
        self.event = event
        self.limits = limits
        self.bounds = bounds
        self.timeout = timeout


class Recovered:
    """The continuation of a run whose process has ended, or that was read from a snapshot.

    What was at work is cut off, and begins again as a further attempt that costs no retry.

    Args:
        ready: The numbers of the step runs that had not begun, if that is known; for them nothing has changed.
        rest: The nanoseconds for which the run was put aside, so that its own clocks stood still. Pauses wait for
            people and other services, whose time goes on, unless it is negative: another clock counts from now on.
    """

    __slots__ = ("ready", "rest")

    def __init__(self, ready: tuple[int, ...] = (), rest: int = 0) -> None:
        self.ready = ready
        self.rest = rest


class Rewound:
    """The return of a run to how it was after an earlier tick, by a person; what has happened since counts no more.

    Args:
        to: The number of that tick.
        why: ``retry``, ``rewind`` or ``fork``.
        execution: How the run was then. It is a part of the run from now on.
        of: The id of the run whose tick that is, where it is another one; empty: the run's own.
    """

    __slots__ = ("execution", "of", "to", "why")

    def __init__(self, to: int, why: str, execution: Execution, of: str = "") -> None:
        self.to = to
        self.why = why
        self.execution = execution
        self.of = of


class Upgraded:
    """The move of a run to another version of its workflow, by a person; it is where it was, in the terms of that one.

    Args:
        rules: The ids of the rules by which something in it was converted.
        execution: How the run is. It is a part of the run from now on.
    """

    __slots__ = ("execution", "rules")

    def __init__(self, rules: tuple[str, ...], execution: Execution) -> None:
        self.rules = rules
        self.execution = execution


Given = tuple[Literal["give", "error"], Any]
"""What an action gave: its result as plain JSON data, or the name of the error with which it failed."""


class Completed:
    """The completion of a step run that emits this: an event, ``None``, a list, ``All`` or ``Fail``.

    ``saved`` is what its tail has changed in the state. ``gave`` is set where ticks are kept, for a test that
    is made of the run: see ``Given``.
    """

    __slots__ = ("__dict__", "emitted", "number", "saved")

    gave: Given | None = None

    def __init__(self, number: int, emitted: Any, saved: Saved = None) -> None:
        self.number = number
        self.emitted = emitted
        self.saved = saved


class AttemptFailed:
    """The failure of an attempt by an error; the next one starts after ``delay`` seconds.

    ``falls_back`` says that the next one asks the next of its models, whose retries count from then on.
    ``keeps_place`` says that no other takes its place among those at work meanwhile. That is so of items, but was not
    always: ticks of before do not say it, and are what they were.
    """

    __slots__ = ("delay", "error", "falls_back", "keeps_place", "number")

    def __init__(
        self,
        number: int,
        delay: float,
        error: Exception,
        *,
        falls_back: bool = False,
        keeps_place: bool = False,
    ) -> None:
        self.number = number
        self.delay = delay
        self.error = error
        self.falls_back = falls_back
        self.keeps_place = keeps_place


class Failed:
    """The final failure of a step run, and with it the run, unless the step has a handler for ``event``.

    ``saved`` is what its ``on_error`` has changed in the state before it left the error to others. ``result`` is what
    its action gave, where only its tail has failed: nobody has to act again to find it out.
    """

    __slots__ = ("error", "event", "number", "result", "saved")

    def __init__(
        self,
        number: int,
        error: Exception,
        event: StepFailedEvent | None = None,
        saved: Saved = None,
        result: Any = None,
    ) -> None:
        self.number = number
        self.error = error
        self.event = event
        self.saved = saved
        self.result = result


class Arrived:
    """An event sent by a step run (its number) or from outside, to one step or to all that accept it.

    ``message_id`` identifies an event from outside, so that it is taken only once. ``content`` is a digest of what a
    step run has sent, where ticks are kept: by it a body that is cut off and runs again sends nothing twice.
    """

    __slots__ = ("content", "event", "message_id", "sender", "step")

    def __init__(
        self,
        event: Event,
        step: Step | None = None,
        sender: int | None = None,
        message_id: str | None = None,
        content: str | None = None,
    ) -> None:
        self.event = event
        self.step = step
        self.sender = sender
        self.message_id = message_id
        self.content = content


class Replaced:
    """The replacement of the event of a step run that has not begun, by a person who has halted the run."""

    __slots__ = ("event", "number")

    def __init__(self, number: int, event: Event) -> None:
        self.number = number
        self.event = event


class Paused:
    """The beginning of a step run's pause at ``now``, bounded by ``within`` seconds."""

    __slots__ = ("now", "number", "value", "within")

    def __init__(self, number: int, value: PauseValue, now: datetime, within: float | None) -> None:
        self.number = number
        self.value = value
        self.now = now
        self.within = within


class Answered:
    """An answer to a question; ``answer`` has the type of its form, ``saved`` is what is changed in the state too."""

    __slots__ = ("answer", "by", "number", "saved")

    def __init__(self, number: int, answer: Any, by: str, saved: Saved = None) -> None:
        self.number = number
        self.answer = answer
        self.by = by
        self.saved = saved


class Delegated:
    """The passing on of a question: from now on those in ``assign`` are asked, of whom ``to`` is new.

    ``by`` is who has passed it on, and ``because`` is why; it may be empty.
    """

    __slots__ = ("assign", "because", "by", "number", "to")

    def __init__(self, number: int, assign: tuple[str, ...], to: str, by: str, because: str) -> None:
        self.number = number
        self.assign = assign
        self.to = to
        self.by = by
        self.because = because


class InboxEventDropped:
    """The removal of a kept event from the inbox by a person; ``event`` is its number."""

    __slots__ = ("by", "event")

    def __init__(self, event: int, by: str = "") -> None:
        self.event = event
        self.by = by


class InboxEventTaken:
    """The taking of an event from outside by a pause; ``event`` is its number in the inbox."""

    __slots__ = ("event", "number")

    def __init__(self, number: int, event: int) -> None:
        self.number = number
        self.event = event


class InboxEventsRefused:
    """The refusal of kept events by a pause, whose condition none of them meets; ``last`` is the number of the last."""

    __slots__ = ("last", "number")

    def __init__(self, number: int, last: int) -> None:
        self.number = number
        self.last = last


class PauseResolved:
    """The availability of what a step run paused for."""

    __slots__ = ("number", "result")

    def __init__(self, number: int, result: Any) -> None:
        self.number = number
        self.result = result


class PauseFailed:
    """The failure of what a step run paused for."""

    __slots__ = ("error", "number")

    def __init__(self, number: int, error: Exception) -> None:
        self.number = number
        self.error = error


class ItemCompleted:
    """The completion of an item's run, with the value that it returns and what it has changed in the state.

    ``gave`` is as in ``Completed``.
    """

    __slots__ = ("__dict__", "number", "saved", "value")

    gave: Given | None = None

    def __init__(self, number: int, value: Any, saved: Saved = None) -> None:
        self.number = number
        self.value = value
        self.saved = saved


class ItemFailed:
    """The final failure of an item's run."""

    __slots__ = ("error", "number")

    def __init__(self, number: int, error: StepError) -> None:
        self.number = number
        self.error = error


class MatchValueComputed:
    """The value that matches an event to others at a join, as JSON text."""

    __slots__ = ("number", "value")

    def __init__(self, number: int, value: str) -> None:
        self.number = number
        self.value = value


class StepsCancelled:
    """A cancellation from outside: of a step's runs, or the one with a number, and what follows from them."""

    __slots__ = ("number", "step")

    def __init__(self, step: Step | None, number: int | None) -> None:
        self.step = step
        self.number = number


class TimerFired:
    """The expiry of a timer that the execution requested."""

    __slots__ = ("timer",)

    def __init__(self, timer: int) -> None:
        self.timer = timer


class RunExitTaken:
    """The result of an exit of the run: an end event, another one, ``Fail``, ``Restart`` or ``UNHANDLED``.

    ``saved`` is what it has changed in the state.
    """

    __slots__ = ("emitted", "saved")

    def __init__(self, emitted: Any, saved: Saved = None) -> None:
        self.emitted = emitted
        self.saved = saved


class ModelUsed:
    """A call of a model: its number of tokens, in and out, and its cost in US dollars.

    Args:
        number: The step run that made the call, or whose part has made it; 0: it was not recorded.
    """

    __slots__ = ("cost_usd", "number", "tokens")

    def __init__(self, tokens: int, cost_usd: float, number: int = 0) -> None:
        self.tokens = tokens
        self.cost_usd = cost_usd
        self.number = number


class SearchMade:
    """A search of collections. Nothing in a run goes on by it: it is for those who look at the run later.

    Args:
        number: The step run that has searched.
        told: What was searched for and where, and what became of the passages that were considered, as plain data.
    """

    __slots__ = ("number", "told")

    def __init__(self, number: int, told: Mapping[str, Any]) -> None:
        self.number = number
        self.told = told


class Cancelled:
    """The end of the run from outside, by cancellation or time-out."""

    __slots__ = ("error",)

    def __init__(self, error: Exception) -> None:
        self.error = error


Tick = (
    Started
    | Recovered
    | Rewound
    | Upgraded
    | BreakpointsSet
    | Halted
    | Continued
    | Completed
    | AttemptFailed
    | Failed
    | Arrived
    | Edited
    | Replaced
    | ChildJoined
    | ChildStarted
    | Collected
    | Waiting
    | WaitEnded
    | Paused
    | Answered
    | Delegated
    | InboxEventDropped
    | InboxEventTaken
    | InboxEventsRefused
    | PauseResolved
    | PauseFailed
    | ItemCompleted
    | ItemFailed
    | RunExitTaken
    | ModelUsed
    | SearchMade
    | MatchValueComputed
    | StepsCancelled
    | TimerFired
    | Cancelled
)
