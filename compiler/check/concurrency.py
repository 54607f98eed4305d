"""Which steps may run side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from wfc.compiler.check.net import Net

__all__ = ["Concurrency", "Parting", "members"]


@dataclass(frozen=True, slots=True)
class Parting:
    """Two courses that go on side by side after one way of a node. Sets of nodes are numbers: bit ``n`` is node ``n``.

    Args:
        node: Where they part.
        one: Nodes on the one, up to the joins that wait for both.
        other: Nodes on the other. The same as ``one`` for the items of a batch.
    """

    node: int
    one: int
    other: int


def members(nodes: int) -> Iterator[int]:
    """The nodes of a set, in order."""
    while nodes:
        lowest = nodes & -nodes
        yield lowest.bit_length() - 1
        nodes ^= lowest


class Concurrency:
    """What may run while something else does, by the tokens that a way sends out at once."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self._short: dict[tuple[int, int], int] = {}
        # a join that waits for all that leads to it: nothing of that runs beside what follows
        self._waiting = sum(
            1 << node
            for node, unit in enumerate(net.units)
            if unit.form in ("all", "each") and not unit.timed
        )

    @cached_property
    def partings(self) -> list[Parting]:
        """Every pair of courses that part somewhere, each once."""
        found: dict[Parting, None] = {}
        for node, unit in enumerate(self.net.units):
            for way in unit.ways:
                for one, other in self._tokens(way.singles, way.batches):
                    found[self._part(node, one, other)] = None
        return list(found)

    def _tokens(self, singles: Iterable[str], batches: Iterable[str]) -> Iterator[tuple[int, int]]:
        single, items = list(self.net.targets(singles)), list(self.net.targets(batches))
        for at, one in enumerate(single):
            yield from ((one, other) for other in single[at + 1 :])
        for one in items:
            yield from ((one, other) for other in (*items, *single))

    def _part(self, node: int, one: int, other: int) -> Parting:
        waiting = self._reach[one] & self._reach[other] & self._waiting
        return Parting(node, self._until(one, waiting), self._until(other, waiting))

    @cached_property
    def _reach(self) -> list[int]:
        """Node → all that it leads to, itself included."""
        reach = [1 << node for node in range(len(self.net.units))]
        backwards = sorted(range(len(reach)), key=self.net.order.__getitem__)
        changed = True
        while changed:
            changed = False
            for node in backwards:
                before = reach[node]
                for target in self.net.after[node]:
                    reach[node] |= reach[target]
                changed = changed or reach[node] != before
        return reach

    def _until(self, start: int, stops: int) -> int:
        """All that a node leads to short of some joins."""
        if not stops:
            return self._reach[start]
        key = (start, stops)
        if key not in self._short:
            seen = 0 if stops >> start & 1 else 1 << start
            work = [start] if seen else []
            while work:
                for target in self.net.after[work.pop()]:
                    if not (seen | stops) >> target & 1:
                        seen |= 1 << target
                        work.append(target)
            self._short[key] = seen
        return self._short[key]
