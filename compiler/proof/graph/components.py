"""Strongly connected parts of a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from wfc.compiler.proof.graph.flow_graph import FlowGraph
from wfc.compiler.proof.graph.paths import Hop

__all__ = ["Arrivals", "Edges", "components", "cyclic", "edges_of"]

Edges = Callable[[int], Iterable[tuple[Hop, int]]]


def cyclic(graph: FlowGraph) -> frozenset[int]:
    """The nodes that lie on some cycle, bounded or not."""
    loops = components(len(graph.nodes), lambda node: edges_of(graph, node, only_limit=False))
    return frozenset(node for loop in loops for node in loop)


def edges_of(graph: FlowGraph, node: int, *, only_limit: bool) -> Iterator[tuple[Hop, int]]:
    """Yield every hop from a node, each with where it leads.

    Args:
        only_limit: Whether only those that the node takes once its runs are used up.
    """
    for way in graph.nodes[node].ways:
        if way.ends or (only_limit and way.occasion != "on_limit"):
            continue  # what is sent beside the end of the run leads nowhere
        for event in (*way.singles, *way.batches):
            for target, _slot in graph.acceptors.get(event, ()):
                yield Hop(node, way, event), target
        for join in graph.joins_of.get(node, ()):
            # these two go past all bounds on the way: an empty batch, and a join whose time is up
            by_itself = graph.nodes[join].form == "each" or graph.nodes[join].timed
            events = [
                event for event in (*way.batches, *way.singles) if by_itself and graph.leads([event], join)
            ]
            if events:
                yield Hop(node, way, events[0]), join


class Arrivals:
    """The nodes of a graph, numbered; a node that tells its events apart has a number for each of them that comes.

    Args:
        graph: Of which nodes and edges are.
    """

    def __init__(self, graph: FlowGraph) -> None:
        self.graph = graph
        self.nodes: list[int] = []
        """The node of each number."""
        self._events: list[str] = []
        self._numbers: dict[tuple[int, str], int] = {}
        for node, unit in enumerate(graph.nodes):
            for event in unit.slots if unit.told_apart else ("",):
                if event and (node, event) not in graph.arrivals:
                    continue
                self._numbers[node, event] = len(self.nodes)
                self.nodes.append(node)
                self._events.append(event)

    def edges_of(self, arrival: int, *, only_limit: bool) -> Iterator[tuple[Hop, int]]:
        """Yield every hop from a node, as `edges_of` does, that it may take after this arrival."""
        event = self._events[arrival]
        for hop, target in edges_of(self.graph, self.nodes[arrival], only_limit=only_limit):
            if not event or hop.way.is_open_to(event):
                came = hop.event.partition(" ")[0] if self.graph.nodes[target].told_apart else ""
                if (target, came) in self._numbers:  # as it is, unless no run comes to this node
                    yield hop, self._numbers[target, came]


def components(size: int, edges: Callable[[int], Iterable[tuple[object, int]]]) -> list[list[int]]:
    """Return the strongly connected parts of a graph that hold a cycle, by Tarjan's algorithm without recursion.

    Args:
        size: Of the graph, whose nodes are ``0 … size - 1``.
        edges: Returns the edges from a node: what each stands for, and the node that it leads to.
    """
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    open_nodes: list[int] = []
    is_open: set[int] = set()
    found: list[list[int]] = []
    for root in range(size):
        if root in index:
            continue
        work: list[tuple[int, Iterator[int]]] = [(root, iter(()))]
        index[root] = low[root] = len(index)
        open_nodes.append(root)
        is_open.add(root)
        work = [(root, iter([target for _hop, target in edges(root)]))]
        while work:
            node, rest = work[-1]
            for target in rest:
                if target not in index:
                    index[target] = low[target] = len(index)
                    open_nodes.append(target)
                    is_open.add(target)
                    work.append((target, iter([further for _hop, further in edges(target)])))
                    break
                if target in is_open:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = [open_nodes.pop()]
                    while part[-1] != node:
                        part.append(open_nodes.pop())
                    is_open.difference_update(part)
                    if len(part) > 1 or any(target == node for _hop, target in edges(node)):
                        found.append(sorted(part))
    return found
