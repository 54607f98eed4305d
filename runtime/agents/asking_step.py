"""The step that an agent is the action of, in the run above."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from wfc.runtime.agents.definition import Agent, AgentTool, Approval
from wfc.runtime.agents.events import DoneCall, SavedCall
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.core.body_ticks import Edited
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.driver.context import Context
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.step_runs import expression_error, unmet_requirements
from wfc.runtime.errors import WorkflowError, WorkflowValidationError
from wfc.runtime.values.drafts import changes_in, draft_of
from wfc.runtime.values.outputs import from_json, plain_type

__all__ = ["approval_of", "check_told_of_tools", "is_offered", "save_calls", "system_of", "unmet_by"]

T = TypeVar("T")


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
    if (own := tool.approve) is not None:
        return _worked_out(lambda: own(given, config, args))
    found = _asking_for(ctx, agent)
    told_by_step = None if found is None else found[1].step.approvals.get(tool.name)
    if found is None or told_by_step is None:
        return None
    approval: Approval | None = _worked_out(lambda: told_by_step(*found, args))
    return approval


def is_offered(ctx: Context[Any], agent: Agent, given: object, config: object, tool: AgentTool) -> bool:
    """Return whether a tool may be offered now: as the tool says, or the step.

    Args:
        given: The agent's own arguments.

    Raises:
        ExpressionError: That cannot be worked out.
    """
    if (own := tool.when) is not None:
        return _worked_out(lambda: own(given, config))
    found = _asking_for(ctx, agent)
    told_by_step = None if found is None else found[1].step.offers.get(tool.name)
    if found is None or told_by_step is None:
        return True
    return bool(_worked_out(lambda: told_by_step(*found, None)))


def system_of(ctx: Context[Any], agent: Agent, system: str | None) -> str | None:
    """Return what a model is told before anything else: what the step says now, or what it has said at the start.

    Raises:
        ExpressionError: That cannot be worked out.
    """
    found = _asking_for(ctx, agent)
    told_by_step = None if found is None else found[1].step.agent_system
    if found is None or told_by_step is None:
        return system
    return str(_worked_out(lambda: told_by_step(*found, None)))


def check_told_of_tools(ctx: Context[Any], agent: Agent) -> None:
    """Check that what the step says of an agent's tools comes to something: they are there, and tell what it saves.

    Raises:
        WorkflowValidationError: It would come to nothing, silently.
    """
    found = _asking_for(ctx, agent)
    if found is None:
        return
    run, step = found[0], found[1].step
    for tool in agent.all_tools:
        if tool.name in step.call_saves and not tool.saves:
            raise WorkflowValidationError(
                f"the step `{step.name}` saves something after calls of `{tool.name}`, so the tool needs "
                f"`saves=True`: `AgentTool(…, saves=True)`, or for a function `AgentTool.of(…, saves=True)`"
            )
    parts = definition_of(type(run.workflow)).parts
    if not any(getattr(part, "agent", None) is agent for part in parts):
        return  # nor need others be among them that the step calls
    there = {tool.name for part in parts if hasattr(part, "agent") for tool in part.agent.all_tools}
    for name in (*step.call_saves, *step.approvals, *step.offers):
        if name not in there:
            known = ", ".join(f"`{tool.name}`" for tool in agent.all_tools) or "none"
            raise WorkflowValidationError(
                f"the step `{step.name}` says something of the tool `{name}`, and the agent `{agent.name}` has no such "
                f"tool; there are {known}"
            )


def save_calls(ctx: Context[Any], agent: Agent, calls: Sequence[SavedCall]) -> None:
    """Let the step save what it saves of calls, each once, however often this is asked for.

    Args:
        calls: All such calls so far, in the order in which they were done.

    Raises:
        ExpressionError: What is to be saved cannot be worked out.
    """
    found = _asking_for(ctx, agent)
    if found is None:
        return  # the step has been left
    run, step_run = found
    tools = {each.name: each for each in agent.all_tools}
    for ordinal, each in enumerate(calls, 1):
        saving, tool = step_run.step.call_saves.get(each.tool), tools.get(each.tool)
        if saving is None or tool is None:
            continue  # the step says nothing of it, or it is a tool of another agent of the team
        if ordinal <= getattr(step_run, "edits", 0):
            continue  # it was saved before the process was ended
        state = run.execution.state
        args = from_json(tool.args, each.args, outside=True)
        done = DoneCall(args, from_json(plain_type(tool.output), each.value, outside=True))
        step_run.draft = draft = draft_of(state)
        _worked_out(partial(saving, run, step_run, done))
        run.take(Edited(step_run.number, ordinal, changes_in(draft, state)))


def _worked_out(expression: Callable[[], T]) -> T:
    """Return the value of what a spec says.

    Raises:
        ExpressionError: It has none.
    """
    try:
        return expression()
    except WorkflowError:
        raise
    except Exception as error:
        raise expression_error(error) from error


def _asking_for(ctx: Context[Any], agent: Agent) -> tuple[Run, StepRun] | None:
    """Return the run above and its step run, if that has called this agent itself."""
    assert ctx._run is not None
    return _asking(ctx) if agent is getattr(ctx._run.workflow, "agent", None) else None


def _asking(ctx: Context[Any]) -> tuple[Run, StepRun] | None:
    """Return the run above, and its step run that waits for the agent; ``None`` for one that runs by itself."""
    run = ctx._run
    assert isinstance(run, Run)
    above, parent = run.above, run.parent
    if above is None or parent is None or parent.number not in above.execution.paused:
        return None
    return above, above.execution.paused[parent.number].run
