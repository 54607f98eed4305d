"""The flow of a workflow as a graph: how each step is reached, and what each of its ways out emits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal

from wfc.compiler.diagnostics import Address
from wfc.compiler.model.flow import START, Batches, Flow, dominators, follow_batches, postorder
from wfc.compiler.slotted import dataclass, replace

__all__ = ["FlowGraph", "RunExit", "StepNode", "Way"]

Form = Literal["one", "all", "any", "each"]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to leave a step, whatever selects it.

    Args:
        occasion: The spec's key under which it stands.
        singles: Names of the events that it emits, each as often as it does; end events are not among them.
        batches: Names of the events that it emits once for each item of a list.
        ends: Whether it ends the run: by an end event, by `fail`, or by a bound without `on_limit`.
        address: Where it is written.
        loose: Those of the singles that come from outside: any number of times, or never.
        concurrency: How many items of each batch are under way at once, 0: all; empty where that holds of each.
        only_for: Names of the accepted events for which its conditions let it be taken; empty: for each.
    """

    occasion: str
    singles: tuple[str, ...] = ()
    batches: tuple[str, ...] = ()
    ends: bool = False
    address: Address = ()
    loose: tuple[str, ...] = ()
    concurrency: tuple[int, ...] = ()
    only_for: frozenset[str] = frozenset()

    def is_open_to(self, event: str) -> bool:
        """Return whether the step may leave this way after it has accepted an event."""
        return not self.only_for or event in self.only_for

    def at_once(self, batch: int) -> int:
        """Return how many items of a batch are under way at once; 0: all."""
        return self.concurrency[batch] if self.concurrency else 0


@dataclass(frozen=True, slots=True)
class RunExit:
    """An exit of the run that leads on: a further beginning, with nothing else under way.

    Args:
        key: The exit's key in the spec.
        event: The name of the event that it emits.
        address: Where that is written.
    """

    key: str
    event: str
    address: Address = ()


@dataclass(frozen=True, slots=True)
class StepNode:
    """A step as the proof sees it.

    Args:
        form: ``one`` for a step that each of its events starts by itself, else the form of its join.
        slots: Names of the events that it accepts, each in a slot of its own unless ``places`` says otherwise.
        count: How many must have arrived in an `any`, where it is not one, or in an `each`, where it is not all;
            else 0. An `each` leaves once all the same, early or late.
        timed: Whether it is a join with a time-out: then it leaves once per frame, whatever arrives.
        bounded: Whether it has `max_runs`.
        places: The slot of each event, where several share one; else empty.
    """

    name: str
    form: Form
    slots: tuple[str, ...]
    ways: tuple[Way, ...]
    count: int = 0
    timed: bool = False
    bounded: bool = False
    address: Address = ()
    places: tuple[int, ...] = ()

    @property
    def width(self) -> int:
        """The number of its slots."""
        return self.places[-1] + 1 if self.places else len(self.slots)

    def place(self, event: int) -> int:
        """Return the slot of one of its events, by the event's position."""
        return self.places[event] if self.places else event

    def events(self, slot: int) -> tuple[str, ...]:
        """Return the names of the events that a slot takes."""
        return tuple(name for at, name in enumerate(self.slots) if self.place(at) == slot)

    @property
    def told_apart(self) -> bool:
        """Whether some way out is for some of its events only, so that what follows depends on which it was."""
        return self.form == "one" and len(self.slots) > 1 and any(way.only_for for way in self.ways)

    @property
    def needed(self) -> int:
        """The number of slots in which something must have arrived for the join to fire."""
        return {"all": self.width, "any": self.count or 1}.get(self.form, 0)


