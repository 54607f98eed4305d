"""The token game itself: a flow, played to the end in every way.

It knows nothing of the proof. It moves tokens with their frames through a net, as ``docs/proof.md`` says, and tries
every way to leave each step, zero to two items of each batch, each time-out early and late, and each value by which a
join pairs. Where a join cancels what is still on its way to it, tokens also move in any order.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from wfc.compiler.check.net import Net, Unit, Way
from wfc.compiler.slotted import replace

VALUES = ("x", "y")  # by which joins with `match_by` pair
RUNS = 2  # what `max_runs` stands for here
ITEMS = (0, 1, 2)
OUTSIDE = (0, 1, 2)  # how often an event from outside comes
PLAYS = 1500  # states looked at per flow

Frames = tuple[tuple[int, object], ...]  # fork → its frame, as a token carries them


@dataclass(frozen=True)
class Token:
    """An event on its way to one acceptor; ``slot`` -1: a batch that is handed to its collector."""

    node: int
    slot: int
    frames: Frames
    batches: tuple[object, ...]
    origin: object


Pairing = tuple[int, object, str]
"""A join, a frame of its fork, and the value by which it pairs there; empty if it pairs by none."""


class OverfilledError(Exception):
    """Two events of one kind came to an `all` join in one frame."""


@dataclass
class State:
    queue: list[Token] = field(default_factory=list)
    filled: dict[Pairing, frozenset[int]] = field(default_factory=dict)
    fired: frozenset[Pairing] = frozenset()
    timers: dict[tuple[int, object], tuple[Frames, tuple[object, ...]]] = field(default_factory=dict)
    waiting: dict[object, tuple[tuple[int, ...], Frames, tuple[object, ...]]] = field(default_factory=dict)
    opened: dict[object, tuple[Frames, tuple[object, ...]]] = field(default_factory=dict)
    runs: dict[tuple[int, object], int] = field(default_factory=dict)
    ended_in: frozenset[object] = frozenset()
    ended: bool = False
    failed: bool = False

    def copy(self) -> State:
        return State(
            list(self.queue),
            dict(self.filled),
            self.fired,
            dict(self.timers),
            dict(self.waiting),
            dict(self.opened),
            dict(self.runs),
            self.ended_in,
            self.ended,
            self.failed,
        )


class Game:
    """All plays of a net.

    Args:
        matching: Names of the joins that pair by values.
        cancelling: Names of the joins that cancel the rest.
        order: Which token moves next: the last one that was sent, or any.
    """

    def __init__(
        self,
        net: Net,
        matching: Collection[str] = (),
        cancelling: Collection[str] = (),
        order: random.Random | None = None,
    ) -> None:
        self.units = net.units
        self.order = order
        self.matching = {node for node, unit in enumerate(net.units) if unit.name in matching}
        self.ends = net.ends
        self.outside = net.outside
        self.acceptors: dict[str, list[tuple[int, int]]] = {}
        for node, unit in enumerate(self.units):
            for slot, event in enumerate(unit.slots):
                self.acceptors.setdefault(event, []).append((node, slot))
        self.collectors: dict[tuple[int, str], tuple[int, ...]] = {}
        self.level: dict[int, bool] = {}
        self.forks = self._forks()
        self.cancelled = {
            node: self._on_the_way(node) for node, unit in enumerate(net.units) if unit.name in cancelling
        }

    # who opens what, found the slow way

    def _edges(self, node: int) -> Iterator[int]:
        for way in self.units[node].ways:
            for event in (*way.singles, *way.batches):
                yield from (target for target, _ in self.acceptors.get(event, ()))
            for event in way.batches:
                yield from self._collectors(node, event)

    def _collectors(self, opener: int, event: str) -> tuple[int, ...]:
        """The `each` joins that items of a batch reach while it is the innermost one."""
        if (opener, event) in self.collectors:
            return self.collectors[opener, event]
        found, seen = set(), set()
        work = [(event, 0)]
        while work:
            here, depth = work.pop()
            if (here, depth) in seen or depth > len(self.units):
                continue
            seen.add((here, depth))
            for node, _slot in self.acceptors.get(here, ()):
                after = depth
                if self.units[node].form == "each":
                    if depth == 0:
                        found.add(node)
                        continue
                    after -= 1
                for way in self.units[node].ways:
                    work += [(one, after) for one in way.singles]
                    work += [(one, after + 1) for one in way.batches]
        self.collectors[opener, event] = tuple(sorted(found))
        return self.collectors[opener, event]

    def _reached(self, sources: list[int], without: int | None) -> set[int]:
        seen = {node for node in sources if node != without}
        work = list(seen)
        while work:
            for target in self._edges(work.pop()):
                if target != without and target not in seen:
                    seen.add(target)
                    work.append(target)
        return seen

    def _forks(self) -> dict[int, int]:
        forks = {}
        for join, unit in enumerate(self.units):
            if unit.form in ("one", "each"):
                continue
            passed = [
                node
                for node in range(len(self.units))
                if node != join and (node == 0 or join not in self._reached([0], node))
            ]
            # the nearest: every other one must be passed on the way to it
            forks[join] = next(
                node
                for node in passed
                if all(other in (0, node) or node not in self._reached([0], other) for other in passed)
            )
        for join, fork in forks.items():
            # is its frame an item? then the batch's events lead there, and nothing else of the fork does
            items = [
                n for w in self.units[fork].ways for e in w.batches for n, _ in self.acceptors.get(e, ())
            ]
            self.level[join] = join in self._in_batch(fork, items)
        return forks

    def _in_batch(self, opener: int, items: list[int]) -> set[int]:
        """What items reach before their batch is collected."""
        met, seen = set(), set()
        work = [(node, 0) for node in items]
        while work:
            node, depth = work.pop()
            if (node, depth) in seen or depth > len(self.units) or node == opener:
                continue
            seen.add((node, depth))
            met.add(node)
            after = depth - 1 if self.units[node].form == "each" else depth
            if after < 0:
                continue
            for way in self.units[node].ways:
                for event in way.singles:
                    work += [(target, after) for target, _ in self.acceptors.get(event, ())]
                for event in way.batches:
                    work += [(target, after + 1) for target, _ in self.acceptors.get(event, ())]
        return met

    def _leads(self, events: tuple[str, ...], join: int, fork: int) -> bool:
        targets = [node for event in events for node, _ in self.acceptors.get(event, ())]
        return join in self._reached(targets, fork)

    def _on_the_way(self, join: int) -> set[int]:
        """The nodes from which a join is reached without passing its fork."""
        fork = self.forks[join]
        return {
            node
            for node in range(len(self.units))
            if node not in (join, fork) and join in self._reached(list(self._edges(node)), fork)
        }

    # playing

    def play(self, letter: bool) -> tuple[str, int]:
        """The first mishap of any play: ``stuck``, ``starved``, ``overfilled``; or ``fine``; or ``long``."""
        self.letter = letter
        work = [self.begun(came) for came in itertools.product(OUTSIDE, repeat=len(self.outside))]
        count = 0
        while work:
            count += 1
            if count > PLAYS:
                return "long", count
            state = work.pop()
            try:
                following = self.moves(state)
                if following is None:
                    verdict = self.verdict(state)
                    if verdict != "fine":
                        return verdict, count
                    continue
                work += following
            except OverfilledError:
                return "overfilled", count
        return "fine", count

    def begun(self, came: tuple[int, ...]) -> State:
        """The beginning of a run to which each event from outside comes so many times."""
        way = self.units[0].ways[0]
        often = dict(zip(self.outside, came, strict=True))
        singles = tuple(event for event in way.singles for _ in range(often.get(event, 1)))
        first = State()
        self.emit(first, 0, replace(way, singles=singles), (), (), "start", ())
        return first

    def verdict(self, state: State) -> str:
        if state.failed:
            return "fine"
        if not state.ended:
            return "stuck"
        for key, slots in state.filled.items():
            join, frame, value = key
            unit = self.units[join]
            partial = unit.form == "all" and not unit.timed and 0 < len(slots) < len(unit.slots)
            if partial and not value and key not in state.fired and frame not in state.ended_in:
                return "starved"
        return "fine"

    def moves(self, state: State) -> list[State] | None:
        if state.failed:
            return None
        if state.queue:
            at = -1 if self.order is None else self.order.randrange(len(state.queue))
            return self.arrive(state, state.queue.pop(at))
        for batch, (collectors, frames, batches) in reversed(state.waiting.items()):
            if any(batch in inner for _c, _f, inner in state.waiting.values()):
                continue
            if any(batch in held for _frames, held in state.timers.values()):
                continue
            del state.waiting[batch]
            for node in collectors:
                state.queue.append(Token(node, -1, frames, batches, ("collect", batch, node)))
            return [state]
        if state.timers:
            key = next(reversed(state.timers))
            return self.time_out(state, key)
        return None

    def arrive(self, state: State, token: Token) -> list[State]:
        unit = self.units[token.node]
        if unit.form == "one" or token.slot < 0:
            return self.run(state, token.node, token.frames, token.batches, token.origin, None)
        if unit.form == "each":
            return [state]
        frame = dict(token.frames).get(self.forks[token.node])
        assert frame is not None
        if token.node not in self.matching:
            return self.fill(state, (token.node, frame, ""), token.slot)
        # one value is as good as another until there is one
        known = [value for value in VALUES if (token.node, frame, value) in state.filled]
        return [
            after
            for value in VALUES[: len(known) + 1]
            for after in self.fill(state.copy(), (token.node, frame, value), token.slot)
        ]

    def fill(self, state: State, key: Pairing, slot: int) -> list[State]:
        """A token comes into a slot of a join; if that was the last one that it wanted, the join goes on."""
        join, frame, value = key
        unit = self.units[join]
        slots = state.filled.get(key, frozenset())
        if slot in slots:
            if unit.form == "all" and not value:
                raise OverfilledError
            if unit.form == "all" and key not in state.fired:
                state.failed = True  # two of a kind with one value: the run fails, and says so
            return [state]
        slots |= {slot}
        state.filled[key] = slots
        if key in state.fired or len(slots) < self.needed(unit):
            return [state]
        if unit.timed and not value and join not in self.cancelled:
            return [state]  # see `time_out`
        state.fired |= {key}
        if join in self.cancelled:
            state.timers.pop((join, frame), None)
            self.cancel(state, join, frame)
        frames, batches = state.opened[frame]
        return self.run(state, join, frames, batches, key, {"emit", "on_error"} if unit.timed else None)

    def needed(self, unit: Unit) -> int:
        return {"all": len(unit.slots), "any": 1, "at_least": unit.count}[unit.form]

    def cancel(self, state: State, join: int, frame: object) -> None:
        """What is still on its way to a join in a frame is gone, and what waited for that with it."""
        region = self.cancelled[join]
        inside = (self.forks[join], frame)
        state.queue = [
            token for token in state.queue if token.node not in region or inside not in token.frames
        ]
        for (node, inner), (frames, _batches) in list(state.timers.items()):
            if node in region and inside in frames:
                del state.timers[node, inner]
        for batch, (collectors, frames, _batches) in list(state.waiting.items()):
            if inside in frames and region.issuperset(collectors):
                del state.waiting[batch]
        for key in state.filled:
            if key[0] in region and (key[1] == frame or inside in state.opened[key[1]][0]):
                state.fired |= {key}

    def time_out(self, state: State, timer: tuple[int, object]) -> list[State]:
        """A join with a time-out leaves once; the clock may have run out before the last event came."""
        frames, batches = state.timers.pop(timer)
        join, frame = timer
        unit = self.units[join]
        late = {"on_timeout"} if any(way.occasion == "on_timeout" for way in unit.ways) else {"emit"}
        if join in self.matching:
            keys = [(join, frame, value) for value in VALUES if (join, frame, value) in state.filled]
            following = [state]
            for key in [key for key in keys if key not in state.fired] if keys else [(join, frame, "")]:
                state.fired |= {key}
                following = [
                    after
                    for before in following
                    for after in self.run(before, join, frames, batches, key, late)
                ]
            return following
        key = (join, frame, "")
        full = len(state.filled.get(key, ())) >= self.needed(unit)
        state.fired |= {key}
        if join in self.cancelled:
            self.cancel(state, join, frame)
        return self.run(state, join, frames, batches, key, late | {"emit", "on_error"} if full else late)

    def run(
        self,
        state: State,
        node: int,
        frames: Frames,
        batches: tuple[object, ...],
        origin: object,
        occasions: set[str] | None,
    ) -> list[State]:
        unit = self.units[node]
        ways = [way for way in unit.ways if way.occasion != "on_timeout"]
        if occasions is not None:
            ways = [way for way in unit.ways if way.occasion in occasions]
        if unit.bounded:
            scope = batches[-1] if batches else None
            item = next(
                (frame for _fork, frame in frames if isinstance(frame, tuple) and frame[0] == "item"), None
            )
            counted = (node, (scope, item))
            if state.runs.get(counted, 0) >= RUNS:
                ways = [way for way in unit.ways if way.occasion == "on_limit"]
            state.runs[counted] = state.runs.get(counted, 0) + 1
        following = []
        for way in ways:
            counts: list[tuple[int, ...]] = [()]
            for _ in way.batches:
                counts = [(*before, n) for before in counts for n in ITEMS]
            for count in counts:
                after = state.copy()
                self.emit(after, node, way, frames, batches, (node, origin), count)
                following.append(after)
        return following

    def emit(
        self,
        state: State,
        node: int,
        way: Way,
        frames: Frames,
        batches: tuple[object, ...],
        origin: object,
        counts: tuple[int, ...],
    ) -> None:
        own = ("run", origin)
        outer = self.open(state, node, frames, batches, own, item=False, events=(*way.singles, *way.batches))
        if way.ends:
            state.ended = True
            state.ended_in |= {frame for _fork, frame in outer}
        for index, event in enumerate(way.singles):
            self.deliver(state, event, outer, batches, (own, index))
        for index, (event, count) in enumerate(zip(way.batches, counts, strict=True)):
            collectors = self._collectors(node, event)
            batch = (own, "batch", index)
            if collectors:
                state.waiting[batch] = (collectors, outer, batches)
            for position in range(count):
                item = ("item", own, index, position)
                inner = (*batches, batch)
                frames_of_item = self.open(state, node, outer, inner, item, item=True, events=(event,))
                self.deliver(state, event, frames_of_item, inner, item)

    def open(
        self,
        state: State,
        node: int,
        frames: Frames,
        batches: tuple[object, ...],
        frame: object,
        *,
        item: bool,
        events: tuple[str, ...],
    ) -> Frames:
        if node not in self.forks.values() and not item:
            return frames
        after = (*((fork, old) for fork, old in frames if fork != node), (node, frame))
        state.opened[frame] = (after, batches)
        for join, fork in self.forks.items():
            own = fork == node and self.units[join].timed and self.level[join] == item
            if own and (self.letter or self._leads(events, join, fork)):
                state.timers[join, frame] = (after, batches)
        return after

    def deliver(
        self, state: State, event: str, frames: Frames, batches: tuple[object, ...], origin: object
    ) -> None:
        if event in self.ends:
            state.ended = True
            state.ended_in |= {frame for _fork, frame in frames}
        for node, slot in self.acceptors.get(event, ()):
            state.queue.append(Token(node, slot, frames, batches, (origin, node)))
