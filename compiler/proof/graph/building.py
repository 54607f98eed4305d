"""The flow graph of a workflow: what each step accepts, and each of its ways to leave."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Final

from wfc.compiler.expressions.expression import Expression
from wfc.compiler.model import AnyOf, EmitEach, Event, Exit, Fail, Join, Restart, Step, Workflow
from wfc.compiler.model.flow import emits, exits
from wfc.compiler.proof.graph.flow_graph import FlowGraph, RunExit, StepNode, Way
from wfc.compiler.types import members

__all__ = ["build_graph", "step_node"]

MOST_TOLD_APART: Final = (
    100  # events of one step; of more it is not asked which a way is for, since that takes the square
)


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
        told_apart = (
            _events_of_entries(step, exit_) if len(step.accepts.events) > 1 else repeat(frozenset[str]())
        )
        for entry, events in zip(exit_.entries, told_apart, strict=False):
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
                only_for=events,
            )


def _events_of_entries(step: Step, exit_: Exit) -> Iterator[frozenset[str]]:
    """Yield for each entry the accepted events for which it may be taken, as far as conditions on `event` say; none:
    for each.
    """
    accepts = step.accepts
    every = accepts.events if isinstance(accepts, AnyOf) and len(accepts.events) <= MOST_TOLD_APART else ()
    left = every
    for entry in exit_.entries:
        here = left if entry.when is None else _possible(left, entry.when, True)
        yield frozenset(event.name for event in here) if len(here) < len(every) else frozenset()
        if entry.when is not None and not entry.errors and entry.body is None:
            left = _possible(left, entry.when, False)


def _possible(events: tuple[Event, ...], condition: Expression, holds: bool) -> tuple[Event, ...]:
    """Return those of some events, of which one is the step's, that are possible where a condition holds or does not;
    all of them where that is in doubt.
    """
    facts = condition.outcomes.get(holds, "unclear")
    kind = None if isinstance(facts, str) else facts.get(("event",))
    if len(events) < 2 or kind is None:
        return events
    kinds = set(map(id, members(kind)))
    return tuple(event for event in events if id(event.record) in kinds) or events
