"""The rule that joins which cancel the rest cancel nothing that another step waits for."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.model import Join
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.proof.graph.concurrency import Concurrency
from wfc.compiler.proof.graph.flow_graph import FlowGraph, Way
from wfc.compiler.proof.graph.paths import describe_path, shortest_route
from wfc.compiler.rules import runs as problems
from wfc.compiler.slotted import dataclass

__all__ = ["lost_work", "nothing_else_is_cancelled"]


@dataclass(frozen=True, slots=True)
class LostWork:
    """Work that a join with `rest: cancel` may cancel, and that another step waits for.

    Args:
        node: The step that may be cancelled.
        way: The way by which it would have left.
        event: What of that would not have come to the join.
    """

    node: int
    way: Way
    event: str


def nothing_else_is_cancelled(analysis: FlowAnalysis, report: Report) -> None:
    """Report work that a join with `rest: cancel` may cancel, unless it leads only to this join or to an end."""
    for join in analysis.graph.forks:
        accepts = analysis.step(join).accepts if join else None
        if not isinstance(accepts, Join) or accepts.rest != "cancel":
            continue
        found = lost_work(analysis.graph, join)
        if found is not None:
            name = analysis.name(found.node)
            related = ((analysis.way(found.node, found.way), f"here `{name}` sends `{found.event}`"),)
            place = Place((*accepts.address, "rest"))
            route = shortest_route(analysis.graph, found.node)
            told = f"{describe_path(analysis.graph, route, found.node, found.way)} → {found.event}"
            report(problems.rest_cancels_more(place, name, analysis.name(join), found.event, told, related))


def lost_work(graph: FlowGraph, join: int) -> LostWork | None:
    """Return what else waits for the work that a join may cancel; ``None`` if nothing does.

    Then what is lost are events that would come to a join which has fired, and nobody can tell.
    """
    region = graph.leading_to(join) | {join}
    if graph.nodes[join].form == "each" and (lost := lost_items(graph, graph.forks[join], region)):
        return lost
    found = [lost for node in sorted(region - {join}) for lost in elsewhere(graph, node, region)]
    if not found:
        return None
    under_way = nodes_under_way(graph, join)
    return next((lost for lost in found if lost.node in under_way), None)


def elsewhere(graph: FlowGraph, node: int, region: frozenset[int]) -> Iterator[LostWork]:
    """Yield what a step of a join's region sends to steps outside of it, or beside the end of the run."""
    for way in graph.nodes[node].ways:
        for event in (*way.singles, *way.batches):
            if any(target not in region for target in graph.targets([event])):
                yield LostWork(node, way, event)
        if way.ends and (way.singles or way.batches):
            yield LostWork(node, way, graph.ends[0] if graph.ends else "the end")


def nodes_under_way(graph: FlowGraph, join: int) -> set[int]:
    """Return the nodes that may be under way, on the way to a join, when it goes on for the first time in a frame."""
    fork, leading = graph.forks[join], graph.leading_to(join) - {join}
    before = graph.reached_from([e for way in graph.nodes[fork].ways for e in sent(way)], {join, fork})
    found = set(leading & before)
    if graph.nodes[join].timed:
        return found
    region = sum(1 << node for node in leading)
    beside = 0
    for parting in Concurrency(graph).partings:
        for one, other in ((parting.one, parting.other), (parting.other, parting.one)):
            beside |= one if other & region else 0
    return {node for node in found if beside >> node & 1} | (found & beside_the_join(graph, join))


def beside_the_join(graph: FlowGraph, join: int) -> set[int]:
    """Return the nodes that follow on what is sent together with an event that comes to a join at once."""
    found: set[int] = set()
    for node in (graph.forks[join], *graph.leading_to(join)):
        for way in graph.nodes[node].ways:
            if any(target == join for target in graph.targets(sent(way))):
                found |= graph.reached_from(sent(way), {join})
    return found


def sent(way: Way) -> tuple[str, ...]:
    """Return the names of the events that a way emits."""
    return (*way.singles, *way.batches)


def lost_items(graph: FlowGraph, opener: int, region: frozenset[int]) -> LostWork | None:
    """Return what else waits for items of a batch that may never begin, because its join has gone on before."""
    for way in graph.nodes[opener].ways:
        for at, event in enumerate(way.batches):
            targets = set(graph.targets([event]))
            if way.at_once(at) and targets & region and not targets <= region:
                return LostWork(opener, way, event)
    return None
