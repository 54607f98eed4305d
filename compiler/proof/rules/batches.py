"""Rule 7, as findings: batches nest, and their work is only collected, dropped, or ends the run."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.diagnostics import Finding, Place, Report
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.proof.graph.batch_nesting import MisplacedBatch
from wfc.compiler.proof.graph.paths import Hop, cycle, describe_path, hops_from, shortest_route
from wfc.compiler.rules import joins as problems

__all__ = ["batches_nest"]


def batches_nest(analysis: FlowAnalysis, report: Report) -> None:
    """Batches are collected where they were opened, and by nothing else."""
    for problem in analysis.misplaced:
        finding = _finding(analysis, problem)
        if finding is not None:
            report(finding)


def _finding(analysis: FlowAnalysis, problem: MisplacedBatch) -> Finding | None:
    graph, node = analysis.graph, problem.node
    name = analysis.name(node)
    if problem.kind == "recursive":
        return problems.batch_in_itself(_opening(analysis, node), name, _circle(analysis, node))
    told = describe_path(graph, shortest_route(graph, node, problem.stack), node)
    if problem.kind == "outside":
        if problem.other is None:
            return None  # `resolve` says that there is no batch at all
        event = graph.nodes[node].slots[0]
        hops = shortest_route(graph, node, problem.stack)
        event = hops[-1].event if hops else event
        return problems.each_also_outside_batch(
            analysis.form(node), name, event, told, starts=event == graph.start
        )
    if problem.kind == "mixed":
        assert problem.other is not None
        other = describe_path(graph, shortest_route(graph, node, problem.other), node)
        return problems.batches_mixed(analysis.form(node), name, [told, other])
    return problems.batch_work_escapes(analysis.form(node), name, analysis.name(problem.stack[-1]), told)


def _opening(analysis: FlowAnalysis, node: int) -> Place:
    way = next(way for way in analysis.graph.nodes[node].ways if way.batches)
    return analysis.way(node, way)


def _circle(analysis: FlowAnalysis, node: int) -> str:
    graph = analysis.graph

    def edges(at: int) -> Iterator[tuple[Hop, int]]:
        return (
            (hop, target)
            for hop, target in hops_from(graph, at)
            if at != node or hop.event in hop.way.batches
        )

    return describe_path(graph, cycle(graph, node, edges), node)
