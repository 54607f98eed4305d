"""Effects: everything that a run can request from its driver."""

from __future__ import annotations

from typing import Any

from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.events import Event
from wfc.runtime.plan.pauses import Child
from wfc.runtime.plan.run_rules import RunExit

__all__ = [
    "CancelTask",
    "CheckInbox",
    "Effect",
    "NotifyObservers",
    "Publish",
    "ResumeBody",
    "StartAgain",
    "StartChild",
    "StartTimer",
    "StopChild",
    "StopTimer",
    "TakeRunExit",
]


class StartTimer:
    """A request for a tick ``TimerFired(timer)`` at a moment."""

    __slots__ = ("due", "timer")

    def __init__(self, timer: int, due: int) -> None:
        self.timer = timer
        self.due = due


class StopTimer:
    """A request to stop this timer."""

    __slots__ = ("timer",)

    def __init__(self, timer: int) -> None:
        self.timer = timer


class Publish:
    """A request to show this event to those who watch the run."""

    __slots__ = ("event",)

    def __init__(self, event: Event) -> None:
        self.event = event


class NotifyObservers:
    """A request to show an event to observers of a run's internals. Made only if ``Execution.observed``.

    Where these are told in brief, it is a ``StepNote``, which nobody is shown.
    """

    __slots__ = ("event",)

    def __init__(self, event: Any) -> None:
        self.event = event


class ResumeBody:
    """A request to give this event to the body that waits under this number; ``None``: its time is up."""

    __slots__ = ("event", "waiter")

    def __init__(self, waiter: int, event: Event | None) -> None:
        self.waiter = waiter
        self.event = event


class StartChild:
    """A request to run another workflow for the step run that paused under this number.

    Its end comes as a tick ``PauseResolved`` or ``PauseFailed``. ``attempt`` counts the step run's attempts,
    from 1.
    """

    __slots__ = ("attempt", "child", "number")

    def __init__(self, number: int, child: Child[Any], attempt: int) -> None:
        self.number = number
        self.child = child
        self.attempt = attempt


class StopChild:
    """A request to stop the run that was started for this number."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class CheckInbox:
    """A request to check the inbox for the pause with this number."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class TakeRunExit:
    """A request to take an exit of the run."""

    __slots__ = ("way",)

    def __init__(self, way: RunExit) -> None:
        self.way = way


class StartAgain:
    """A request for a tick ``Started`` with the event that the execution is to begin with."""

    __slots__ = ()


class CancelTask:
    """A request to cancel the task of a step run that no longer exists."""

    __slots__ = ("run",)

    def __init__(self, run: StepRun) -> None:
        self.run = run


Effect = (
    StartTimer
    | StopTimer
    | Publish
    | NotifyObservers
    | ResumeBody
    | StartChild
    | StopChild
    | CheckInbox
    | TakeRunExit
    | StartAgain
    | CancelTask
)
