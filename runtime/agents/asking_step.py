"""The step that an agent is the action of, in the run above."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wfc.runtime.agents.definition import Agent, AgentTool, Approval
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.driver.context import Context
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.step_runs import expression_error, unmet_requirements
from wfc.runtime.errors import WorkflowError

__all__ = ["approval_of", "unmet_by"]


def unmet_by(ctx: Context[Any]) -> Callable[[Any], Sequence[str]]:
    """Return what tells the requirements of that step that an answer does not meet; none, if there is no such step."""
    found = _asking(ctx)
    if found is None:
        return lambda _: ()
    run, step_run = found
    return lambda answer: unmet_requirements(run, step_run, answer)


def approval_of(
    ctx: Context[Any], agent: Agent, given: object, config: object, tool: AgentTool, args: object
) -> Approval | None:
    """Return how a person allows a call of a tool: as the tool says, or the step; ``None``: nobody has to.

    Args:
        given: The agent's own arguments.
        args: Those of the call.

    Raises:
        ExpressionError: That cannot be worked out.
    """
    found = _asking(ctx)
    told_by_step = None if found is None else found[1].step.approvals.get(tool.name)
    try:
        if tool.approve is not None:
            return tool.approve(given, config, args)
        if found is None or told_by_step is None or agent is not _first(ctx):
            return None
        approval: Approval | None = told_by_step(*found, args)
    except WorkflowError:
        raise
    except Exception as error:
        raise expression_error(error) from error
    return approval


def _first(ctx: Context[Any]) -> object:
    """Return the agent that the step itself has called."""
    assert ctx._run is not None
    return getattr(ctx._run.workflow, "agent", None)


def _asking(ctx: Context[Any]) -> tuple[Run, StepRun] | None:
    """Return the run above, and its step run that waits for the agent; ``None`` for one that runs by itself."""
    run = ctx._run
    assert isinstance(run, Run)
    above, parent = run.above, run.parent
    if above is None or parent is None or parent.number not in above.execution.paused:
        return None
    return above, above.execution.paused[parent.number].run
