"""What a step run may know of itself."""

from __future__ import annotations

import copy
from datetime import datetime
from typing import TYPE_CHECKING

from wfc.runtime.errors import ExpressionError, WorkflowError
from wfc.runtime.plan.inputs import RunInfo
from wfc.runtime.plan.pauses import Question
from wfc.runtime.plan.retries import RetryInfo

if TYPE_CHECKING:
    from wfc.runtime.core.step_runs import StepRun
    from wfc.runtime.driver.run import Run
    from wfc.runtime.workflow import Workflow

__all__ = ["key_of", "next_message", "no_value", "part_for", "retry_info", "run_info", "started_at", "unmet"]


def started_at(run: Run, step_run: StepRun) -> datetime:
    """When its first attempt began."""
    try:
        return step_run.started
    except AttributeError:
        step_run.started = run.clock()
        return step_run.started


def run_info(run: Run, step_run: StepRun) -> RunInfo:
    """What ``run`` means in a step."""
    return RunInfo(run.run_id, step_run.attempt, started_at(run, step_run))


def part_for(run: Run, step_run: StepRun, name: str) -> Workflow | None:
    """Return the workflow for a step's parameter: what the step starts with it is a part of the step's run."""
    workflow = run.workflow.part(name)
    if workflow is None:
        return None  # the parameter's default
    bound = copy.copy(workflow)
    bound._caller = run, step_run
    return bound


def key_of(run: Run, step_run: StepRun) -> str:
    """The key by which a service knows that a request of this step run is the same one."""
    try:
        return step_run.key
    except AttributeError:
        return f"{run.run_id}/{step_run.step.name}/{step_run.number}"


def next_message(run: Run, step_run: StepRun) -> str:
    """The id of the next message that a step run sends: the same one in every attempt."""
    attempt, count = getattr(step_run, "messages", (0, 0))
    count = count + 1 if attempt == step_run.attempt else 1
    step_run.messages = step_run.attempt, count
    key = key_of(run, step_run)
    return key if count == 1 else f"{key}#{count}"


def unmet(run: Run, step_run: StepRun, result: object) -> list[str]:
    """What the step's requirements say of a result: a sentence for each that does not hold.

    Of what several people have answered they look at each answer by itself.

    Raises:
        ExpressionError: A requirement has no value; doing the action again would not mend that.
    """
    require = step_run.step.require
    try:
        if require is None:
            return []
        if Question in step_run.step.pauses and isinstance(result, list):
            return [said for answer in result for said in require(run, step_run, answer)]
        return list(require(run, step_run, result))
    except WorkflowError:
        raise
    except Exception as error:
        raise no_value(error) from error


def no_value(error: Exception) -> ExpressionError:
    """What an exception means where a spec has an expression."""
    return ExpressionError(f"{type(error).__name__}: {error}")


def retry_info(run: Run, step_run: StepRun) -> RetryInfo:
    """How its attempts went so far."""
    if step_run.attempt == 1:
        return RetryInfo(0, 0.0, None, None)
    elapsed = run.loop.time() - step_run.began
    return RetryInfo(step_run.attempt - 1, elapsed, step_run.raised, step_run.failed_at)
