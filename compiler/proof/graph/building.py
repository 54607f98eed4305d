"""The flow graph of a workflow: what each step accepts, and each of its ways to leave."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.model import EmitEach, Fail, Join, Restart, Step, Workflow
from wfc.compiler.model.flow import emits, exits
from wfc.compiler.proof.graph.flow_graph import FlowGraph, RunExit, StepNode, Way

__all__ = ["build_graph", "step_node"]


def build_graph(workflow: Workflow) -> FlowGraph:
    """Return the abstract graph of a workflow."""
    return FlowGraph(
        list(map(step_node, workflow.steps)),
        workflow.start.name,
        [event.name for event in workflow.end],
        workflow.outside,
        [RunExit(key, emit.event.name, emit.address) for key, emit in workflow.run.leading_on],
    )


def step_node(step: Step) -> StepNode:
    """Return the node of a step, as the proof sees it."""
    accepts = step.accepts
    join = accepts if isinstance(accepts, Join) else None
    ways = list(ways_of(step))
    if step.max_runs is not None and step.on_limit is None:
        ways.append(Way("on_limit", ends=True, address=step.address))
    if join is not None and join.timed and not join.proceed and step.on_timeout is None:
        ways.append(Way("on_timeout", ends=True, address=step.address))
    return StepNode(
        name=step.name,
        form=join.form if join is not None else "one",
        slots=tuple(event.name for event in accepts.events),
        ways=tuple(ways),
        count=_count(join) if join is not None else 0,
        timed=join is not None and join.timed,
        bounded=step.max_runs is not None,
        address=step.address,
        places=_places(join) if join is not None else (),
    )


def _at_once(batch: EmitEach) -> int:
    """Return how many items of a batch are under way at once; 0: all. Of an expression it is not known that it is 1."""
    return batch.concurrency if isinstance(batch.concurrency, int) else 2 * int(batch.concurrency is not None)


def _count(join: Join) -> int:
    """Return the count of a join, 0 if it has none; of an expression is known only that it is 1 or more."""
    return join.count if isinstance(join.count, int) else int(join.count is not None)


def _places(join: Join) -> tuple[int, ...]:
    """Return the slot of each event of a join, if several of them share one."""
    if all(len(slot) == 1 for slot in join.slots):
        return ()
    return tuple(place for place, slot in enumerate(join.slots) for _event in slot)


def ways_of(step: Step) -> Iterator[Way]:
    """Yield the ways to leave a step, one for each entry."""
    for occasion, exit_ in exits(step):
        for entry in exit_.entries:
            single: list[str] = []
            batched: list[str] = []
            ends = isinstance(entry.emission, (Fail, Restart))
            concurrency: list[int] = []
            for emit, each in emits(entry.emission):
                if each is not None:
                    concurrency.append(_at_once(each))
                    batched.append(emit.event.name)
                elif emit.event.role == "end":
                    ends = True
                else:
                    single.append(emit.event.name)
            yield Way(
                occasion,
                tuple(single),
                tuple(batched),
                ends,
                entry.address,
                concurrency=tuple(concurrency) if any(concurrency) else (),
            )
