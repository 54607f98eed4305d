"""Steps whose batches are ambiguous when empty."""

from __future__ import annotations

from wfc.compiler.model import Join, Step, Workflow, flow

__all__ = ["steps_with_ambiguous_batches"]


def steps_with_ambiguous_batches(workflow: Workflow) -> frozenset[str]:
    """Return the names of the steps whose batches are not all collected by the same joins.

    An empty list does not show which of them it is, so what such a step gives has to say it.
    """
    graph = flow.build(workflow.steps, workflow.start.name, workflow.beginnings)
    found = set()
    for step in workflow.steps:
        batches = sorted({emit.event.name for emit, each in flow.emits_of(step) if each is not None})
        if len(batches) > 1 and len({_collectors(graph, step, event) for event in batches}) > 1:
            found.add(step.name)
    return frozenset(found)


def _collectors(graph: flow.Flow, opener: Step, event: str) -> frozenset[int]:
    """Return the joins to which an event of an opener's batch leads, and that collect this opener's batches."""
    seen: set[int] = set()
    work = list(graph.acceptors.get(event, ()))
    while work:
        node = work.pop()
        if node not in seen:
            seen.add(node)
            work.extend(graph.after[node])
    return frozenset(node for node in seen if _collects(graph.step(node), opener))


def _collects(step: Step | None, opener: Step) -> bool:
    return (
        step is not None
        and isinstance(step.accepts, Join)
        and step.accepts.form == "each"
        and step.accepts.fork == opener.name
    )
