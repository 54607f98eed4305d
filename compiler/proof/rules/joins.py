"""Rule 4, as findings: joins that may wait for ever, receive an event twice, or wait for each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from wfc.compiler.diagnostics import Finding, Place, Report
from wfc.compiler.model.flow import START
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.proof.graph.flow_graph import FlowGraph
from wfc.compiler.proof.graph.paths import (
    Hop,
    cycle,
    describe_exit,
    describe_path,
    hops_from,
    path_of_event,
    shortest_route,
)
from wfc.compiler.proof.joins.completeness import JoinFailure
from wfc.compiler.proof.joins.traces import Course, hops_to
from wfc.compiler.proof.joins.turning_points import turning_point
from wfc.compiler.rules import joins as problems
from wfc.compiler.rules.phrases import joined

__all__ = ["joins_are_filled"]

MOST_EVENTS: Final = 6
"""Of so many events the names are written out in a hint."""


def joins_are_filled(analysis: FlowAnalysis, report: Report) -> None:
    """Each `all` join gets one of each of its events in every frame, or none of them."""
    if analysis.misplaced:
        return
    for failure in analysis.failures:
        if failure.join not in analysis.in_two_flows:
            report(_finding(analysis, failure))


def _finding(analysis: FlowAnalysis, failure: JoinFailure) -> Finding:
    graph, join = analysis.graph, failure.join
    name, fork = analysis.name(join), analysis.name(graph.forks[join])
    if failure.kind in ("itself", "circle"):
        return _circling(analysis, failure, name, fork)
    if failure.kind == "complex":
        return problems.flow_too_complex(analysis.form(join), name, _wavering(graph, join))
    for at, event in enumerate(graph.nodes[join].slots):
        if event in graph.outside:
            told = describe_path(graph, path_of_event(graph, event), join)
            place = analysis.accepted(join, graph.nodes[join].place(at))
            return problems.join_from_outside(place, name, event, told)
    if failure.kind == "overfills":
        return _overfilled(analysis, failure, name, fork)
    return _starved(analysis, failure, name)


def _circling(analysis: FlowAnalysis, failure: JoinFailure, name: str, fork: str) -> Finding:
    graph, join = analysis.graph, failure.join
    hops = _loop(graph, join)
    loop = describe_path(graph, hops, join)
    last = hops[-1]
    sender = analysis.name(last.node)
    sends = ((analysis.way(last.node, last.way), f"here `{sender}` sends `{last.event}` to `{name}`"),)
    if failure.kind == "itself":
        return problems.join_feeds_itself(analysis.form(join), name, fork, loop, sender, last.event, sends)
    joins = [analysis.name(node) for node in failure.circle]
    return problems.joins_in_a_circle(analysis.form(join), joins, fork, loop, last.event, sends)


def _wavering(graph: FlowGraph, join: int) -> list[str]:
    """Return the steps before a join that emit sometimes one thing and sometimes another."""
    before = sorted({graph.forks[join], *graph.leading_to(join)} - {START})
    return [
        graph.nodes[node].name
        for node in before
        if len({(way.singles, way.batches) for way in graph.nodes[node].ways if not way.ends}) > 1
    ]


def _overfilled(analysis: FlowAnalysis, failure: JoinFailure, name: str, fork: str) -> Finding:
    graph, join = analysis.graph, failure.join
    events = graph.nodes[join].events(failure.slot)
    arriving = list(hops_to(failure.trace, join, failure.slot)) if failure.trace is not None else []
    told = list(dict.fromkeys(describe_path(graph, hops) for hops in arriving))[:2]
    items = any(_brings_items(graph, hops) for hops in arriving)
    return problems.join_overfills(
        analysis.accepted(join, failure.slot), name, events, fork, told, items=items
    )


def _brings_items(graph: FlowGraph, hops: Sequence[Hop]) -> bool:
    """Return whether what comes by a path comes for each item of a batch, which no step on it has joined yet."""
    last = next((at for at in reversed(range(len(hops))) if hops[at].event in hops[at].way.batches), None)
    return last is not None and all(graph.nodes[hop.node].form != "each" for hop in hops[last + 1 :])


def _starved(analysis: FlowAnalysis, failure: JoinFailure, name: str) -> Finding:
    graph, join, slot = analysis.graph, failure.join, failure.slot
    assert failure.trace is not None
    before = shortest_route(graph, graph.forks[join])
    missing = graph.nodes[join].events(slot)
    came, other = _arrived(failure.trace, join, graph.nodes[join].width)
    hops, node, way = turning_point(graph, failure.trace, join, slot)
    told = describe_path(graph, [*before, *hops], node, way)
    if way is not None:
        told += f" → {describe_exit(way)}"
    related: tuple[tuple[Place, str], ...] = ()
    if node != START and way is not None:
        related = (
            (analysis.way(node, way), f"here `{analysis.name(node)}` leaves without {joined(missing, 'or')}"),
        )
    return problems.join_starves(
        analysis.accepted(join, slot),
        name,
        missing,
        graph.nodes[join].events(other),
        describe_path(graph, [*before, *came]),
        told,
        analysis.name(node),
        _first_of(graph, join),
        related,
    )


def _first_of(graph: FlowGraph, join: int) -> str:
    """Return what a join would accept that goes on with its first event; empty where the run starts with that."""
    events = graph.nodes[join].slots
    if graph.start in events:
        return ""
    return f"{{any: [{', '.join(events)}]}}" if len(events) <= MOST_EVENTS else "{any: […]}"


def _arrived(trace: Course, join: int, slots: int) -> tuple[list[Hop], int]:
    """Describe how some event of the join does arrive."""
    for slot in range(slots):
        for hops in hops_to(trace, join, slot):
            return hops, slot
    return [], 0


def _loop(graph: FlowGraph, join: int) -> list[Hop]:
    fork = graph.forks[join]

    def edges(node: int) -> Iterator[tuple[Hop, int]]:
        return (edge for edge in hops_from(graph, node) if edge[1] != fork)

    return cycle(graph, join, edges)
