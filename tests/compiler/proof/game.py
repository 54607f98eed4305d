"""The token game itself: a flow, played to the end in every way.

It knows nothing of the proof. It moves tokens with their frames through a graph, as ``docs/proof.md`` says, and tries
every way to leave each step, zero to two items of each batch, and each time-out early and late. Where a join cancels
what is still on its way to it, tokens also move in any order. Where a batch has a bound on the items under way, the
next is sent when nothing of one is left.

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


InFrame = tuple[int, object]
"""A join, and a frame of its fork; or a join of a batch, and the batch."""


class MishapError(Exception):
    """Something that must not be, by its name.

    ``overfilled``: two events of one kind came to an `all` join in one frame. ``fell``: no entry of a list fits.
    ``endless``: a step has run so often that nothing can bound it. ``lost``: a join has cancelled work that would have
    sent something elsewhere, or might have.
    """


@dataclass(frozen=True)
class Item:
    """An item of a batch that has not been sent: by whom, which event, what it carries then, and its own frame."""

    opener: int
    event: str
    frames: Frames
    batches: tuple[object, ...]
    frame: object


@dataclass
class State:
    """What is under way.

    Args:
        collected: How many events have come to the join of a batch.
        pending: Batch → how many of its items may be under way, and those that have not been sent.
        waiting: Batch → who collects it, and what it carries then.
    """

    queue: list[Token] = field(default_factory=list)
    filled: dict[InFrame, frozenset[int]] = field(default_factory=dict)
    fired: frozenset[InFrame] = frozenset()
    collected: dict[InFrame, int] = field(default_factory=dict)
    pending: dict[object, tuple[int, tuple[Item, ...]]] = field(default_factory=dict)
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
            dict(self.collected),
            dict(self.pending),
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
        beginnings = [Way("start", ("S", *flow.outside)), *(Way(key, (event,)) for key, event in flow.exits)]
        opening = StepNode("start", "one", (), tuple(beginnings))
        super().__init__((opening, *flow.nodes))
        self.flow = flow
        self.beginning, self.reached = beginnings[0], set(range(len(self.nodes)))
        self.order = order
        self.outside = flow.outside
        self.cancelled = {
            node: self._on_the_way(node)
            for node, unit in enumerate(self.nodes)
            if unit.name in flow.cancelling
        }
        self.spilling = {join: self._spilling(join, region) for join, region in self.cancelled.items()}
        self.finishing = {node for node, unit in enumerate(self.nodes) if unit.name in flow.finishing}

    # playing

    def play(self, letter: bool) -> tuple[str, int]:
        """The first mishap of any play: ``stuck``, ``starved``, those of `MishapError`; or ``fine``; or ``long``.

        What begins with an exit of the run is played like what begins with its start: nothing else is under way then.
        """
        self.letter = letter
        total = 0
        for way in self.nodes[0].ways:
            self.beginning = way
            if way.occasion != "start":
                self.reached = self._reached(
                    [node for node, _ in self.acceptors.get(way.singles[0], ())], None
                )
            verdict, count = self.play_on()
            total += count
            if verdict != "fine":
                return verdict, total
        return "fine", total

    def play_on(self) -> tuple[str, int]:
        """The same of what begins in one way."""
        count = 0
        try:
            work = [
                state
                for came in itertools.product(OUTSIDE, repeat=len(self.outside))
                for inputs in self.inputs()
                for state in self.perhaps_too_late(self.begun(came, inputs), "start")
            ]
            while work:
                count += 1
                if count > PLAYS:
                    return "long", count
                state = work.pop()
                following = self.moves(state)
                if following is not None:
                    work += following
                elif (verdict := self.verdict(state)) != "fine":
                    return verdict, count
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
        way = self.beginning
        often = dict(zip(self.outside, came, strict=True))
        singles = (way.singles[0], *(event for event in self.outside for _ in range(often[event])))
        first = State(inputs=inputs)
        self.emit(first, 0, replace(way, singles=singles), (), (), "start", ())
        return first

    def verdict(self, state: State) -> str:
        if state.failed:
            return "fine"
        if not state.ended:
            # what comes from outside may come as long as there is time
            waits = self.flow.deadline and self.outside and self.beginning.occasion == "start"
            return "fine" if waits else "stuck"
        for key, slots in state.filled.items():
            join, frame = key
            unit = self.nodes[join]
            partial = unit.form == "all" and not unit.timed and 0 < len(slots) < unit.width
            if partial and key not in state.fired and frame not in state.ended_in:
                return "starved"
        return "fine"

    def moves(self, state: State) -> list[State] | None:
        if state.failed:
            return None
        self.send_items(state)
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
                if (node, batch) not in state.fired:
                    state.fired |= {(node, batch)}
                    state.queue.append(Token(node, -1, frames, batches, ("collect", batch, node)))
            return [state]
        if state.timers:
            key = next(reversed(state.timers))
            return self.time_out(state, key)
        return None

    def send_items(self, state: State) -> None:
        """Send the next items of batches of which there is room for more."""
        for batch, (at_once, items) in list(state.pending.items()):
            left = list(items)
            while left and len(self.under_way(state, batch)) < at_once:
                item = left.pop(0)
                frames = self.open(
                    state, item.opener, item.frames, item.batches, item.frame, item=True, events=(item.event,)
                )
                self.deliver(state, item.event, frames, item.batches, item.frame)
            if left:
                state.pending[batch] = (at_once, tuple(left))
            else:
                del state.pending[batch]

    def under_way(self, state: State, batch: object) -> set[object]:
        """The items of a batch of which anything is left."""
        held = [token.frames for token in state.queue]
        held += [frames for _collectors, frames, _batches in state.waiting.values()]
        held += [frames for frames, _batches in state.timers.values()]
        held += [item.frames for _at_once, items in state.pending.values() for item in items]
        return {
            frame
            for frames in held
            for _fork, frame in frames
            if isinstance(frame, tuple) and frame[1:2] == (batch,)
        }

    def arrive(self, state: State, token: Token) -> list[State]:
        unit = self.nodes[token.node]
        if unit.form == "one" or token.slot < 0:
            if unit.form != "each":
                return self.run(state, token, full=True)
            return self.run(state, token, timed_out=unit.timed, full=True)
        if unit.form == "each":
            return self.collect(state, token)
        frame = dict(token.frames).get(self.forks[token.node])
        assert frame is not None
        return self.fill(state, (token.node, frame), token.slot)

    def collect(self, state: State, token: Token) -> list[State]:
        """An event comes to the join of a batch; if it is the last one that it wanted, the join goes on."""
        key = (token.node, token.batches[-1])
        state.collected[key] = state.collected.get(key, 0) + 1
        batch = token.batches[-1]
        if key in state.fired or state.collected[key] != self.nodes[token.node].count:
            return [state]
        _collectors, frames, batches = state.waiting[batch]
        return self.collect_early(state, token.node, batch, frames, batches, timed_out=False)

    def collect_early(
        self,
        state: State,
        join: int,
        batch: object,
        frames: Frames,
        batches: tuple[object, ...],
        *,
        timed_out: bool,
    ) -> list[State]:
        """The join of a batch goes on while items are under way, because it has enough or its time is up."""
        state.fired |= {(join, batch)}
        if join in self.cancelled or (timed_out and join not in self.finishing):
            collectors, _frames, _batches = state.waiting[batch]
            if all((each, batch) in state.fired for each in collectors):
                state.pending.pop(batch, None)
        if join in self.cancelled:
            self.cancel_items(state, join, batch)
        token = Token(join, -1, frames, batches, ("early", batch, join))
        return self.run(state, token, timed_out=timed_out, full=not timed_out)

    def drop(self, state: State, join: int, tokens: list[Token]) -> None:
        """Tokens are gone because a join cancels them."""
        if any(token.node in self.spilling[join] for token in tokens) and not state.ended:
            raise MishapError("lost")
        state.queue = [token for token in state.queue if token not in tokens]

    def cancel_items(self, state: State, join: int, batch: object) -> None:
        """What is still on its way to the join of a batch is gone, and what waited for that with it."""
        region = self.cancelled[join]
        dropped = [token for token in state.queue if token.node in region and batch in token.batches]
        self.drop(state, join, dropped)
        for (node, inner), (_frames, batches) in list(state.timers.items()):
            if node in region and batch in batches:
                del state.timers[node, inner]
        for other, (collectors, _frames, batches) in list(state.waiting.items()):
            if batch in batches and region.issuperset(collectors):
                del state.waiting[other]
                state.pending.pop(other, None)
        for key in state.filled:
            if key[0] in region and batch in state.opened[key[1]][1]:
                state.fired |= {key}

    def fill(self, state: State, key: InFrame, slot: int) -> list[State]:
        """A token comes into a slot of a join; if that was the last one that it wanted, the join goes on."""
        join, frame = key
        unit = self.nodes[join]
        slots = state.filled.get(key, frozenset())
        if slot in slots:
            if unit.form == "all":
                raise MishapError("overfilled")
            return [state]
        slots |= {slot}
        state.filled[key] = slots
        if key in state.fired or len(slots) < self.needed(unit):
            if unit.timed and join in self.cancelled and key in state.timers:
                return [state, *self.time_out(state.copy(), key)]
            return [state]
        if unit.timed and join not in self.cancelled:
            return [state]  # see `time_out`
        state.fired |= {key}
        if join in self.cancelled:
            state.timers.pop((join, frame), None)
            self.cancel(state, join, frame)
        frames, batches = state.opened[frame]
        return self.run(state, Token(join, -1, frames, batches, key), full=True)

    def needed(self, unit: StepNode) -> int:
        return unit.width if unit.form == "all" else unit.count or 1

    def cancel(self, state: State, join: int, frame: object) -> None:
        """What is still on its way to a join in a frame is gone, and what waited for that with it."""
        region = self.cancelled[join]
        inside = (self.forks[join], frame)
        gone = {
            batch
            for batch, (collectors, frames, _batches) in state.waiting.items()
            if inside in frames and region.issuperset(collectors)
        }
        dropped = [
            token
            for token in state.queue
            # an item has a frame of its own in place of the fork's, where the fork has opened its batch too
            if token.node in region and (inside in token.frames or not gone.isdisjoint(token.batches))
        ]
        self.drop(state, join, dropped)
        for (node, inner), (frames, _batches) in list(state.timers.items()):
            if node in region and inside in frames:
                del state.timers[node, inner]
        for batch in gone:
            del state.waiting[batch]
            state.pending.pop(batch, None)
        for key in state.filled:
            if key[0] in region and (key[1] == frame or inside in state.opened[key[1]][0]):
                state.fired |= {key}

    def time_out(self, state: State, timer: tuple[int, object]) -> list[State]:
        """A join with a time-out leaves once; the clock may have run out before the last event came."""
        frames, batches = state.timers.pop(timer)
        join, frame = timer
        unit = self.nodes[join]
        key = (join, frame)
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
                    following.append(after)
                    continue
                self.emit(
                    after, token.node, way, token.frames, token.batches, (token.node, token.origin), count
                )
                following += self.perhaps_too_late(after, (token.node, token.origin))
        return following

    def perhaps_too_late(self, state: State, origin: object) -> list[State]:
        """A state in which a step has left, and those in which time is up at once.

        It is up for who collects its batches, or for joins of its frame that cancel the rest, which otherwise go on as
        soon as they can.
        """
        found = [state]
        own = ("run", origin)
        for join, frame in list(state.timers):
            opened = frame == own or (isinstance(frame, tuple) and frame[0] == "item" and frame[1][0] == own)
            if join in self.cancelled and opened:
                found += self.time_out(state.copy(), (join, frame))
        for batch, (collectors, frames, batches) in list(state.waiting.items()):
            if not (isinstance(batch, tuple) and batch[0] == ("run", origin)):
                continue
            for join in collectors:
                if self.nodes[join].timed:
                    found += [
                        after
                        for before in list(found)
                        for after in self.collect_early(
                            before.copy(), join, batch, frames, batches, timed_out=True
                        )
                    ]
        return found

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
        if unit.name in self.flow.awaited:
            domains["result"] = self.flow.awaited[unit.name]
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
            inner = (*batches, batch)
            items = [Item(node, event, outer, inner, ("item", batch, position)) for position in range(count)]
            if items and way.at_once(index):
                state.pending[batch] = (way.at_once(index), tuple(items))
                continue
            for item in items:
                frames_of_item = self.open(state, node, outer, inner, item.frame, item=True, events=(event,))
                self.deliver(state, event, frames_of_item, inner, item.frame)

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
            if own and node == 0:  # where an event from outside may lead to it, its time runs all the same
                led = self._leads((self.beginning.singles[0], *self.outside), join, fork)
                own = led and join in self.reached
            elif own:
                own = self.letter or self._leads(events, join, fork)
            if own:
                state.timers[join, frame] = (after, batches)
        return after

    def deliver(
        self, state: State, event: str, frames: Frames, batches: tuple[object, ...], origin: object
    ) -> None:
        for node, slot in self.acceptors.get(event, ()):
            if node in self.reached:  # else it came from outside, to a step that the exit does not lead to
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
