"""The exits of a whole run, taken when a step has failed, time is up or the run was cancelled."""

from __future__ import annotations

from typing import Any

from wfc.runtime.core.advance.declarations import describe_value
from wfc.runtime.core.advance.observing import note_emitted
from wfc.runtime.core.advance.releasing import drop_all
from wfc.runtime.core.advance.restarting import Restarting
from wfc.runtime.core.effects import TakeRunExit
from wfc.runtime.core.execution import Execution
from wfc.runtime.errors import (
    LimitError,
    RunFailedError,
    StepFailedError,
    UndeclaredResultError,
    WorkflowCancelledByUser,
    WorkflowTimeoutError,
)
from wfc.runtime.errors.raised import is_final
from wfc.runtime.events import Event, StopEvent
from wfc.runtime.plan.outcomes import UNHANDLED, Fail, Restart
from wfc.runtime.plan.run_rules import RunExit

__all__ = ["exit_for", "exit_taken", "fail"]


def fail(execution: Execution, error: Exception) -> None:
    """Fail a run with an error, unless it has an exit for that, which is taken only once.

    On the way of an exit that leads on, an error of a step fails the run.
    """
    way = exit_for(error)
    taken = way in execution.left_by or (way == "run_error" and bool(execution.left_by))
    if way is None or way not in execution.plan.exits or taken or execution.failing is not None:
        execution.outcome = error
    else:
        execution.failing = error
        execution.want(TakeRunExit(way))


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


def exit_taken(execution: Execution, emitted: Any) -> Event | None:
    """Handle what an exit of the run emits; return the event by which the run goes on, if it does.

    Raises:
        Restarting: The run restarts.
        UndeclaredResultError: It neither ends the run nor leads to a step.
    """
    failing = execution.failing
    assert failing is not None
    if isinstance(emitted, StopEvent):
        note_emitted(execution, emitted, None)
        execution.outcome = emitted
    elif isinstance(emitted, Restart):
        raise Restarting(emitted.event)
    elif isinstance(emitted, Fail):
        execution.outcome = RunFailedError(emitted.text)
    elif emitted is UNHANDLED:
        execution.outcome = failing
    elif isinstance(emitted, execution.plan.events_of_exits) and execution.plan.acceptors(type(emitted)):
        _go_on(execution, emitted, failing)
        return emitted
    else:
        said = f"an exit of the run gave {describe_value(emitted)}, which neither ends the run nor leads to a step"
        raise UndeclaredResultError(said)
    return None


def _go_on(execution: Execution, event: Event, failing: Exception) -> None:
    """Prepare a run for going on by an event of an exit: all work is dropped, inputs and state stay.

    The limits of the run begin anew with the first exit that leads on.
    """
    way = exit_for(failing)
    assert way is not None  # else there was no exit to take
    if not execution.left_by:
        execution.begin_counts()
    execution.left_by += (way,)
    execution.failing = None
    drop_all(execution)
    execution.begin_way(type(event))
