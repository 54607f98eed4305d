"""The end of tests that would never end: runs that go on for ever while no time passes."""

from __future__ import annotations

from typing import Final

from wfc.runtime.core.ticks import Cancelled
from wfc.runtime.driver.engine import Engine
from wfc.runtime.driver.run import Run
from wfc.runtime.errors import WorkflowRuntimeError
from wfc.runtime.events import Event, StartEvent
from wfc.runtime.events.internal import ChildNote, EventEmitted, StepStateChanged

__all__ = ["EndlessRunError", "TestEngine"]

MOST_AT_ONE_MOMENT: Final = 10_000
"""How often a run may begin, and take events from outside, while the virtual clock stands still."""


class EndlessRunError(WorkflowRuntimeError):
    """A run goes on for ever, and no time passes."""


class TestEngine(Engine):
    """An engine that fails runs which go on for ever without any time passing.

    Loops within a run are bounded, or do not compile. What nothing bounds is how often a run begins anew, and how
    many events runs send to themselves or to each other.
    """

    __test__ = False  # not one of pytest's

    def admit(self, run: Run) -> Run:
        """Admit a run, and watch it."""
        if run.above is None:  # one that is a part of another run tells it of what happens
            run.watchers.observe(_Watch(run).note)
        return super().admit(run)


class _Watch:
    """A count of what a run, and those that are part of it, have begun with or taken at one moment."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._moment = run.loop.time()
        self._count = 0
        self._last_step = ""

    def note(self, event: Event) -> None:
        """Take an internal event into account; fail the run when there were too many at one moment."""
        if isinstance(event, ChildNote):
            event = event.event
        if isinstance(event, StepStateChanged):
            self._last_step = event.name
        elif isinstance(event, EventEmitted) and event.step_name is None:
            now = self._run.loop.time()
            self._count = self._count + 1 if now == self._moment else 1
            self._moment = now
            if self._count == MOST_AT_ONE_MOMENT:
                error = EndlessRunError(_said(event.event, self._last_step))
                self._run.loop.call_soon(self._run.take, Cancelled(error))


def _said(event: Event, step: str) -> str:
    what = "begun anew" if isinstance(event, StartEvent) else "taken events from outside"
    last = f", the last time after step `{step}` ran" if step else ""
    return f"the run never ends: it has {what} {MOST_AT_ONE_MOMENT:,} times while no time passed{last}"
