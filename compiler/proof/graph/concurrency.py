"""Concurrency of steps: which of them may run in parallel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from wfc.compiler.model.flow import START
from wfc.compiler.proof.graph.flow_graph import FlowGraph, Way
from wfc.compiler.slotted import dataclass, replace

__all__ = ["Concurrency", "Parting", "members"]


@dataclass(frozen=True, slots=True)
class Parting:
    """Two sets of nodes, any of which may run in parallel. A set is an integer bit mask: bit ``n`` is node
    ``n``.

    Args:
        node: Where their courses part.
        one: Nodes on the one, up to the joins where the courses meet.
        other: Nodes on the other, or after a join that did not wait for the first. The same as ``one`` for
            the items of a batch.
        outside: Whether one of the two begins with an event from outside.
    """

    node: int
    one: int
    other: int
    outside: bool = False


def members(nodes: int) -> Iterator[int]:
    """Yield the nodes of a set, in order."""
    while nodes:
        lowest = nodes & -nodes
        yield lowest.bit_length() - 1
        nodes ^= lowest


class Concurrency:
    """The concurrency of steps, derived from the tokens that a way sends out at once.

    Args:
        cancelling: The joins that cancel the rest of what leads to them.
        patient: The `any` joins that go on only when nothing is left of what leads to them.
    """

    def __init__(self, graph: FlowGraph, cancelling: Iterable[int] = (), patient: Iterable[int] = ()) -> None:
        self.graph = graph
        # what each of them cancels
        self._cancelled = {
            join: sum(1 << node for node in graph.leading_to(join))
            for join in cancelling
            if join in graph.forks and self._for_good(join)
        }
        self._short: dict[tuple[int, int], int] = {}
        self._met: dict[tuple[int, int, int, int, bool, bool], int] = {}
        self._after_two: dict[tuple[int, int, tuple[int, ...]], list[Parting]] = {}
        self._joins = sum(1 << node for node, unit in enumerate(graph.nodes) if unit.form != "one")
        # what decides where two courses meet
        self._marks = self._joins
        for fork in graph.forks.values():
            self._marks |= 0 if fork is None else 1 << fork
        # those that wait for all that leads to them: nothing of that runs beside what follows
        self._waiting = sum(
            1 << node
            for node, unit in enumerate(graph.nodes)
            if unit.form in ("all", "each") and not unit.timed and not unit.count
        )
        self._waiting |= sum(1 << node for node in patient)
        # those that also wait for what is late for another join before them
        self._emptying = sum(1 << node for node in members(self._waiting) if graph.nodes[node].form == "each")

    def _for_good(self, join: int) -> bool:
        """Return whether what a join cancels cannot be under way after it: the join does not lead there again, and
        there is but one batch of which it may cancel the items.
        """
        batches = max((len(way.batches) for way in self.graph.nodes[self.graph.forks[join]].ways), default=0)
        return join not in self.graph.leading_to(join) and batches <= 1

    @cached_property
    def partings(self) -> list[Parting]:
        """All pairs of courses that part somewhere, those that meet at the same joins taken together.

        There are about as many as there are courses, not as there are pairs of them.
        """
        found: dict[Parting, None] = {}
        apart: dict[tuple[int, tuple[int, ...]], list[Parting]] = {}  # large sets are dear to compare
        for node, unit in enumerate(self.graph.nodes):
            for way in unit.ways:
                clocks = self._clocks(node, way, items=False)
                if not (way.batches or way.loose or clocks or self.graph.starts_several(way.singles)):
                    continue
                loose = self._alike(way.loose)
                singles = self._alike([event for event in way.singles if event not in way.loose], clocks)
                for ones in loose:
                    for others in (*loose, *singles):  # the next may come while the last is being worked on
                        parted = self._part(node, ones, others, items=False, again=True)
                        found.update(dict.fromkeys(replace(each, outside=True) for each in parted))
                for at, ones in enumerate(singles):
                    if len(ones) > 1 and (node, tuple(ones)) not in apart:
                        apart[node, tuple(ones)] = self._each_apart(node, ones)
                    for others in singles[at + 1 :]:
                        found.update(dict.fromkeys(self._part(node, ones, others, items=False)))
                found.update(dict.fromkeys(self._of_items(node, way, singles)))
        every = [*(parting for group in apart.values() for parting in group), *found]
        return [parting for parting in every if parting.one and parting.other]

    def _of_items(self, node: int, way: Way, singles: list[list[int]]) -> Iterator[Parting]:
        """Yield the partings of a way's batches: of their items with each other, and with what else it sends out.

        Items that come one after the other are not beside each other, but each is beside what follows a join that
        does not wait for all of them.
        """
        clocks = self._clocks(node, way, items=True)
        single = {at for at in range(len(way.batches)) if way.at_once(at) == 1}
        together = self._batches_alike(
            way, [at for at in range(len(way.batches)) if at not in single], clocks
        )
        alone = self._batches_alike(way, sorted(single), clocks)
        for ones, _own in together.values():
            for others, _theirs in together.values():
                yield from self._part(node, ones, others, items=True)
        for ones, own in (*together.values(), *alone.values()):
            for others, theirs in (*together.values(), *alone.values()):
                if len(own | theirs) > 1:
                    yield from self._part(node, ones, others, items=True, batches=True)
            for others in singles:
                yield from self._part(node, ones, others, items=True)
        for event in dict.fromkeys(way.batches[at] for at in sorted(single)):
            batch = self._alike([event], clocks)
            for each, ones in enumerate(batch):
                yield from self._each_apart(node, ones)
                for others in batch[each + 1 :]:
                    yield from self._part(node, ones, others, items=False)
                meeting = self._meeting(node, ones, ones, items=True)
                yield from self._parted(node, self._all_until(ones, meeting), 0, meeting)

    def _batches_alike(
        self, way: Way, some: Sequence[int], clocks: Sequence[int]
    ) -> dict[int, tuple[list[int], set[int]]]:
        """Return where some batches of a way go, and joins that begin by themselves in each item, in groups as those
        of `_alike`, each with the batches that it is of.
        """
        groups: dict[int, tuple[list[int], set[int]]] = {}
        for batch in some:
            for target in (*self.graph.targets([way.batches[batch]]), *clocks):
                targets, batches = groups.setdefault(self._reach[target] & self._marks, ([], set()))
                targets.append(target)
                batches.add(batch)
        return groups

    def _clocks(self, node: int, way: Way, *, items: bool) -> list[int]:
        """Return the joins that begin by themselves after a way when their time is up, even if it does not lead there.

        Args:
            items: Whether the joins are meant whose clocks run for each item of a batch.
        """
        if way.ends or (items and not way.batches):
            return []
        return [
            join
            for join in self.graph.joins_of.get(node, ())
            if self.graph.nodes[join].timed
            and self.graph.nodes[join].form != "each"
            and self.graph.in_item(join) is items
            and (node != START or self.graph.leads(way.singles, join))
        ]

    def _alike(self, events: Sequence[str], more: Iterable[int] = ()) -> list[list[int]]:
        """Return where some events go, and more nodes, in groups that lead to the same joins past the same forks."""
        groups: dict[int, list[int]] = {}
        for target in (*self.graph.targets(events), *more):
            groups.setdefault(self._reach[target] & self._marks, []).append(target)
        return list(groups.values())

    def _each_apart(self, node: int, ones: list[int]) -> list[Parting]:
        """Return the partings of each of a group and those after it, in order; all of a group meet at the
        same joins.
        """
        meeting = self._meeting(node, ones, ones, items=False)
        found: list[Parting] = []
        others = 0
        for at, one in enumerate(reversed(ones)):
            first = self._until(one, meeting)  # nothing, where it is itself the join at which they meet
            if at:
                found += reversed(list(self._parted(node, first, others, meeting)))
            others |= first
        return found[::-1]

    def _part(
        self,
        node: int,
        ones: list[int],
        others: list[int],
        *,
        items: bool,
        batches: bool = False,
        again: bool = False,
    ) -> Iterator[Parting]:
        """Yield the partings of two groups of courses.

        Args:
            items: Whether one of them begins with the items of a batch.
            batches: Whether both do, with items of two batches.
            again: Whether what begins one of them may come again at any time.
        """
        meeting = self._meeting(node, ones, others, items=items, batches=batches)
        first, second = self._all_until(ones, meeting), self._all_until(others, meeting)
        return self._parted(node, first, second, meeting, again=again)

    def _parted(
        self, node: int, first: int, second: int, meeting: int, *, again: bool = False
    ) -> Iterator[Parting]:
        """Yield the partings of two courses: of each other, and of each with what follows a join that they meet at.

        What such a join cancels does not run beside what follows it, unless it may begin again afterwards.

        Args:
            again: Whether what begins a course may come again at any time.
        """
        yield Parting(node, first, second)
        cancelled = {} if again else self._cancelled_at(meeting, first | second)
        stops = meeting & self._emptying | sum(1 << join for join in cancelled)
        for join in members(meeting & ~self._waiting):
            after = self._until(join, stops & ~(1 << join))
            for course in (first, second):
                yield Parting(node, course & ~cancelled.get(join, 0), after)
        yield from self._after_two_joins(node, meeting, cancelled)

    def _after_two_joins(self, node: int, meeting: int, cancelled: dict[int, int]) -> list[Parting]:
        """Return the partings of what follows two joins of one frame, each up to the next join of it.

        The second may fire beside what follows the first where a course leads to it past the first.
        """
        key = (node, meeting, tuple(cancelled))
        if key not in self._after_two:
            joins = list(members(meeting)) if meeting & ~self._waiting else []
            following = {join: self._until(join, meeting & ~(1 << join)) for join in joins}
            beside = dict.fromkeys(joins, 0)
            for first in joins:
                past = self._until(node, 1 << first)
                for second in joins:
                    bit = 1 << second
                    follows = self._reach[first] & bit
                    waits = self._waiting & bit and (follows or self._waiting >> first & 1)
                    if second != first and not waits and (past & bit or not follows):
                        beside[second] |= following[first] & ~cancelled.get(second, 0)
            self._after_two[key] = [
                Parting(node, others, following[join]) for join, others in beside.items() if others
            ]
        return self._after_two[key]

    def _cancelled_at(self, meeting: int, courses: int) -> dict[int, int]:
        """Return what the joins at which courses meet cancel of them.

        A course that passes the join's fork on its way there is left out: the join cancels what is in one frame.
        """
        return {
            join: cancelled
            for join, cancelled in self._cancelled.items()
            if meeting >> join & 1 and not courses >> self.graph.forks[join] & 1
        }

    def _all_until(self, starts: list[int], stops: int) -> int:
        reached = 0
        for start in starts:
            reached |= self._until(start, stops)
        return reached

    def _meeting(
        self, node: int, ones: list[int], others: list[int], *, items: bool, batches: bool = False
    ) -> int:
        """Return the joins, of those on two groups of courses, at which the two meet: each fires once in a frame that
        holds both.

        A course that comes to the fork of a join again, past the join, gets there in a frame of its own. The join of a
        batch fires once for each batch, so two batches of one step do not meet there.
        """
        first, second = self._reach[ones[0]] & self._marks, self._reach[others[0]] & self._marks
        back = self._coming_back(node, [*ones, *others] if ones is not others else ones)
        key = (node, first, second, back, items, batches)
        if key in self._met:
            return self._met[key]
        meeting = 0
        for join in members(first & second & self._joins & ~back):
            fork = self.graph.forks.get(join)
            if fork == node:
                collects = self.graph.nodes[join].form == "each"
                apart = batches if collects else items and self.graph.in_item(join)
            else:
                apart = fork is None or bool((first | second) >> fork & 1)
            if not apart:
                meeting |= 1 << join
        self._met[key] = meeting
        return meeting

    def _coming_back(self, fork: int, targets: list[int]) -> int:
        """Return the joins past which what a fork sends to some nodes may come to it again."""
        around = [target for target in targets if self._reach[target] >> fork & 1]
        return sum(
            1 << join
            for join in (self.graph.joins_of.get(fork, ()) if around else ())
            if any(self._until(target, 1 << join) >> fork & 1 for target in around)
        )

    @cached_property
    def _reach(self) -> list[int]:
        """The nodes that each node leads to, itself included."""
        reach = [1 << node for node in range(len(self.graph.nodes))]
        backwards = sorted(range(len(reach)), key=self.graph.order.__getitem__)
        changed = True
        while changed:
            changed = False
            for node in backwards:
                before = reach[node]
                for target in self.graph.after[node]:
                    reach[node] |= reach[target]
                changed = changed or reach[node] != before
        return reach

    def _until(self, start: int, stops: int) -> int:
        """Return all nodes that a node leads to before some joins."""
        if not stops:
            return self._reach[start]
        key = (start, stops)
        if key not in self._short:
            seen = 0 if stops >> start & 1 else 1 << start
            work = [start] if seen else []
            while work:
                for target in self.graph.after[work.pop()]:
                    if not (seen | stops) >> target & 1:
                        seen |= 1 << target
                        work.append(target)
            self._short[key] = seen
        return self._short[key]
