"""Rule 5: every cycle has a bound."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.expressions.syntax.tree import walk
from wfc.compiler.model import Step
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.proof.graph import components, paths
from wfc.compiler.proof.graph.flow_graph import FlowGraph
from wfc.compiler.rules import flow as problems
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import UNKNOWN

__all__ = ["cycles_are_bounded", "unbounded_cycles"]


@dataclass(frozen=True, slots=True)
class UnboundedCycle:
    """A cycle that nothing bounds.

    Args:
        head: The step where a bound belongs.
        hops: From the head back to itself.
        by_limit: Whether the step has a bound already, and leads back when it is used up.
    """

    head: int
    hops: list[paths.Hop]
    by_limit: bool


def cycles_are_bounded(analysis: FlowAnalysis, report: Report) -> None:
    """Each loop holds a step with `max_runs`."""
    covered = {node for node in range(len(analysis.graph.nodes)) if node not in analysis.graph.alive}
    if not analysis.misplaced:
        covered |= {join for failure in analysis.failures for join in failure.circle}
    for loop in unbounded_cycles(analysis.graph, covered):
        if any(_in_doubt(analysis.step(hop.node)) for hop in loop.hops if hop.node):
            continue
        name = analysis.name(loop.head)
        told = paths.describe_path(analysis.graph, loop.hops, loop.head)
        place = Place(analysis.graph.nodes[loop.head].address)
        if loop.by_limit:
            place = place / "on_limit"
        report(problems.unbounded_cycle(place.key, name, told, loop.by_limit))


def unbounded_cycles(graph: FlowGraph, covered: Collection[int] = ()) -> list[UnboundedCycle]:
    """Return the unbounded cycles, one at each step where a bound is missing.

    A step with `max_runs` leaves only by `on_limit` once its runs are used up, so its other ways break a cycle. So
    does a join whose fork is not on the cycle: it goes on once only, and what comes to it again is late. Cycles
    through nodes that another finding has ``covered`` are left out. A step that asks which of its events came is left
    only by the ways that are for the one by which the cycle gets there.
    """
    if _acyclic(graph):
        return []
    found: list[UnboundedCycle] = []
    broken = set(covered)
    arrivals = components.Arrivals(graph)

    def edges(arrival: int) -> Iterator[tuple[paths.Hop, int]]:
        node = arrivals.nodes[arrival]
        if node not in broken:
            yield from arrivals.edges_of(arrival, only_limit=graph.nodes[node].bounded)

    while loops := components.components(len(arrivals.nodes), edges):
        for loop in loops:
            inside = {arrivals.nodes[arrival] for arrival in loop}
            if once := {node for node in inside if _goes_on_once(graph, node, inside)}:
                broken |= once
                continue
            head = _head(graph, inside)
            first = next(arrival for arrival in loop if arrivals.nodes[arrival] == head)
            hops = paths.cycle(graph, first, partial(_within, edges, set(loop)))
            found.append(UnboundedCycle(head, hops, graph.nodes[head].bounded))
            broken.add(head)
    return found


def _in_doubt(step: Step) -> bool:
    """Return whether a condition of a step could not be read in full, so that nobody knows where it leads.

    That has been reported already.
    """
    conditions = (entry.when for entry in step.emit.entries if entry.when is not None)
    return any(node.type is UNKNOWN for condition in conditions for node in walk(condition.tree))


def _goes_on_once(graph: FlowGraph, node: int, inside: Collection[int]) -> bool:
    """Return whether a node of a cycle goes on only once while a run goes round."""
    return graph.nodes[node].form in ("any", "all") and graph.forks.get(node, node) not in inside


def _acyclic(graph: FlowGraph) -> bool:
    """Return whether there is certainly no cycle; a fast check that mostly succeeds."""
    return all(graph.order[to] < graph.order[node] for node, after in enumerate(graph.after) for to in after)


def _within(edges: components.Edges, inside: set[int], node: int) -> Iterator[tuple[paths.Hop, int]]:
    return (edge for edge in edges(node) if edge[1] in inside)


def _head(graph: FlowGraph, inside: set[int]) -> int:
    """Return where a cycle is entered: the best step for a bound, if possible one without a bound."""
    candidates = [node for node in sorted(inside) if not graph.nodes[node].bounded] or sorted(inside)
    entered = [node for node in candidates if any(source not in inside for source in graph.before[node])]
    return (entered or candidates)[0]
