"""Rule 1, for steps: each can run."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.proof.graph.components import components
from wfc.compiler.proof.graph.paths import Hop, hops_from
from wfc.compiler.rules import flow as problems

__all__ = ["steps_are_reached"]


def steps_are_reached(analysis: FlowAnalysis, report: Report) -> None:
    """Report steps that cannot run. Of steps that follow one that cannot, only the first of the chain is
    reported.
    """
    graph = analysis.graph
    dead = [node for node in range(len(graph.nodes)) if node not in graph.alive]
    if not dead:
        return
    inside = set(dead)

    def edges(node: int) -> Iterator[tuple[Hop, int]]:
        if node in inside:
            yield from (edge for edge in hops_from(graph, node) if edge[1] in inside)

    followers = {target for node in dead for _hop, target in edges(node)}
    for circle in components(len(graph.nodes), edges):
        if not any(
            source in inside and source not in circle for node in circle for source in graph.before[node]
        ):
            followers.difference_update(circle[:1])
            followers.update(circle[1:])
    for node in dead:
        if node not in followers and not _explained(analysis, node):
            _report_unreached(analysis, node, report)


def _explained(analysis: FlowAnalysis, node: int) -> bool:
    """Return whether a finding about one of the events that a step waits for explains why it cannot run."""
    return any(event not in analysis.graph.producers for event in analysis.graph.nodes[node].slots)


def _report_unreached(analysis: FlowAnalysis, node: int, report: Report) -> None:
    graph = analysis.graph
    unit = graph.nodes[node]
    waits = [
        event
        for event in unit.slots
        if all(source not in graph.alive for source, _way in graph.producers[event])
    ]
    senders = dict.fromkeys(
        analysis.name(source) for event in waits for source, _way in graph.producers[event]
    )
    if waits:
        place = Place(unit.address).key
        report(problems.unreachable_step(place, unit.name, waits, list(senders)))
