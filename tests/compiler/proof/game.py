"""The token game itself: a flow, played to the end in every way.

It knows nothing of the proof. It moves tokens with their frames through a graph, as ``docs/proof.md`` says, and tries
every way to leave each step, zero to two items of each batch, each time-out early and late, and each value by which a
join pairs. Where a join cancels what is still on its way to it, tokens also move in any order.

Steps whose ways are entries of a list (`language.Leave`) leave by the first that fits, for all inputs, results and
errors. An error that no entry takes is the run's: it ends by an exit of its own, or fails. What begins the run anew
ends it here, since all that may come after that is what may come of a beginning.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from conditions import DOMAINS, Facts, assignments, holds, subjects
from language import ERRORS, Leave, leaves
from layout import Layout
from random_flows import Flow

from wfc.compiler.proof.graph.flow_graph import StepNode, Way
from wfc.compiler.slotted import replace

VALUES = ("x", "y")  # by which joins with `match_by` pair
RUNS = 2  # what `max_runs` stands for here
ITEMS = (0, 1, 2)
OUTSIDE = (0, 1, 2)  # how often an event from outside comes
PLAYS = 1500  # states looked at per flow
ORDERS = 3  # in which tokens also move, where that matters
ENDLESS = 60  # runs of one step that no bounds of ours allow
INPUTS = {
    "inputs.most": (0, 1, 2),
    **{key: values for key, values in DOMAINS.items() if key.startswith("inputs.")},
}

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


class MishapError(Exception):
    """Something that must not be, by its name.

    ``overfilled``: two events of one kind came to an `all` join in one frame. ``fell``: no entry of a list fits.
    ``endless``: a step has run so often that nothing can bound it.
    """


@dataclass
class State:
    queue: list[Token] = field(default_factory=list)
    filled: dict[Pairing, frozenset[int]] = field(default_factory=dict)
    fired: frozenset[Pairing] = frozenset()
    timers: dict[tuple[int, object], tuple[Frames, tuple[object, ...]]] = field(default_factory=dict)
    waiting: dict[object, tuple[tuple[int, ...], Frames, tuple[object, ...]]] = field(default_factory=dict)
    opened: dict[object, tuple[Frames, tuple[object, ...]]] = field(default_factory=dict)
    runs: dict[tuple[int, object], int] = field(default_factory=dict)
    inputs: Facts = field(default_factory=dict)
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
            self.inputs,
            self.ended_in,
            self.ended,
            self.failed,
        )


class Game(Layout):
    """All plays of a flow.

    Args:
        order: Which token moves next: the last one that was sent, or any.
    """

    def __init__(self, flow: Flow, order: random.Random | None = None) -> None:
        opening = StepNode("start", "one", (), (Way("start", ("S", *flow.outside)),))
        super().__init__((opening, *flow.nodes))
        self.flow = flow
        self.order = order
        self.matching = {node for node, unit in enumerate(self.nodes) if unit.name in flow.matching}
        self.outside = flow.outside
        self.cancelled = {
            node: self._on_the_way(node)
            for node, unit in enumerate(self.nodes)
            if unit.name in flow.cancelling
        }

    # playing

    def play(self, letter: bool) -> tuple[str, int]:
        """The first mishap of any play: ``stuck``, ``starved``, those of `MishapError`; or ``fine``; or ``long``."""
        self.letter = letter
        work = [
            self.begun(came, inputs)
            for came in itertools.product(OUTSIDE, repeat=len(self.outside))
            for inputs in self.inputs()
        ]
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
            except MishapError as mishap:
                return str(mishap), count
            except RecursionError:  # a frame within a frame within …
                return "endless", count
        return "fine", count

    def inputs(self) -> Iterator[Facts]:
        """All inputs that anything looks at."""
        looked = subjects([way.when for unit in self.nodes for way in unit.ways if isinstance(way, Leave)])
        looked |= set(map(str, self.flow.bounds.values()))
        return assignments(sorted(looked & INPUTS.keys()), INPUTS)

    def begun(self, came: tuple[int, ...], inputs: Facts) -> State:
        """The beginning of a run with these inputs, to which each event from outside comes so many times."""
        way = self.nodes[0].ways[0]
        often = dict(zip(self.outside, came, strict=True))
        singles = tuple(event for event in way.singles for _ in range(often.get(event, 1)))
        first = State(inputs=inputs)
        self.emit(first, 0, replace(way, singles=singles), (), (), "start", ())
        return first

    def verdict(self, state: State) -> str:
        if state.failed:
            return "fine"
        if not state.ended:
            # what comes from outside may come as long as there is time
            return "fine" if self.flow.deadline and self.outside else "stuck"
        for key, slots in state.filled.items():
            join, frame, value = key
            unit = self.nodes[join]
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
        unit = self.nodes[token.node]
        if unit.form == "one" or token.slot < 0:
            late = unit.form == "each" and unit.timed
            return self.run(state, token, timed_out=late, full=True)
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
        unit = self.nodes[join]
        slots = state.filled.get(key, frozenset())
        if slot in slots:
            if unit.form == "all" and not value:
                raise MishapError("overfilled")
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
        return self.run(state, Token(join, -1, frames, batches, key), full=True)

    def needed(self, unit: StepNode) -> int:
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
        unit = self.nodes[join]
        if join in self.matching:
            keys = [(join, frame, value) for value in VALUES if (join, frame, value) in state.filled]
            following = [state]
            for key in [key for key in keys if key not in state.fired] if keys else [(join, frame, "")]:
                state.fired |= {key}
                token = Token(join, -1, frames, batches, key)
                following = [
                    after
                    for before in following
                    for after in self.run(before, token, timed_out=True, full=False)
                ]
            return following
        key = (join, frame, "")
        full = len(state.filled.get(key, ())) >= self.needed(unit)
        state.fired |= {key}
        if join in self.cancelled:
            self.cancel(state, join, frame)
        return self.run(state, Token(join, -1, frames, batches, key), timed_out=True, full=full)

    def run(self, state: State, token: Token, *, full: bool, timed_out: bool = False) -> list[State]:
        """A step runs: all that can come of it.

        Args:
            full: Whether all has come that a join waits for.
            timed_out: Whether its time may be up.
        """
        unit = self.nodes[token.node]
        facts = dict(state.inputs)
        if unit.form == "one" and token.slot >= 0:
            facts["event"] = unit.slots[token.slot]
        if self.used_up(state, token, facts):
            leaving = self.taken(unit, "on_limit", facts) if self.has(unit, "on_limit") else [None]
        else:
            instead = timed_out and self.has(unit, "on_timeout")
            leaving = self.taken(unit, "on_timeout", facts) if instead else []
            if full or (timed_out and not instead):
                leaving += self.acted(unit, facts)
        following = []
        for way in leaving:
            for count in itertools.product(ITEMS, repeat=0 if way is None else len(way.batches)):
                after = state.copy()
                if way is None:
                    after.failed = True
                else:
                    self.emit(
                        after, token.node, way, token.frames, token.batches, (token.node, token.origin), count
                    )
                following.append(after)
        return following

    def used_up(self, state: State, token: Token, facts: Facts) -> bool:
        """Counts a run of a step; whether it is one more than there may be."""
        unit = self.nodes[token.node]
        scope = token.batches[-1] if token.batches else None
        item = next((f for _fork, f in token.frames if isinstance(f, tuple) and f[0] == "item"), None)
        counted = (token.node, (scope, item))
        before = state.runs.get(counted, 0)
        state.runs[counted] = before + 1
        if before >= ENDLESS and not state.ended:
            raise MishapError("endless")
        state.failed |= before >= ENDLESS  # what goes on after the end does not
        bound = self.flow.bounds.get(unit.name, RUNS)
        return unit.bounded and before >= (bound if isinstance(bound, int) else int(str(facts[bound])))

    def acted(self, unit: StepNode, facts: Facts) -> list[Way | None]:
        """The ways by which a step may leave that does what it is for; ``None``: the run's own."""
        emit = [way for way in unit.ways if way.occasion == "emit"]
        looked = sorted(subjects([way.when for way in leaves(emit, "emit")]) - facts.keys())
        domains = {**DOMAINS, "result.way": range(len(emit))}
        found: list[Way | None] = []
        for result in assignments(looked, domains):
            found += self.taken(unit, "emit", {**facts, **result})
        if self.has(unit, "on_expired"):
            found += self.taken(unit, "on_expired", facts)
        if self.has(unit, "on_error"):
            for error in ERRORS:
                found += self.taken(unit, "on_error", facts, error)
        return list(dict.fromkeys(found))

    def has(self, unit: StepNode, occasion: str) -> bool:
        return any(way.occasion == occasion for way in unit.ways)

    def taken(self, unit: StepNode, occasion: str, facts: Facts, error: str = "") -> list[Way | None]:
        """The entries of an occasion that may be taken: the first that fits, or any if nothing decides."""
        listed = leaves(unit.ways, occasion)
        if not listed:
            return [way for way in unit.ways if way.occasion == occasion]
        for way in listed:
            if (not way.errors or error in way.errors) and (way.when is None or holds(way.when, facts)):
                return [way]
        if occasion == "on_error":
            return [None]
        raise MishapError("fell")

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
            own = fork == node and self.nodes[join].timed and self.level[join] == item
            if own and (self.letter or self._leads(events, join, fork)):
                state.timers[join, frame] = (after, batches)
        return after

    def deliver(
        self, state: State, event: str, frames: Frames, batches: tuple[object, ...], origin: object
    ) -> None:
        for node, slot in self.acceptors.get(event, ()):
            state.queue.append(Token(node, slot, frames, batches, (origin, node)))


def play(flow: Flow, seed: int) -> str:
    """What comes of a flow: the first mishap of any play, or ``fine``; ``long`` if not all was looked at."""
    verdict, _count = Game(flow).play(letter=seed % 2 == 0)
    for turn in range(ORDERS if flow.cancelling else 0):
        if verdict != "fine":
            break
        order = random.Random(seed * ORDERS + turn)  # noqa: S311 — flows, not secrets
        verdict, _count = Game(flow, order).play(letter=seed % 2 == 0)
    return verdict
