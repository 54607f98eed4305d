"""The step run that the running code belongs to."""

from __future__ import annotations

from contextvars import ContextVar

from wfc.runtime.core.step_runs import StepRun

__all__ = ["CURRENT_STEP", "CurrentStep", "enter_run"]


class CurrentStep:
    """The step run that a worker is executing; updated in place, so the context variable stays the same."""

    __slots__ = ("run", "step_run")

    run: object | None
    step_run: StepRun | None

    def leave(self) -> None:
        """Forget the run, which timers that steps have left behind must not keep alive."""
        self.run = self.step_run = None


CURRENT_STEP: ContextVar[CurrentStep] = ContextVar("wfc_current_step")
"""Set in each worker; tasks and threads that a step starts see it too."""


def enter_run(run: object) -> CurrentStep:
    """Mark this task as a worker of a run."""
    current = CurrentStep()
    current.run, current.step_run = run, None
    CURRENT_STEP.set(current)
    return current
