"""Paths through a flow graph, found and described step by step: `start → classify → TicketClosed`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import TypeVar

from wfc.compiler.model.flow import START
from wfc.compiler.proof.graph.flow_graph import FlowGraph, Way
from wfc.compiler.slotted import dataclass

__all__ = [
    "Hop",
    "cycle",
    "describe_exit",
    "describe_path",
    "hops_from",
    "path_between",
    "path_of_event",
    "paths_apart",
    "shortest_route",
]

S = TypeVar("S")
LONGEST = 16  # names in a path before its middle is left out
MOST_HOPS = 24  # that are looked at where courses part


@dataclass(frozen=True, slots=True)
class Hop:
    """A step of a path: from a node, by a way and an event of it, to the next node."""

    node: int
    way: Way
    event: str


def hops_from(graph: FlowGraph, node: int) -> Iterator[tuple[Hop, int]]:
    """Yield every hop from a node to one that accepts what it emits, each with that node."""
    for way in graph.nodes[node].ways:
        for event in (*way.singles, *way.batches):
            for target, _slot in graph.acceptors.get(event, ()):
                yield Hop(node, way, event), target


def describe_path(
    graph: FlowGraph, hops: Sequence[Hop], last: int | None = None, way: Way | None = None
) -> str:
    """Describe a path in words.

    Args:
        hops: Where it goes.
        last: The node at which it arrives, or ``None`` to stop at the last event.
        way: The way by which it leaves the last node, if that matters.
    """
    names: list[str] = []
    following = [*(hop.node for hop in hops[1:]), last]
    for hop, target in zip(hops, following, strict=False):
        names.append(_leaving(graph, hop.node, hop.way))
        event = hop.event.partition(" ")[0]
        sent = hop.event in hop.way.singles or hop.event in hop.way.batches
        if sent and (hop.node != START or hop.event in hop.way.loose):
            names.append(event)
        if target is not None and not (sent and event in graph.nodes[target].slots):
            names.append("…")  # a join that goes on by itself, whatever becomes of what was sent
    if last is not None:
        names.append(_leaving(graph, last, way))
    if len(names) > LONGEST:
        names[6 : 6 - LONGEST] = ["…"]
    return " → ".join(names)


def _leaving(graph: FlowGraph, node: int, way: Way | None) -> str:
    name = graph.nodes[node].name
    if way is None or way.occasion in ("emit", "start"):
        return name
    return way.occasion if node == START else f"{name} ({way.occasion})"


def shortest_route(graph: FlowGraph, goal: int, stack: tuple[int, ...] | None = None) -> list[Hop]:
    """Return the shortest path from the start to a node, if requested with these batches open.

    Returns:
        Empty if there is none, or none by the stacks of open batches that the proof has followed: of these there
        may be more than could ever be tried.
    """
    first: tuple[int, tuple[int, ...]] = (START, ())
    came: dict[tuple[int, tuple[int, ...]], tuple[tuple[int, tuple[int, ...]], Hop] | None] = {first: None}
    queue = deque([first])
    while queue:
        state = queue.popleft()
        if state[0] == goal and (stack is None or state[1] == stack):
            return _unwound(state, came)
        for hop, following in _moves(graph, *state):
            known = following[1] in graph.batches.stacks[following[0]] or following == (goal, stack)
            if known and following not in came:
                came[following] = (state, hop)
                queue.append(following)
    return []


def _unwound(state: S, came: Mapping[S, tuple[S, Hop] | None]) -> list[Hop]:
    hops = []
    while (step := came[state]) is not None:
        state, hop = step
        hops.append(hop)
    return hops[::-1]


def _moves(
    graph: FlowGraph, node: int, stack: tuple[int, ...]
) -> Iterator[tuple[Hop, tuple[int, tuple[int, ...]]]]:
    unit = graph.nodes[node]
    inner = stack[:-1] if unit.form == "each" else stack
    for way in unit.ways:
        for event in way.singles:
            for target, _slot in graph.acceptors.get(event, ()):
                yield Hop(node, way, event), (target, inner)
        for event in way.batches if node not in inner else ():
            for target, _slot in graph.acceptors.get(event, ()):
                yield Hop(node, way, event), (target, (*inner, node))


def cycle(graph: FlowGraph, head: int, edges: Callable[[int], Iterator[tuple[Hop, int]]]) -> list[Hop]:
    """Return the shortest way from a node back to itself along some edges; empty if there is none."""
    came: dict[int, tuple[int, Hop] | None] = {head: None}
    queue = deque([head])
    while queue:
        node = queue.popleft()
        for hop, following in edges(node):
            if following == head:
                return [*_unwound(node, came), hop]
            if following not in came:
                came[following] = (node, hop)
                queue.append(following)
    return []


def path_between(graph: FlowGraph, source: int, goal: int) -> list[Hop]:
    """Return the shortest way from a node to another by events; empty if there is none, or none is needed."""
    came: dict[int, tuple[int, Hop] | None] = {source: None}
    queue = deque([source])
    while queue:
        node = queue.popleft()
        if node == goal:
            return _unwound(node, came)
        for hop, following in hops_from(graph, node):
            if following not in came:
                came[following] = (node, hop)
                queue.append(following)
    return []


def paths_apart(graph: FlowGraph, source: int, one: int, other: int) -> tuple[list[Hop], list[Hop]] | None:
    """Return ways to two nodes that begin with two tokens of one way out of a node; ``None`` if none are found."""
    for way in graph.nodes[source].ways[:MOST_HOPS]:
        hops = [
            (Hop(source, way, event), target)
            for event in way.singles
            for target, _slot in graph.acceptors.get(event, ())
        ][:MOST_HOPS]
        if len(hops) < 2:
            continue
        to_one = [[begun, *path_between(graph, target, one)] for begun, target in hops]
        to_other = [[begun, *path_between(graph, target, other)] for begun, target in hops]
        for first, second in permutations(range(len(hops)), 2):
            if all(
                len(path) > 1 or target == goal
                for path, target, goal in (
                    (to_one[first], hops[first][1], one),
                    (to_other[second], hops[second][1], other),
                )
            ):
                return to_one[first], to_other[second]
    return None


def path_of_event(graph: FlowGraph, event: str) -> list[Hop]:
    """Return the shortest way from the start by which an event is sent."""
    ways = [
        [*path_between(graph, START, node), Hop(node, way, event)]
        for node, way in graph.producers.get(event, ())
    ]
    return min(ways, key=len, default=[])


def describe_exit(way: Way) -> str:
    """Describe what a way emits, in words."""
    return " and ".join((*way.singles, *way.batches)) or ("the end" if way.ends else "nothing")
