"""Where the frames of each join are opened: the fork whose events it pairs, or the batch that it collects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.model import Join, Step, flow
from wfc.compiler.rules import steps as problems
from wfc.compiler.slotted import replace

__all__ = ["with_forks"]


def with_forks(
    steps: Sequence[Step], start: str, report: Report, *, whole: bool, outside: Iterable[str] = ()
) -> tuple[Step, ...]:
    """The same steps, their joins knowing their forks.

    The fork of an `each` is the step whose `each` opened the batch; of every other join it is the nearest step,
    or the start, through which all paths to it pass.

    Args:
        steps: All steps of the workflow.
        start: The start event's name.
        report: Takes a finding for each `each` join that no batch leads to.
        whole: Whether all of the flow is known; if not, such findings would only be consequences.
        outside: Names of the events that come from outside.
    """
    if not any(isinstance(step.accepts, Join) for step in steps):
        return tuple(steps)
    graph = flow.build(steps, start, outside)
    batches = flow.batches(graph)
    nearest = flow.dominators(flow.with_collections(graph, batches))
    reached = flow.reachable(graph)
    found: list[Step] = []
    for node, step in enumerate(steps, 1):
        fork: str | None = None
        if not isinstance(step.accepts, Join):
            found.append(step)
            continue
        if step.accepts.form == "each":
            silent = not whole or node not in reached
            fork = batch(step, step.accepts, batches.stacks[node], graph, None if silent else report)
        elif nearest[node]:
            fork = steps[(nearest[node] or 0) - 1].name
        found.append(replace(step, accepts=replace(step.accepts, fork=fork)))
    return tuple(found)


def batch(
    step: Step, join: Join, stacks: frozenset[tuple[int, ...]], graph: flow.Flow, report: Report | None
) -> str | None:
    """The step that opens the innermost batch from which this join is reached."""
    deepest = max((len(stack) for stack in stacks), default=0)
    openers = sorted({stack[-1] for stack in stacks if stack and len(stack) == deepest})
    names = [graph.steps[node - 1].name for node in openers]
    place = Place((*join.address, "each"))
    if not names:
        if report is not None:
            report(problems.each_outside_batch(place, [event.name for event in join.events]))
        return None
    return names[0]  # batches of several steps are a finding of the check
