"""The rows that follow from a run's ticks: its tasks, and its end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wfc.runtime.core.execution import Execution
from wfc.runtime.core.moments import as_moment
from wfc.runtime.errors import (
    LimitError,
    RunLostError,
    SnapshotError,
    StepFailedError,
    StuckError,
    WorkflowCancelledByUser,
    WorkflowTimeoutError,
)
from wfc.runtime.events import Event, StopEvent
from wfc.runtime.plan.pauses import QuestionAsked, QuestionClosed, QuestionDelegated, QuestionReminded
from wfc.runtime.store.journal import (
    Ended,
    Row,
    RunStatus,
    TaskClosed,
    TaskDelegated,
    TaskOpened,
    TaskReminded,
)
from wfc.runtime.store.values import Values

__all__ = ["ended", "tasks_in"]


def tasks_in(event: Event, at: int, answered_by: str) -> Iterator[Row]:
    """Yield the row for an event that opens a question, passes it on, reminds of it or closes it.

    Args:
        at: The moment of the tick that has published it.
        answered_by: Who has answered.
    """
    if isinstance(event, QuestionAsked):
        body = event.model_dump_json(exclude={"id", "step"})
        expires = None if event.expires_at is None else as_moment(event.expires_at)
        yield TaskOpened(
            event.id, event.step, event.title, event.assign, body, as_moment(event.asked_at), expires
        )
    elif isinstance(event, QuestionDelegated):
        yield TaskDelegated(event.id, event.assign, event.to, event.by, event.because, at)
    elif isinstance(event, QuestionReminded):
        yield TaskReminded(event.id, at)
    elif isinstance(event, QuestionClosed):
        yield TaskClosed(event.id, event.because, at, answered_by)


def ended(execution: Execution, outcome: StopEvent | Exception, values: Values) -> Ended:
    """Return the row for the end of a run."""
    status: RunStatus = "failed"
    if isinstance(outcome, StopEvent):
        status = "done"
    elif isinstance(outcome, WorkflowCancelledByUser):
        status = "cancelled"
    try:
        body = values.text(outcome)
    except (SnapshotError, ValueError):  # an error that quotes what has no form in JSON
        told = str(outcome).encode("ascii", "backslashreplace").decode()
        body = values.text(RunLostError(told))
    if status != "failed":
        return Ended(status, execution.at, body)
    assert isinstance(outcome, Exception)
    error = str(outcome).encode("utf-8", "backslashreplace").decode()
    step = outcome.step if isinstance(outcome, StepFailedError) else ""
    return Ended(status, execution.at, body, _trouble(outcome), error, step)


def _trouble(error: Exception) -> str:
    """Return what people are told a failed run has come to."""
    if isinstance(error, StuckError):
        return "stuck"
    if isinstance(error, WorkflowTimeoutError):
        return "late"
    return "over_budget" if isinstance(error, LimitError) and error.name in _BUDGETS else "failed"


_BUDGETS: Final = ("limit.steps", "limit.tokens", "limit.cost")
