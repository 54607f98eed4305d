"""Which step run the code is in that is running now."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING
from weakref import ref

if TYPE_CHECKING:
    from wfc.runtime.core.step_runs import StepRun
    from wfc.runtime.driver.run import Run

__all__ = ["CURRENT", "Current", "enter"]


class Current:
    """What a worker of a run is at. It changes with each step run, so that the variable itself need not."""

    __slots__ = ("_run", "step_run")

    def __init__(self, run: Run) -> None:
        self._run = ref(run)  # a timer that a step has left behind shall not keep the run
        self.step_run: StepRun | None = None

    @property
    def run(self) -> Run | None:
        """The run, unless it is gone."""
        return self._run()


CURRENT: ContextVar[Current] = ContextVar("wfc_current")
"""Set in each worker; tasks and threads that a step starts see it too."""


def enter(run: Run) -> Current:
    """Makes this task a worker of a run."""
    current = Current(run)
    CURRENT.set(current)
    return current
