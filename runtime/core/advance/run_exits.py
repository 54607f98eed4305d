"""The exits of a whole run, taken when a step has failed, time is up or the run was cancelled."""

from __future__ import annotations

from wfc.runtime.core.effects import TakeRunExit
from wfc.runtime.core.execution import Execution
from wfc.runtime.errors import (
    LimitError,
    StepFailedError,
    WorkflowCancelledByUser,
    WorkflowTimeoutError,
    is_final,
)
from wfc.runtime.plan.run_rules import RunExit

__all__ = ["exit_for", "fail"]


def fail(execution: Execution, error: Exception) -> None:
    """Fail a run with an error, unless it has an exit for that, which is taken only once."""
    way = exit_for(error)
    if way is None or way not in execution.plan.exits or execution.failing is not None:
        execution.outcome = error
    else:
        execution.failing = error
        execution.effects.append(TakeRunExit(way))


def exit_for(error: Exception) -> RunExit | None:
    """The exit that a run may have for an error."""
    if isinstance(error, WorkflowTimeoutError):
        return "run_deadline"
    if isinstance(error, WorkflowCancelledByUser):
        return "run_cancel"
    if isinstance(error, LimitError):
        return "run_error"
    if isinstance(error, StepFailedError) and error.name != "expression":
        cause = error.__cause__
        if cause is None or isinstance(cause, LimitError) or not is_final(cause):
            return "run_error"
    return None
