"""Rule 5: every cycle has a bound."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.proof.net import Net
from wfc.compiler.proof.paths import Hop, cycle, tell
from wfc.compiler.proof.subject import Subject
from wfc.compiler.rules import flow as problems
from wfc.compiler.slotted import dataclass

__all__ = ["Loop", "components", "cycles_are_bounded", "cyclic", "unbounded"]

Edges = Callable[[int], Iterable[tuple[Hop, int]]]


@dataclass(frozen=True, slots=True)
class Loop:
    """A cycle that nothing bounds.

    Args:
        head: The step where a bound belongs.
        hops: From the head back to itself.
        by_limit: Whether the step has a bound already, and leads back when it is used up.
    """

    head: int
    hops: list[Hop]
    by_limit: bool


def cycles_are_bounded(subject: Subject, report: Report) -> None:
    """Each loop holds a step with `max_runs`."""
    covered = {node for node in range(len(subject.net.units)) if node not in subject.net.alive}
    if not subject.misplaced:
        covered |= {join for failure in subject.failures for join in failure.circle}
    for loop in unbounded(subject.net, covered):
        name = subject.name(loop.head)
        told = tell(subject.net, loop.hops, loop.head)
        place = Place(subject.net.units[loop.head].address)
        if loop.by_limit:
            place = place / "on_limit"
        report(problems.unbounded_cycle(place.key, name, told, loop.by_limit))


def unbounded(net: Net, covered: Collection[int] = ()) -> list[Loop]:
    """The cycles that nothing bounds, one at each step where a bound is missing.

    A step with `max_runs` leaves only by `on_limit` once its runs are used up, so its other ways break a cycle.
    Cycles through nodes that another finding has ``covered`` are left out.
    """
    if _acyclic(net):
        return []
    found: list[Loop] = []
    broken = set(covered)

    def edges(node: int) -> Iterator[tuple[Hop, int]]:
        if node not in broken:
            yield from _edges(net, node, only_limit=net.units[node].bounded)

    while loops := components(len(net.units), edges):
        for loop in loops:
            inside = set(loop)
            head = _head(net, inside)
            hops = cycle(net, head, partial(_within, edges, inside))
            found.append(Loop(head, hops, net.units[head].bounded))
            broken.add(head)
    return found


def _acyclic(net: Net) -> bool:
    """Whether there is certainly no cycle at all, which is quick to see and most often so."""
    return all(net.order[to] < net.order[node] for node, after in enumerate(net.after) for to in after)


def _within(edges: Edges, inside: set[int], node: int) -> Iterator[tuple[Hop, int]]:
    return (edge for edge in edges(node) if edge[1] in inside)


def cyclic(net: Net) -> frozenset[int]:
    """The nodes that lie on some cycle, bounded or not."""
    loops = components(len(net.units), lambda node: _edges(net, node, only_limit=False))
    return frozenset(node for loop in loops for node in loop)


def _edges(net: Net, node: int, *, only_limit: bool) -> Iterator[tuple[Hop, int]]:
    for way in net.units[node].ways:
        if only_limit and way.occasion != "on_limit":
            continue
        for event in (*way.singles, *way.batches):
            for target, _slot in net.acceptors.get(event, ()):
                yield Hop(node, way, event), target
        for join in net.joins_of.get(node, ()):
            # these two go past all bounds on the way: an empty batch, and a join whose time is up
            by_itself = net.units[join].form == "each" or net.units[join].timed
            events = [
                event for event in (*way.batches, *way.singles) if by_itself and net.leads([event], join)
            ]
            if events:
                yield Hop(node, way, events[0]), join


def _head(net: Net, inside: set[int]) -> int:
    """Where a cycle is entered: the step that a bound is best put on, if possible one without a bound."""
    candidates = [node for node in sorted(inside) if not net.units[node].bounded] or sorted(inside)
    entered = [node for node in candidates if any(source not in inside for source in net.before[node])]
    return (entered or candidates)[0]


def components(size: int, edges: Edges) -> list[list[int]]:
    """The strongly connected parts of a graph on ``0 … size - 1`` that hold a cycle: Tarjan's way, unrecursed."""
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
                    at = open_nodes.index(node)
                    part = open_nodes[at:]
                    del open_nodes[at:]
                    is_open.difference_update(part)
                    if len(part) > 1 or any(target == node for _hop, target in edges(node)):
                        found.append(sorted(part))
    return found
