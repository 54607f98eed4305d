"""The possible outcomes of one completion of a fork, within its frame: the sets of vectors on which the proof
rests.

A vector says how many tokens (0, 1 or many) arrive in each slot of the joins looked at. Each comes
with or without an end of the run. Of those with an end only "many" and what may follow matter, each slot for
itself, so that one vector stands for them all: their greatest in every slot.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from wfc.compiler.model.flow import START
from wfc.compiler.proof.graph.flow_graph import FlowGraph, Way
from wfc.compiler.proof.joins.traces import FIRED, Course, FlowToken
from wfc.compiler.slotted import dataclass, field

__all__ = ["Outcomes", "TooManyOutcomes"]

BITS = 3  # a slot: 0, 1 or 2 (many), and room for the sum of two of them
LIMIT = 4096  # vectors of one step; a sound flow has a handful


@dataclass(slots=True)
class Outcome:
    """All possible outcomes of something.

    Args:
        open: Vectors of courses without an end event, each with a trace that shows one. A course that goes on for
            ever has no vector; that there is none is another rule's business.
        ended: The greatest vector of courses with an end event; ``None`` if there is no such course.
    """

    open: dict[int, Course | None] = field(default_factory=dict)
    ended: int | None = None


@dataclass(slots=True)
class PartialOutcome:
    """An incomplete outcome: that of the tokens added so far."""

    open: dict[int, FlowToken | None]
    ended: int | None = None


DROPPED = Outcome({0: None})
EXCUSED = Outcome({}, 0)  # what another finding covers counts as an end, so that it causes no more findings


def certain(way: Way) -> list[str]:
    """Return the single events of a way that are emitted in any case."""
    return [event for event in way.singles if event not in way.loose]


class TooManyOutcomes(Exception):  # noqa: N818 — not an error: the flow is refused
    """The exception raised if there are more vectors than can be examined."""


class Outcomes:
    """The least fixpoint of outcomes over the region of one fork.

    Args:
        root: The fork whose frame is looked at. A token that comes back to it leaves the frame.
        target: A join of that fork whose slots are watched; it does not fire. ``None``: none.
        trusted: `all` joins already proven: such a join fires with the token in its first slot. At any
            other `all` join tokens come to nothing, and so excuse nothing.
        given_up: Joins that a finding covers already: what reaches them counts as an end.
        narrow: Look only at what leads to the target, and let nothing else excuse it. What holds then holds
            all the more with everything in view, which is slower.
    """

    def __init__(
        self,
        graph: FlowGraph,
        root: int,
        target: int | None,
        trusted: Collection[int],
        given_up: Collection[int] = (),
        *,
        narrow: bool = False,
    ) -> None:
        self.graph = graph
        self.root = root
        self.target = target
        self.trusted = trusted
        self.out: dict[int, Outcome] = {}
        self.after_event: dict[
            tuple[int, int], Outcome
        ] = {}  # of nodes that tell their events apart, by the slot
        self.base: dict[int, int] = {}
        self.fired: set[int] = set()
        self.given_up = given_up
        self.arrivals: dict[tuple[int, int], Outcome] = {}
        self.view = {target, *graph.leading_to(target)} if narrow and target is not None else None
        self.region = self._region()
        self._place_slots()
        self._solve(sorted(self.region - {root, target}, key=graph.order.__getitem__))

    def _region(self) -> set[int]:
        seen = {self.root}
        work = [self.root]
        while work:
            for target in self._next(work.pop()):
                if target not in seen and (self.view is None or target in self.view):
                    seen.add(target)
                    if target != self.target and target in self.graph.alive:
                        work.append(target)
        return seen

    def _next(self, node: int) -> Iterator[int]:
        """Yield the nodes that a node leads to: by events, and the joins that fire when their time-out
        expires.
        """
        yield from self.graph.after[node]
        for join in self.graph.joins_of.get(node, ()):
            if self.graph.nodes[join].timed:
                yield join

    def _place_slots(self) -> None:
        """Assign places in the vectors to the slots of the target, and of joins that fire on some vectors
        only.
        """
        width = 0
        joins = [join for join in sorted(self.region) if self._counted(join)]
        for join in joins:
            self.base[join] = width
            width += BITS * self.graph.nodes[join].width
        self.ones = sum(1 << bit for bit in range(0, width, BITS))

    def _counted(self, join: int) -> bool:
        unit = self.graph.nodes[join]
        if join == self.target:
            return True
        return unit.form == "any" and not unit.timed and self.graph.forks.get(join) in self.region

    def _solve(self, nodes: list[int]) -> None:
        for node in nodes:
            self.out[node] = Outcome()
        order = self.graph.order
        known = set(nodes)
        loops = any(order[to] >= order[node] for node in nodes for to in self._next(node) if to in known)
        changed = True
        while changed:
            changed = False
            for node in nodes:
                changed = self._update(node) or changed
            changed = changed and loops

    def _update(self, node: int) -> bool:
        """Add the current outcomes of a node's ways; return whether any of them is new."""
        unit = self.graph.nodes[node]
        if not unit.told_apart:
            return self._extend(self.out[node], node, unit.ways)
        new = [
            self._extend(
                self.after_event.setdefault((node, slot), Outcome()),
                node,
                [way for way in unit.ways if way.is_open_to(event)],
            )
            for slot, event in enumerate(unit.slots)
        ]
        return any(new)

    def _extend(self, known: Outcome, node: int, ways: Iterable[Way]) -> bool:
        """Add the current outcomes of some ways of a node to those known; return whether any of them is new."""
        size, ended = len(known.open), known.ended
        for way in ways:
            emission = self._leave(node, way)
            for vector, tokens in emission.open.items():
                if vector not in known.open:
                    known.open[vector] = Course(node, way, tokens)
            known.ended = self._greatest(known.ended, emission.ended)
        if len(known.open) > LIMIT:
            raise TooManyOutcomes
        return len(known.open) != size or known.ended != ended

    def of_root(self, ways: Sequence[Way] | None = None) -> Outcome:
        """Return the outcome of one completion of the root, or of one item of it if the target's frames are
        items.

        Args:
            ways: Those of its ways that are looked at; ``None``: all.
        """
        by_item = self.target is not None and self.graph.in_item(self.target)
        result = Outcome()
        for way in self.graph.nodes[self.root].ways if ways is None else ways:
            if by_item:
                emissions = [self._item(self.root, way, event) for event in way.batches]
            else:
                emissions = [self._leave(self.root, way)]
            for emission in emissions:
                for vector, tokens in emission.open.items():
                    result.open.setdefault(vector, Course(self.root, way, tokens))
                result.ended = self._greatest(result.ended, emission.ended)
        return result

    def slots(self, vector: int, join: int) -> tuple[int, ...]:
        """Return how many tokens (2: many) a vector has in each slot of a join."""
        base = self.base[join]
        return tuple(vector >> base + BITS * slot & 3 for slot in range(self.graph.nodes[join].width))

    # one completion

    def _leave(self, node: int, way: Way) -> PartialOutcome:
        emission = PartialOutcome({0: None})
        for event in way.singles:
            if event in way.loose:
                arriving = self._broadcast(PartialOutcome({0: None}), event)
                emission = self._any_number(emission, event, arriving)
            else:
                emission = self._broadcast(emission, event)
        if way.ends:
            emission = PartialOutcome({}, self._all(emission))
        for event in way.batches:
            emission = self._any_number(emission, event, self._item(node, way, event))
            emission = self._collected(emission, node, event)
        return self._with_joins(emission, node, way, item=False)

    def _item(self, node: int, way: Way, event: str) -> PartialOutcome:
        if event in self.graph.ends:
            return PartialOutcome({}, 0)
        emission = self._broadcast(PartialOutcome({0: None}), event)
        return self._with_joins(emission, node, way, item=True)

    def _any_number(self, emission: PartialOutcome, event: str, item: PartialOutcome) -> PartialOutcome:
        """Return the outcome of any number of items of a batch, or of events from outside, zero included.

        What items send out of the batch (a mistake) counts as many.
        """
        batch = PartialOutcome({0: None}, item.ended)
        for vector, tokens in item.open.items():
            for times in (vector, self._plus(vector, vector)):
                if times not in batch.open:
                    batch.open[times] = tokens
        first = next(iter(self.graph.acceptors.get(event, ())), (0, 0))
        arrival = Outcome(
            {
                vector: None if tokens is None or tokens.trace is None else tokens.trace
                for vector, tokens in batch.open.items()
            },
            batch.ended,
        )
        return self._add(emission, event, first[0], first[1], arrival)

    def _collected(self, emission: PartialOutcome, node: int, event: str) -> PartialOutcome:
        """Fire the `each` joins of one batch, whatever the outcome of its items."""
        every = [join for join in self._joins(node) if self.graph.nodes[join].form == "each"]
        return self._fire(emission, [join for join in every if self.graph.leads([event], join)])

    def _with_joins(self, emission: PartialOutcome, node: int, way: Way, *, item: bool) -> PartialOutcome:
        """Fire the joins of a frame: those that fire in any case, then those that fire on some vectors."""
        some: list[int] = []
        for join in self._joins(node):
            unit = self.graph.nodes[join]
            if unit.form == "each" or self.graph.in_item(join) != item:
                continue
            if unit.timed and node == START and not self.graph.leads(way.singles, join):
                continue  # the clocks that begin with a run, or with an exit, are those of joins that it leads to
            if unit.timed:
                fired = self._fire(emission, [join])
                events = way.batches if item else (*certain(way), *way.batches)
                # where nothing leads to it, its time may run all the same
                emission = fired if self.graph.leads(events, join) else self._either(emission, fired)
            elif unit.form != "all":
                some.append(join)
        return self._settle(emission, some) if some else emission

    def _joins(self, fork: int) -> Iterator[int]:
        for join in self.graph.joins_of.get(fork, ()):
            if join in self.out and join in self.graph.alive:
                yield join

    def _fire(self, emission: PartialOutcome, joins: Iterable[int]) -> PartialOutcome:
        for join in joins:
            emission = self._add(emission, self.graph.nodes[join].slots[0], join, FIRED, self.out[join])
        return emission

    def _either(self, one: PartialOutcome, other: PartialOutcome) -> PartialOutcome:
        return PartialOutcome({**other.open, **one.open}, self._greatest(one.ended, other.ended))

    def _settle(self, emission: PartialOutcome, joins: list[int]) -> PartialOutcome:
        """Fire each of these joins, at most once, on every vector that fills enough of its slots."""
        mask = sum(((1 << BITS * self.graph.nodes[join].width) - 1) << self.base[join] for join in joins)
        settled = PartialOutcome({}, emission.ended)
        work = [(vector, tokens, frozenset[int]()) for vector, tokens in emission.open.items()]
        met = {(vector, fired) for vector, _tokens, fired in work}
        while work:
            vector, tokens, fired = work.pop()
            join = next((join for join in joins if join not in fired and self._reached(vector, join)), None)
            if join is None:
                settled.open.setdefault(vector & ~mask, tokens)
                continue
            self.fired.add(join)
            step = self._fire(PartialOutcome({vector: tokens}), [join])
            settled.ended = self._greatest(settled.ended, step.ended)
            for after, link in step.open.items():
                state = (after, fired | {join})
                if state not in met:
                    met.add(state)
                    work.append((after, link, state[1]))
            if len(met) > LIMIT:
                raise TooManyOutcomes
        if settled.ended is not None:
            settled.ended = self._settle_ended(settled.ended, joins) & ~mask
        return settled

    def _settle_ended(self, vector: int, joins: Iterable[int]) -> int:
        # the greatest vector stands for many: a join that some of them fire is counted as fired
        waiting = list(joins)
        while ready := [join for join in waiting if self._reached(vector, join)]:
            for join in ready:
                self.fired.add(join)
                waiting.remove(join)
                out = self.out[join]
                greatest = self._all(out)
                vector = self._plus(vector, greatest or 0)
        return vector

    def _reached(self, vector: int, join: int) -> bool:
        return sum(map(bool, self.slots(vector, join))) >= self.graph.nodes[join].needed

    # tokens

    def _broadcast(self, emission: PartialOutcome, event: str) -> PartialOutcome:
        acceptors = self.graph.acceptors.get(event)
        if acceptors is None:
            return PartialOutcome({}, self._all(emission))
        for node, slot in acceptors:
            if self.view is not None and node not in self.view:
                continue
            emission = self._add(emission, event, node, slot, self._arrive(node, slot))
        return emission

    def _arrive(self, node: int, slot: int) -> Outcome:
        """Return the outcome of a token that arrives in a slot of a node."""
        if node == self.root:
            return DROPPED
        if node not in self.graph.alive or node in self.given_up:
            return EXCUSED
        if node in self.base:
            at = (node, slot)
            if at not in self.arrivals:
                self.arrivals[at] = Outcome({1 << self.base[node] + BITS * slot: None})
            return self.arrivals[at]
        unit = self.graph.nodes[node]
        if unit.told_apart:
            return self.after_event.setdefault((node, slot), Outcome())
        if unit.form == "one":
            return self.out[node]
        # a join of a fork further out fires in a frame that this one is only a part of
        fires = unit.form == "all" and not unit.timed and slot == 0 and node in self.trusted
        return self.out[node] if fires and self.graph.forks[node] in self.region else DROPPED

    def _add(
        self, emission: PartialOutcome, event: str, node: int, slot: int, arrival: Outcome
    ) -> PartialOutcome:
        """Combine two outcomes: every course of the one with every course of the other."""
        both: dict[int, FlowToken | None] = {}
        for one, tokens in emission.open.items():
            for other, trace in arrival.open.items():
                vector = self._plus(one, other)
                if vector not in both:
                    both[vector] = FlowToken(tokens, event, node, slot, trace)
        if len(both) > LIMIT:
            raise TooManyOutcomes
        ended: int | None = None
        if emission.ended is not None and (other_any := self._all(arrival)) is not None:
            ended = self._plus(emission.ended, other_any)
        if arrival.ended is not None and (one_any := self._all(emission)) is not None:
            ended = self._greatest(ended, self._plus(one_any, arrival.ended))
        return PartialOutcome(both, ended)

    # vectors

    def _plus(self, one: int, other: int) -> int:
        total = one + other
        many = (total >> 1 | total >> 2) & self.ones
        return many << 1 | total & self.ones & ~many

    def _greatest(self, one: int | None, other: int | None) -> int | None:
        if one is None or other is None:
            return one if other is None else other
        either = one | other
        many = either >> 1 & self.ones
        return many << 1 | either & self.ones & ~many

    def _all(self, outcome: Outcome | PartialOutcome) -> int | None:
        """Return the greatest vector of all courses; ``None`` if there is none."""
        greatest = outcome.ended
        for vector in outcome.open:
            greatest = self._greatest(greatest, vector)
        return greatest
