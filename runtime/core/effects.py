"""Wants: all that a run can ask for."""

from __future__ import annotations

from typing import Any

from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.events import Event, StartEvent
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


class NotifyObservers:
    """Worth knowing for those who look inside a run. Made only while ``Execution.observed``."""

    __slots__ = ("event",)

    def __init__(self, event: Event) -> None:
        self.event = event


class ResumeBody:
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


class CheckInbox:
    """Wanted: a look at the inbox for the pause with this number."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class TakeRunExit:
    """Wanted: what an exit of the run says."""

    __slots__ = ("way",)

    def __init__(self, way: RunExit) -> None:
        self.way = way


class StartAgain:
    """Wanted: a tick ``Started`` with this event."""

    __slots__ = ("event",)

    def __init__(self, event: StartEvent) -> None:
        self.event = event


class CancelTask:
    """Wanted: that the task of a step run that is no more stops."""

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
