"""Which steps may run side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from wfc.compiler.check.net import Net

__all__ = ["Concurrency", "Parting"]


@dataclass(frozen=True, slots=True)
class Parting:
    """Two courses that go on side by side after one way of a node.

    Args:
        node: Where they part.
        one: Nodes on the one, up to the joins that wait for both.
        other: Nodes on the other. The same as ``one`` for the items of a batch.
    """

    node: int
    one: frozenset[int]
    other: frozenset[int]


class Concurrency:
    """What may run while something else does, by the tokens that a way sends out at once."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self._ahead: dict[int, frozenset[int]] = {}

    @cached_property
    def partings(self) -> list[Parting]:
        """Every pair of courses that part somewhere, each once."""
        found: dict[tuple[int, frozenset[int], frozenset[int]], Parting] = {}
        for node, unit in enumerate(self.net.units):
            for way in unit.ways:
                singles = list(self.net.targets(way.singles))
                items = list(self.net.targets(way.batches))
                pairs = [(one, other) for at, one in enumerate(singles) for other in singles[at + 1 :]]
                pairs += [(one, other) for one in items for other in (*items, *singles)]
                for one, other in pairs:
                    parting = self._part(node, one, other)
                    found.setdefault((node, parting.one, parting.other), parting)
        return list(found.values())

    def _part(self, node: int, one: int, other: int) -> Parting:
        both = self._reached(one) & self._reached(other)
        waiting = {join for join in both if self._waits(join)}
        return Parting(node, self._ahead_of(one, waiting), self._ahead_of(other, waiting))

    def _waits(self, join: int) -> bool:
        """Whether a step runs only after all that leads to it: then nothing of that runs beside it."""
        unit = self.net.units[join]
        return unit.form in ("all", "each") and not unit.timed

    def _reached(self, start: int) -> frozenset[int]:
        if start not in self._ahead:
            self._ahead[start] = self._ahead_of(start, ())
        return self._ahead[start]

    def _ahead_of(self, start: int, without: Iterable[int]) -> frozenset[int]:
        stops = set(without)
        if start in stops:
            return frozenset()
        seen = {start}
        work = [start]
        while work:
            for target in self._next(work.pop()):
                if target not in seen and target not in stops:
                    seen.add(target)
                    work.append(target)
        return frozenset(seen)

    def _next(self, node: int) -> Iterator[int]:
        for way in self.net.units[node].ways:
            yield from self.net.targets((*way.singles, *way.batches))
