"""Turning points: the steps where a course turns away from a join."""

from __future__ import annotations

from wfc.compiler.proof.graph.flow_graph import FlowGraph, Way
from wfc.compiler.proof.graph.paths import Hop
from wfc.compiler.proof.joins.traces import Course, tokens_of

__all__ = ["turning_point"]


def turning_point(graph: FlowGraph, trace: Course, join: int, slot: int) -> tuple[list[Hop], int, Way | None]:
    """Return where a course turns away from a slot: the last step on it that could still have led there."""
    leading = graph.leading_to(join)
    towards = {
        node for event in graph.nodes[join].events(slot) for node, _way in graph.producers.get(event, ())
    }
    work = [node for node in towards if node in leading]
    while work:
        for source in graph.before[work.pop()]:
            if source in leading and source not in towards:
                towards.add(source)
                work.append(source)
    hops: list[Hop] = []
    while True:
        for link in tokens_of(trace):
            if link.node in towards:
                hops.append(Hop(trace.node, trace.way, link.event))
                if link.trace is None:
                    return hops, link.node, None
                trace = link.trace
                break
        else:
            return hops, trace.node, trace.way
