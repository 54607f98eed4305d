"""The proof that each `all` join gets one of each of its events in every frame, or none of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

from wfc.compiler.proof.graph.flow_graph import FlowGraph
from wfc.compiler.proof.joins.outcomes import Outcomes, TooManyOutcomes
from wfc.compiler.proof.joins.traces import Course
from wfc.compiler.slotted import dataclass

__all__ = ["JoinFailure", "prove_joins", "waiting_for_all"]

ONE = 1
MANY = 2


@dataclass(frozen=True, slots=True)
class JoinFailure:
    """The reason why a join is not proven.

    Args:
        kind: ``starves`` (some of its events come, others don't), ``overfills`` (one comes twice), ``itself``
            (its own output comes back to it), ``circle`` (joins wait for each other), ``complex`` (too many
            courses to look at).
        slot: Of the event that is missing, or that comes twice.
        trace: A course that shows it, from the fork on.
        circle: The joins of a ``circle``, or the one that feeds ``itself``.
    """

    kind: Literal["starves", "overfills", "itself", "circle", "complex"]
    join: int
    slot: int = 0
    trace: Course | None = None
    circle: tuple[int, ...] = ()


def prove_joins(graph: FlowGraph) -> list[JoinFailure]:
    """Prove every join, each after those that it depends on; return which joins cannot be proven, and why.

    A join may lean only on joins already proven: were two to vouch for each other, both could wait for ever. As every
    join of a circle would also feed itself, those are found first, and the rest have an order.
    What reaches a join that failed is excused for the sake of the rest, so that one mistake is one finding.
    """
    joins = [node for node in sorted(graph.forks) if graph.nodes[node].form == "all" and node in graph.alive]
    failures = list(_feeding_themselves(graph, joins))
    given_up = {join for failure in failures for join in failure.circle}
    trusted = {join for join in joins if graph.nodes[join].timed}
    pending = [join for join in joins if join not in given_up]
    leans = {join: _leans(graph, join) for join in pending}
    while pending:
        failed: list[JoinFailure] = []
        before = len(pending)
        for join in list(pending):
            if leans[join] <= trusted | given_up:
                failure = _examine(graph, join, trusted, given_up)
                if failure is None:
                    pending.remove(join)
                    trusted.add(join)
                else:
                    failed.append(failure)
        if len(pending) == before:
            assert failed, "joins that do not feed themselves have an order"
            failures += failed
            given_up.update(failure.join for failure in failed)
            pending = [join for join in pending if join not in given_up]
    return failures


def waiting_for_all(graph: FlowGraph) -> Iterator[int]:
    """Yield the `any` joins that want each of their events and could as well be an `all` that is proven: when they go
    on, nothing is under way that leads to them.
    """
    for join in graph.forks:
        unit = graph.nodes[join]
        if unit.form == "any" and unit.count == unit.width and not unit.timed and join in graph.alive:
            trusted = {node for node, each in enumerate(graph.nodes) if each.form == "all"}
            if join not in graph.leading_to(join) and _examine(graph, join, trusted, ()) is None:
                yield join


def _feeding_themselves(graph: FlowGraph, joins: list[int]) -> Iterator[JoinFailure]:
    """Yield the joins to which their own output comes back within the frame, those of one cycle together."""
    itself = [join for join in joins if join in graph.leading_to(join)]
    told: set[int] = set()
    for join in itself:
        if join not in told:
            circle = [
                each for each in itself if each in graph.leading_to(join) and join in graph.leading_to(each)
            ]
            told.update(circle)
            yield JoinFailure("itself" if len(circle) == 1 else "circle", join, circle=tuple(circle))


def _leans(graph: FlowGraph, join: int) -> frozenset[int]:
    """Return the `all` joins without a time-out through which the tokens of a join may have come within its
    frame.
    """
    return frozenset(
        node
        for node in graph.leading_to(join)
        if graph.nodes[node].form == "all"
        and not graph.nodes[node].timed
        and node in graph.alive
        and node != join
    )


def _examine(
    graph: FlowGraph, join: int, trusted: Collection[int], given_up: Collection[int]
) -> JoinFailure | None:
    """Examine every vector that one frame can bring to an `all` join, beginning with the courses that lead
    only to it.
    """
    narrow = _judge(graph, join, trusted, given_up, narrow=True)
    return narrow and _judge(graph, join, trusted, given_up, narrow=False)


def _judge(
    graph: FlowGraph, join: int, trusted: Collection[int], given_up: Collection[int], *, narrow: bool
) -> JoinFailure | None:
    try:
        outcomes = Outcomes(graph, graph.forks[join], join, trusted, given_up, narrow=narrow)
        outcome = outcomes.of_root()
    except TooManyOutcomes:
        return JoinFailure("complex", join)
    for vector, trace in outcome.open.items():
        slots = outcomes.slots(vector, join)
        if MANY in slots:
            return JoinFailure("overfills", join, slots.index(MANY), trace)
        if not graph.nodes[join].timed and ONE in slots and 0 in slots:
            return JoinFailure("starves", join, slots.index(0), trace)
    if outcome.ended is not None:
        slots = outcomes.slots(outcome.ended, join)
        if MANY in slots:
            return JoinFailure("overfills", join, slots.index(MANY))
    return None
