"""What must have happened before a step on each path, asked of the flow graph of the proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from wfc.compiler.model import Workflow
from wfc.compiler.proof.graph.building import build_graph
from wfc.compiler.proof.graph.flow_graph import FlowGraph, StepNode, Way
from wfc.compiler.proof.graph.paths import describe_path, shortest_route
from wfc.compiler.slotted import replace

__all__ = ["Gate", "way_around"]

Gate = Callable[[str, str, Sequence[str]], bool]
"""Whether leaving a step counts: its name, the exit, and what it emits by that."""


def way_around(workflow: Workflow, goal: str, gate: Gate) -> str | None:
    """Return a way from the start to a step on which no other step is left as a gate, in words; ``None`` if there is
    none.

    All ways that count are taken out of the graph; a step that can still run is reached without them. A join can run
    when enough of its events can come, so a gate before one branch of an `all` is before what follows.
    """
    graph = build_graph(workflow)
    number = next(at for at, node in enumerate(graph.nodes) if at and node.name == goal)
    left = without_gates(graph, goal, gate)
    if number not in left.alive:
        return None
    route = shortest_route(left, number)
    return describe_path(left, route, number) if route else left.nodes[number].name


def without_gates(graph: FlowGraph, goal: str, gate: Gate) -> FlowGraph:
    """Return a graph without the ways that count as gates."""
    nodes = [pruned(node, goal, gate) for node in graph.nodes[1:]]
    made = FlowGraph(nodes, graph.start, graph.ends, graph.outside)
    first = replace(graph.nodes[0])  # with the ways that exits of the run are
    made.nodes = (first, *made.nodes[1:])
    made.acceptors |= {event: takers for event, takers in graph.acceptors.items() if " " in event}
    return made


def pruned(node: StepNode, goal: str, gate: Gate) -> StepNode:
    if node.name == goal:
        return node
    return replace(node, ways=tuple(ways_left(node.name, node.ways, gate)))


def ways_left(name: str, ways: Iterable[Way], gate: Gate) -> Iterable[Way]:
    return (way for way in ways if not gate(name, way.occasion, (*way.singles, *way.batches)))
