"""Data that a step run can read about itself: start time, key, attempts and unmet requirements."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeVar

from wfc.runtime.authoring.injection import CallingRun
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.moments import SECOND, as_datetime
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.errors import ExpressionError, WorkflowError
from wfc.runtime.plan.pauses import PartResult, Question
from wfc.runtime.plan.retries import RetryInfo
from wfc.runtime.plan.signature import Call

E = TypeVar("E", bound=BaseException)

__all__ = [
    "call_safely",
    "expression_error",
    "idempotency_key",
    "next_message_id",
    "retry_info",
    "started_at",
    "unmet_requirements",
    "with_cause",
]


def started_at(step_run: StepRun, execution: Execution) -> datetime:
    """Return when a step run got its worker for the first time; for what needs none, the last tick's time."""
    return as_datetime(getattr(step_run, "started", execution.at))


def idempotency_key(step_run: StepRun, run_id: str) -> str:
    """Return the key by which a service recognises repeated requests of this step run."""
    try:
        return step_run.key
    except AttributeError:
        return f"{run_id}/{step_run.step.name}/{step_run.number}"


def next_message_id(step_run: StepRun, run_id: str) -> str:
    """Return the id of the next message that a step run sends: the same one in every attempt."""
    attempt, count = getattr(step_run, "messages", (0, 0))
    count = count + 1 if attempt == step_run.attempt else 1
    step_run.messages = step_run.attempt, count
    key = idempotency_key(step_run, run_id)
    return key if count == 1 else f"{key}#{count}"


def retry_info(step_run: StepRun, now: int) -> RetryInfo:
    """Return data about the attempts so far.

    Args:
        now: The moment of the call.
    """
    if step_run.attempt == 1:
        return RetryInfo(0, 0.0, None, None)
    passed = (now - step_run.began) / SECOND
    return RetryInfo(step_run.attempt - 1, passed, step_run.raised, as_datetime(step_run.failed_at))


def unmet_requirements(run: CallingRun, step_run: StepRun, result: object) -> list[str]:
    """Return the messages of the step's requirements that a result does not meet, one for each.

    If several people have answered, each answer is checked separately.

    Raises:
        ExpressionError: A requirement cannot be evaluated, which repeating the action would not change.
    """
    require = step_run.step.require
    try:
        if require is None:
            return []
        if isinstance(result, PartResult):
            result = result.answer
        if Question in step_run.step.pauses and isinstance(result, list):
            return [said for answer in result for said in require(run, step_run, answer)]
        return list(require(run, step_run, result))
    except WorkflowError:
        raise
    except Exception as error:
        raise expression_error(error) from error


def expression_error(error: Exception) -> ExpressionError:
    """Return the error for an exception raised by an expression of a spec."""
    return ExpressionError(f"{type(error).__name__}: {error}")


def with_cause(error: E, cause: BaseException) -> E:
    """Return an error with what caused it."""
    error.__cause__ = cause
    return error


def call_safely(action: Call, run: CallingRun, step_run: StepRun) -> tuple[Any, Exception | None]:
    """Call a plain function; return its result and its exception, as a future cannot hold every exception."""
    try:
        return action(run, step_run, None), None
    except Exception as error:
        return None, error