class FlowGraph:
    """Units, numbered, with the start of the run as unit 0, and what can be read off them.

    Args:
        nodes: All steps, in the order written.
        start: Name of the start event.
        ends: Names of the end events.
        outside: Names of events that steps accept from outside; they come as if the start sent them.
        exits: Exits of the run that lead on. They are further ways of the start: a run takes one of these ways after
            the other, each with nothing else under way. With each come the events from outside that are accepted
            by steps to which it leads.
    """

    def __init__(
        self,
        nodes: Sequence[StepNode],
        start: str,
        ends: Sequence[str] = (),
        outside: Sequence[str] = (),
        exits: Iterable[RunExit] = (),
    ) -> None:
        way = Way("start", (start, *outside), address=("start",), loose=tuple(outside))
        opening = StepNode("start", "one", (), (way,), address=("start",))
        self.outside: tuple[str, ...] = tuple(outside)
        self.nodes: tuple[StepNode, ...] = (opening, *nodes)
        self.start = start
        self.ends: tuple[str, ...] = tuple(ends)
        self.acceptors: dict[str, list[tuple[int, int]]] = {}
        self._leading: dict[int, frozenset[int]] = {}
        for node, unit in enumerate(self.nodes):
            for at, event in enumerate(unit.slots):
                self.acceptors.setdefault(event, []).append((node, unit.place(at)))
        further = {each.event: each for each in reversed(list(exits))}
        if further:
            ways = (way, *map(self._way_of_exit, reversed(further.values())))
            self.nodes = (replace(opening, ways=ways), *nodes)

    def _way_of_exit(self, exit_: RunExit) -> Way:
        """Return the way of the start that an exit of the run is, with what may come from outside meanwhile."""
        reached = self.reached_from([exit_.event])
        loose: list[str] = []
        for event in self.outside:
            takers = self.acceptors.get(event, [])
            own = [taker for taker in takers if taker[0] in reached]
            if own and len(own) < len(takers):
                event = f"{event} {exit_.event}"  # no event has a blank in its name  # noqa: PLW2901
                self.acceptors[event] = own
            loose += [event] if own else []
        return Way(exit_.key, (exit_.event, *loose), address=exit_.address, loose=tuple(loose))

    def reached_from(self, events: Iterable[str], without: Collection[int] = ()) -> frozenset[int]:
        """Return the nodes that some events lead to, on ways that do not pass certain nodes."""
        found = set(self.targets(events)).difference(without)
        work = list(found)
        while work:
            sent = [event for way in self.nodes[work.pop()].ways for event in (*way.singles, *way.batches)]
            new = set(self.targets(sent)).difference(found, without)
            found |= new
            work += new
        return frozenset(found)

    def course(self, way: Way) -> FlowGraph:
        """Return the graph of one way of the start by itself, with the same numbers; what it does not reach is bare."""
        reached = self.reached_from(way.singles)
        nodes = [
            unit if node in reached else StepNode(unit.name, "one", (), (), address=unit.address)
            for node, unit in enumerate(self.nodes)
            if node != START
        ]
        made = FlowGraph(nodes, self.start, self.ends)
        made.acceptors |= {event: self.acceptors[event] for event in way.loose if " " in event}
        made.nodes = (replace(self.nodes[START], ways=(way,)), *nodes)
        return made

    @cached_property
    def producers(self) -> dict[str, tuple[tuple[int, Way], ...]]:
        """The producers of each event, by its name: the nodes that emit it, and the ways by which they do."""
        producers: dict[str, list[tuple[int, Way]]] = {}
        for node, unit in enumerate(self.nodes):
            for way in unit.ways:
                for event in dict.fromkeys((*way.singles, *way.batches)):
                    producers.setdefault(event, []).append((node, way))
        return {event: tuple(ways) for event, ways in producers.items()}

    def targets(self, events: Iterable[str]) -> Iterator[int]:
        """Yield the nodes that accept any of these events."""
        for event in events:
            for node, _slot in self.acceptors.get(event, ()):
                yield node

    @cached_property
    def batching(self) -> bool:
        """Whether there is any batch, or any step that would collect one."""
        return any(unit.form == "each" or any(way.batches for way in unit.ways) for unit in self.nodes)

    @cached_property
    def parts(self) -> bool:
        """Whether anything may run beside something else, as a join whose time is up may beside what leads to it."""
        return any(unit.timed for unit in self.nodes) or any(
            way.batches or way.loose or self.starts_several(way.singles)
            for unit in self.nodes
            for way in unit.ways
        )

    def starts_several(self, events: Sequence[str]) -> bool:
        """Return whether some events together start several steps; most start one."""
        return len(events) > 1 or any(len(self.acceptors.get(event, ())) > 1 for event in events)

    @cached_property
    def batches(self) -> Batches:
        """The batches in which each unit may be reached."""
        singly = [
            tuple(dict.fromkeys(self.targets([e for w in u.ways for e in w.singles]))) for u in self.nodes
        ]
        batched = [
            tuple(dict.fromkeys(self.targets([e for w in u.ways for e in w.batches]))) for u in self.nodes
        ]
        return follow_batches(singly, batched, [unit.form == "each" for unit in self.nodes])

    @cached_property
    def opener(self) -> dict[int, int]:
        """The node whose batches each `each` join collects; only where there is exactly one."""
        openers: dict[int, int] = {}
        if not self.batching:
            return openers
        for node, unit in enumerate(self.nodes):
            if unit.form == "each":
                found = {stack[-1] if stack else None for stack in self.batches.stacks[node]}
                if len(found) == 1 and (single := found.pop()) is not None:
                    openers[node] = single
        return openers

    @cached_property
    def collecting(self) -> dict[int, list[int]]:
        """The `each` joins that collect the batches of each node."""
        found: dict[int, list[int]] = {}
        for join, opener in self.opener.items():
            found.setdefault(opener, []).append(join)
        return found

    @cached_property
    def after(self) -> tuple[tuple[int, ...], ...]:
        """The nodes that each node leads to, by events or, for an `each` join, by an empty batch."""
        after = [
            dict.fromkeys(self.targets([e for w in u.ways for e in (*w.singles, *w.batches)]))
            for u in self.nodes
        ]
        for collecting, opener in self.opener.items():
            after[opener][collecting] = None
        return tuple(map(tuple, after))

    @cached_property
    def before(self) -> tuple[tuple[int, ...], ...]:
        """The nodes that lead to each node."""
        before: list[list[int]] = [[] for _ in self.nodes]
        for node, targets in enumerate(self.after):
            for target in targets:
                before[target].append(node)
        return tuple(map(tuple, before))

    @cached_property
    def flow(self) -> Flow:
        """The edges between nodes, and nothing else."""
        return Flow((), {}, {}, self.after, self.before)

    @cached_property
    def forks(self) -> dict[int, int]:
        """The fork of each join; for an `each` join the node that opens its batches."""
        nearest = dominators(self.flow)
        forks = {}
        for node, unit in enumerate(self.nodes):
            fork = self.opener.get(node) if unit.form == "each" else nearest[node]
            if unit.form != "one" and fork is not None:
                forks[node] = fork
        return forks

    @cached_property
    def joins_of(self) -> dict[int, tuple[int, ...]]:
        """The joins of each fork, in order."""
        joins: dict[int, list[int]] = {}
        for join, fork in self.forks.items():
            joins.setdefault(fork, []).append(join)
        return {fork: tuple(of) for fork, of in joins.items()}

    def in_item(self, join: int) -> bool:
        """Return whether a join's frames are the items of its fork's batches, not the fork's completions."""
        fork = self.forks[join]
        return self.batching and any(stack and stack[-1] == fork for stack in self.batches.stacks[join])

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The position of each node in a postorder from the start: lower than that of every node that leads
        to it, except in cycles.

        Nodes that no path leads to come last.
        """
        place = [len(self.nodes)] * len(self.nodes)
        for at, node in enumerate(postorder(self.flow)):
            place[node] = at
        return tuple(place)

    @cached_property
    def arrivals(self) -> frozenset[tuple[int, str]]:
        """The nodes that can run, because enough of their events come from nodes that can: each with the empty text, or
        with every event that comes to it where it tells its events apart.
        """
        filled: dict[int, set[int]] = {}
        found = {(START, "")}
        work = list(found)

        def reach(node: int, came: str) -> None:
            arrival = node, came if self.nodes[node].told_apart else ""
            if arrival not in found:
                found.add(arrival)
                work.append(arrival)

        while work:
            source, came = work.pop()
            for way in self.nodes[source].ways:
                for event in (*way.singles, *way.batches) if way.is_open_to(came) else ():
                    for node, slot in self.acceptors.get(event, ()):
                        met = filled.setdefault(node, set())
                        met.add(slot)
                        unit = self.nodes[node]
                        if unit.timed or len(met) >= unit.needed:
                            reach(node, event.partition(" ")[0])
            for collecting in self.collecting.get(source, ()):
                reach(collecting, "")
        return frozenset(found)

    @cached_property
    def alive(self) -> frozenset[int]:
        """The nodes that can run."""
        return frozenset(node for node, _came in self.arrivals)

    def is_taken(self, node: int, way: Way) -> bool:
        """Return whether a node can run and then leave this way."""
        if not way.only_for:
            return node in self.alive
        return any((node, event) in self.arrivals for event in way.only_for)

    def leading_to(self, join: int) -> frozenset[int]:
        """Return the nodes from which a path leads to a join without passing its fork, including the join
        itself if one does from it.
        """
        if join not in self._leading:
            fork = self.forks[join]
            found: set[int] = set()
            work = [join]
            while work:
                for source in self.before[work.pop()]:
                    if source != fork and source not in found:
                        found.add(source)
                        work.append(source)
            self._leading[join] = frozenset(found)
        return self._leading[join]

    def leads(self, events: Iterable[str], join: int) -> bool:
        """Return whether one of these events of a join's fork leads to the join."""
        leading = self.leading_to(join)
        return any(target == join or target in leading for target in self.targets(events))
