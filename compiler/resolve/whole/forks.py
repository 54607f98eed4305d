"""The forks of joins: the step whose events a join pairs, or whose batch it collects."""

from __future__ import annotations

from collections.abc import Sequence

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Join, Step, Whole, flow
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.rules import accepts as problems
from wfc.compiler.slotted import replace

__all__ = ["set_forks"]


def set_forks(steps: Sequence[Step], run: Whole, declared: Declarations) -> tuple[Step, ...]:
    """Return the same steps, with the forks of their joins set.

    The fork of an `each` is the step whose `each` opened the batch; of every other join it is the nearest step,
    or the start (or an exit of the run that leads on), through which all paths to it pass. An `each` join that no
    batch leads to is reported, unless the flow is not known as a whole: then that would only be a consequence.
    """
    assert declared.start is not None
    leading_on = [emit.event.name for _key, emit in run.leading_on]
    graph = flow.build(steps, declared.start.name, (*declared.receives, *leading_on))
    batches = flow.batches(graph)
    nearest = flow.dominators(flow.with_collections(graph, batches))
    reached = flow.reachable(graph)
    whole = declared.flow_whole
    found: list[Step] = []
    for node, step in enumerate(steps, 1):
        fork: str | None = None
        if not isinstance(step.accepts, Join):
            found.append(step)
            continue
        if step.accepts.form == "each":
            fork = batch_opener(batches.stacks[node], graph)
            if fork is None and whole and node in reached:
                place = Place((*step.accepts.address, "each"))
                events = step.accepts.events
                starts = [each.role for each in events] == ["start"]
                declared.report(
                    problems.each_outside_batch(place, [each.name for each in events], starts=starts)
                )
                declared.flow_whole = False
        elif nearest[node]:
            fork = steps[(nearest[node] or 0) - 1].name
        found.append(replace(step, accepts=replace(step.accepts, fork=fork)))
    return tuple(found)


def batch_opener(stacks: frozenset[tuple[int, ...]], graph: flow.Flow) -> str | None:
    """Return the step that opens the innermost batch from which a join is reached; ``None`` if there is none.

    A join that is reached from the batches of several steps is a finding of the proof.
    """
    deepest = max((len(stack) for stack in stacks), default=0)
    openers = [stack[-1] for stack in stacks if stack and len(stack) == deepest]
    return graph.steps[min(openers) - 1].name if openers else None
