"""What an execution wants, done to the world: timers, other runs, and whoever watches or waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wfc.runtime.core.effects import (
    CancelTask,
    CheckInbox,
    Effect,
    NotifyObservers,
    Publish,
    ResumeBody,
    StartAgain,
    StartChild,
    StartTimer,
    StopChild,
    StopTimer,
    TakeRunExit,
)
from wfc.runtime.driver.engine.children import start_child, stop_child, stop_children_of
from wfc.runtime.driver.run.leaving import left_by
from wfc.runtime.driver.run.questions import look
from wfc.runtime.driver.run.timers import Timers

if TYPE_CHECKING:
    from wfc.runtime.driver.run import Run

__all__ = ["do"]


def do(run: Run, want: Effect) -> None:
    """Does what a run's execution wants."""
    if isinstance(want, NotifyObservers):
        run.watchers.note(want.event)
    elif isinstance(want, Publish):
        run.watchers.publish(want.event)
    elif isinstance(want, StartTimer):
        if run.timers is None:
            run.timers = Timers(run)
        run.timers.start(want.timer, want.seconds)
    elif isinstance(want, StopTimer):
        if run.timers is not None:
            run.timers.stop(want.timer)
    elif isinstance(want, ResumeBody):
        run.waits.resolve(want.waiter, want.event)
    elif isinstance(want, CancelTask):
        if run.children:
            stop_children_of(run, want.run)
        if want.run.task is not None:
            want.run.task.cancel()
    elif isinstance(want, CheckInbox):
        if tick := look(run, want.number):
            run.apply(tick)
    elif isinstance(want, TakeRunExit):
        run.apply(left_by(run, want.way))
    elif isinstance(want, StartAgain):
        run.begin_anew(want.event)
    elif isinstance(want, StartChild):
        start_child(run, want)
    elif isinstance(want, StopChild):
        stop_child(run, want.number)
