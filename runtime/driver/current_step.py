"""The step run that the running code belongs to."""

from __future__ import annotations

from contextvars import ContextVar
from weakref import ref

from wfc.runtime.core.step_runs import StepRun

__all__ = ["CURRENT_STEP", "CurrentStep", "enter_run"]


class CurrentStep:
    """The step run that a worker is executing; updated in place, so the context variable stays the same."""

    __slots__ = ("_run", "step_run")

    def __init__(self, run: object) -> None:
        self._run = ref(run)  # a timer that a step has left behind must not keep the run alive
        self.step_run: StepRun | None = None

    @property
    def run(self) -> object | None:
        """The run; ``None`` if it no longer exists."""
        return self._run()


CURRENT_STEP: ContextVar[CurrentStep] = ContextVar("wfc_current_step")
"""Set in each worker; tasks and threads that a step starts see it too."""


def enter_run(run: object) -> CurrentStep:
    """Mark this task as a worker of a run."""
    current: CurrentStep = CurrentStep(run)
    CURRENT_STEP.set(current)
    return current
