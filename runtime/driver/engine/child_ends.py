"""The ends of child runs, as results or errors of the step runs that have paused for them."""

from __future__ import annotations

from typing import Any

from wfc.runtime.core.ticks import PauseFailed, PauseResolved
from wfc.runtime.driver.messages import read_as
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.needs import RunWorkflow
from wfc.runtime.driver.run.spending import OWN_LIMITS
from wfc.runtime.errors import (
    ExpressionError,
    InvalidMessageError,
    LimitError,
    StepError,
    StepFailedError,
    WorkflowCancelledByUser,
    WorkflowError,
    WorkflowTimeoutError,
)
from wfc.runtime.errors.raised import is_final
from wfc.runtime.events import Event, StopEvent, event_name
from wfc.runtime.plan.pauses import Child, PartEnd

__all__ = ["resolve"]


def resolve(
    run: Run, number: int, child: Child[Any], workflow: RunWorkflow[Run], outcome: StopEvent | BaseException
) -> None:
    """Resolve a pause with how the child run that it waits for has ended.

    Args:
        workflow: The workflow of the child run.
    """
    try:
        if not isinstance(outcome, StopEvent):
            raise (_failure_of_part if workflow._wfc.is_part else _failure)(workflow, outcome)
        kind: Any = run.execution.paused[number].run.step.result
        found: Any
        if isinstance(outcome, PartEnd):
            found = outcome.as_result(kind)
        elif isinstance(kind, type) and issubclass(kind, PartEnd):
            found = kind.from_end(outcome, is_only=len(workflow._wfc.plan.end_classes) == 1)
        else:
            found = _end_as_declared(workflow, outcome, child)
        run.take(PauseResolved(number, found))
    except WorkflowError as failure:
        run.take(PauseFailed(number, failure))


def _end_as_declared(workflow: RunWorkflow[Run], end: StopEvent, child: Child[Any]) -> Event:
    """Return the end event as an instance of the parent's class for it.

    Raises:
        StepError: The parent has no such class, or the event does not fit it.
    """
    name = workflow._wfc.name
    if not child.ends:
        return end
    for kind in child.ends:
        if type(end) is kind:
            return end
        if event_name(kind) == event_name(end):
            try:
                found: Event = read_as(kind, end.model_dump(by_alias=True), event_name(end))
            except InvalidMessageError as error:
                raise StepError("workflow.failed", f"the workflow `{name}` ended, but {error}") from None
            return found
    raise StepError(
        "workflow.failed", f"the workflow `{name}` ended with {event_name(end)}, which nobody has declared"
    )


def _failure(workflow: RunWorkflow[Run], error: BaseException) -> StepError:
    cause = error.__cause__
    if isinstance(cause, LimitError) and cause.name.startswith(OWN_LIMITS):
        return StepError(cause.name, str(cause))  # of an agent above, which pays for it
    kind = "failed"
    if isinstance(error, WorkflowTimeoutError):
        kind = "timeout"
    elif isinstance(error, WorkflowCancelledByUser):
        kind = "cancelled"
    name = workflow._wfc.name
    said = {"failed": "failed", "timeout": "took too long", "cancelled": "was cancelled"}[kind]
    failure = StepError(f"workflow.{kind}", f"the workflow `{name}` {said}: {error}")
    failure.__cause__ = error
    return failure


def _failure_of_part(workflow: RunWorkflow[Run], error: BaseException) -> WorkflowError:
    """Return the error of a step whose action was a run: what has failed in there, as if the step had done it."""
    cause = error.__cause__
    if isinstance(cause, LimitError) and cause.name.startswith(OWN_LIMITS):
        return _failure(workflow, error)
    if isinstance(cause, WorkflowError) and is_final(cause):
        return cause
    if isinstance(error, StepFailedError) and error.name != "expression":
        return error.error
    if isinstance(error, WorkflowError) and is_final(error):
        return error
    if isinstance(error, StepFailedError):
        return ExpressionError(str(error))
    return _failure(workflow, error)
