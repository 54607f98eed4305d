"""Ways through a net, found and told step by step: `start → classify → TicketClosed`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from wfc.compiler.model.flow import START
from wfc.compiler.proof.net import Net, Way
from wfc.compiler.proof.outcomes import Link, Trace
from wfc.compiler.slotted import dataclass

__all__ = [
    "Hop",
    "between",
    "coming",
    "cycle",
    "hops_to",
    "left_behind",
    "links",
    "route",
    "tell",
    "traces",
    "turned",
]

S = TypeVar("S")

LONGEST = 16  # names in a path before its middle is left out


@dataclass(frozen=True, slots=True)
class Hop:
    """From a node, by a way and an event of it, to the next node."""

    node: int
    way: Way
    event: str


def tell(net: Net, hops: Sequence[Hop], last: int | None = None, way: Way | None = None) -> str:
    """A path in words.

    Args:
        hops: Where it goes.
        last: The node at which it arrives, or ``None`` to stop at the last event.
        way: The way by which it leaves the last node, if that matters.
    """
    names: list[str] = []
    following = [*(hop.node for hop in hops[1:]), last]
    for hop, target in zip(hops, following, strict=False):
        names.append(_leaving(net, hop.node, hop.way))
        sent = hop.event in hop.way.singles or hop.event in hop.way.batches
        if sent and (hop.node != START or hop.event in hop.way.loose):
            names.append(hop.event)
        if target is not None and not (sent and hop.event in net.units[target].slots):
            names.append("…")  # a join that goes on by itself, whatever becomes of what was sent
    if last is not None:
        names.append(_leaving(net, last, way))
    if len(names) > LONGEST:
        names[6 : 6 - LONGEST] = ["…"]
    return " → ".join(names)


def _leaving(net: Net, node: int, way: Way | None) -> str:
    name = net.units[node].name
    return name if way is None or way.occasion in ("emit", "start") else f"{name} ({way.occasion})"


def route(net: Net, goal: int, stack: tuple[int, ...] | None = None) -> list[Hop]:
    """The shortest path from the start to a node, if asked for with these batches open; empty if there is none."""
    first: tuple[int, tuple[int, ...]] = (START, ())
    came: dict[tuple[int, tuple[int, ...]], tuple[tuple[int, tuple[int, ...]], Hop] | None] = {first: None}
    queue = deque([first])
    while queue:
        state = queue.popleft()
        if state[0] == goal and (stack is None or state[1] == stack):
            return _unwound(state, came)
        for hop, following in _moves(net, *state):
            if following not in came:
                came[following] = (state, hop)
                queue.append(following)
    return []


def _unwound(state: S, came: Mapping[S, tuple[S, Hop] | None]) -> list[Hop]:
    hops = []
    while (step := came[state]) is not None:
        state, hop = step
        hops.append(hop)
    return hops[::-1]


def _moves(net: Net, node: int, stack: tuple[int, ...]) -> Iterator[tuple[Hop, tuple[int, tuple[int, ...]]]]:
    unit = net.units[node]
    inner = stack[:-1] if unit.form == "each" else stack
    for way in unit.ways:
        for event in way.singles:
            for target, _slot in net.acceptors.get(event, ()):
                yield Hop(node, way, event), (target, inner)
        for event in way.batches if node not in inner else ():
            for target, _slot in net.acceptors.get(event, ()):
                yield Hop(node, way, event), (target, (*inner, node))


def cycle(net: Net, head: int, edges: Callable[[int], Iterator[tuple[Hop, int]]]) -> list[Hop]:
    """The shortest way from a node back to itself along some edges; empty if there is none."""
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


def between(net: Net, source: int, goal: int) -> list[Hop]:
    """The shortest way from a node to another by events; empty if there is none, or no way is needed."""
    came: dict[int, tuple[int, Hop] | None] = {source: None}
    queue = deque([source])
    while queue:
        node = queue.popleft()
        if node == goal:
            return _unwound(node, came)
        for hop, (following, _stack) in _moves(net, node, ()):
            if following not in came:
                came[following] = (node, hop)
                queue.append(following)
    return []


def coming(net: Net, event: str) -> list[Hop]:
    """The shortest way from the start by which an event is sent."""
    ways = [[*between(net, START, node), Hop(node, way, event)] for node, way in net.producers.get(event, ())]
    return min(ways, key=len, default=[])


def links(trace: Trace) -> Iterator[Link]:
    """The tokens of one run of a step, in order."""
    found = []
    link = trace.tokens
    while link is not None:
        found.append(link)
        link = link.before
    yield from reversed(found)


def traces(trace: Trace) -> Iterator[tuple[Trace, list[Hop]]]:
    """Every step run in a trace, with the path to it from the trace's own; the path is only good for the moment."""
    work: list[tuple[Trace, tuple[object, ...]]] = [(trace, ())]
    while work:
        here, path = work.pop()
        yield here, _listed(path)
        for link in reversed(list(links(here))):
            if link.trace is not None:
                work.append((link.trace, (path, Hop(here.node, here.way, link.event))))


def _listed(path: tuple[object, ...]) -> list[Hop]:
    hops: list[Hop] = []
    while path:
        rest, hop = path
        assert isinstance(rest, tuple)
        assert isinstance(hop, Hop)
        hops.append(hop)
        path = rest
    return hops[::-1]


def hops_to(trace: Trace, join: int, slot: int) -> Iterator[list[Hop]]:
    """The paths in a trace by which tokens arrive in a slot of a join."""
    for here, path in traces(trace):
        for link in links(here):
            if link.node == join and link.slot == slot and link.trace is None:
                yield [*path, Hop(here.node, here.way, link.event)]


def turned(net: Net, trace: Trace, join: int, slot: int) -> tuple[list[Hop], int, Way | None]:
    """Where a course turns away from a slot: the last step on it that could still have led there."""
    event = net.units[join].slots[slot]
    leading = net.leading_to(join)
    towards = {node for node, _way in net.producers[event]}
    work = [node for node in towards if node in leading]
    while work:
        for source in net.before[work.pop()]:
            if source in leading and source not in towards:
                towards.add(source)
                work.append(source)
    hops: list[Hop] = []
    while True:
        for link in links(trace):
            if link.node in towards:
                hops.append(Hop(trace.node, trace.way, link.event))
                if link.trace is None:
                    return hops, link.node, None
                trace = link.trace
                break
        else:
            return hops, trace.node, trace.way


def left_behind(way: Way) -> str:
    """What a way leaves behind, in words."""
    return " and ".join((*way.singles, *way.batches)) or ("the end" if way.ends else "nothing")
