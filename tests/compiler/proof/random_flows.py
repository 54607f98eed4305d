"""Random flows: sound ones of all forms, and then not quite."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wfc.compiler.proof.graph.batch_nesting import misplaced_batches
from wfc.compiler.proof.graph.flow_graph import FlowGraph, RunExit, StepNode, Way
from wfc.compiler.proof.joins.completeness import prove_joins
from wfc.compiler.proof.joins.two_flows import joins_in_two_flows
from wfc.compiler.proof.rules.bounded_cycles import unbounded_cycles
from wfc.compiler.proof.rules.cancellation import lost_work
from wfc.compiler.proof.rules.termination import examine_ends
from wfc.compiler.slotted import replace

EXITS = 0.35
"""The share of flows in which exits of the run lead on."""

if TYPE_CHECKING:
    from language import Leave

die: Callable[[str], Awaitable[dict[str, Any]]]
"""What `dice.py` asks while a flow runs."""


@dataclass
class Flow:
    """A flow as the game and the runtime play it.

    Args:
        nodes: The steps.
        cancelling: Names of the joins with `rest: cancel`.
        finishing: Names of the joins of a batch with `rest: finish`.
        kinds: What steps do, of those of which it matters.
        awaited: Names of the events for one of which a step waits, of those that wait for several.
        bounds: Their `max_runs`, where it is not the usual one: a number, or ``inputs.most``.
        run: The exits of the run as a whole.
        deadline: Whether it has one.
        most_steps: Of its `limits`; 0: none.
        exits: Exits of the run that lead on: the key of each, and the event that it emits.
    """

    nodes: list[StepNode]
    outside: tuple[str, ...] = ()
    cancelling: set[str] = field(default_factory=set)
    finishing: set[str] = field(default_factory=set)
    kinds: dict[str, str] = field(default_factory=dict)
    awaited: dict[str, tuple[str, ...]] = field(default_factory=dict)
    bounds: dict[str, int | str] = field(default_factory=dict)
    run: dict[str, list[Leave]] = field(default_factory=dict)
    deadline: bool = False
    most_steps: int = 0
    exits: list[tuple[str, str]] = field(default_factory=list)

    @property
    def graph(self) -> FlowGraph:
        """The flow as a graph."""
        exits = [RunExit(key, event) for key, event in self.exits]
        return FlowGraph(self.nodes, "S", ("END",), self.outside, exits)


class Builder:
    """Flows that are sound, and then not quite."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 — flows, not secrets
        self.of_exits = random.Random(f"exits of {seed}")  # noqa: S311 — so that the rest of a flow is as without them
        self.nodes: list[StepNode] = []
        self.names = 0

    def event(self) -> str:
        self.names += 1
        return f"E{self.names}"

    def add(self, form: str, slots: tuple[str, ...], ways: list[Way], **more: object) -> None:
        self.nodes.append(StepNode(f"s{len(self.nodes) + 1}", form, slots, tuple(ways), **more))  # type: ignore[arg-type]

    def graph(self) -> FlowGraph:
        self.block("S", "Z", self.random.randint(1, 3))
        self.add("one", ("Z",), [Way("emit", ends=True)])
        for _ in range(self.random.choice((0, 0, 1, 1, 2, 3))):
            self.mutate()
        return FlowGraph(self.nodes, "S", ("END",))

    def graph_with_outside(self) -> FlowGraph:
        """The same, and now and then events from outside, which may come any number of times."""
        self.graph()
        outside: list[str] = []
        for _ in range(self.random.choice((1, 1, 2))):
            event = self.event()
            outside.append(event)
            at = self.random.randrange(len(self.nodes))
            unit = self.nodes[at]
            known = self.random.choice([slot for each in self.nodes for slot in each.slots])
            kind = self.random.randrange(5)
            if kind < 2 and unit.form != "each":
                self.nodes[at] = self.with_event(unit, event)
            elif kind == 2:
                self.add("one", (event,), [Way("emit", (known,))])
            elif kind == 3:
                self.add("one", (event,), [Way("emit", ends=True)])
            else:
                self.add("one", (event,), [Way("emit")])
        return FlowGraph(self.nodes, "S", ("END",), outside)

    def flow(self) -> Flow:
        """The same; some of the joins cancel the rest, and some events come from outside."""
        graph = self.graph_with_outside() if self.random.random() < 0.2 else self.graph()
        flow = Flow(self.nodes, graph.outside, exits=self.exits())
        for at, unit in enumerate(self.nodes):
            drawn = self.random.random()
            if unit.form == "each":
                count = self.random.choice((1, 1, 2)) if drawn < 0.3 and not unit.timed else unit.count
                self.nodes[at] = replace(unit, count=count)
                if (unit.timed or count) and drawn < 0.6:
                    (flow.cancelling if drawn < 0.4 else flow.finishing).add(unit.name)
            elif unit.form != "one" and drawn < 0.5:
                flow.cancelling.add(unit.name)
                if unit.form == "all":
                    self.nodes[at] = replace(unit, form="any", places=())
        return flow

    def exits(self) -> list[tuple[str, str]]:
        """Exits of the run that lead on, in some flows, with the steps to which they lead."""
        if self.of_exits.random() > EXITS:
            return []
        self.random, usual = self.of_exits, self.random
        known = [slot for unit in self.nodes for slot in unit.slots if slot != "S"]
        found: list[tuple[str, str]] = []
        for key in self.random.sample(
            ("on_error", "on_deadline", "on_cancel"), self.random.choice((1, 1, 2))
        ):
            chance = self.random.random()
            event = self.event()
            if chance < 0.12:  # what the usual course passes, too
                event = self.random.choice(known)
            elif chance < 0.2 and found:
                event = found[0][1]
            elif chance < 0.32:  # steps of its own, and then what the usual course passes
                self.block(event, self.random.choice(known), self.random.choice((0, 1)))
            else:
                last = self.event()
                self.block(event, last, self.random.randint(1, 2))
                self.add("one", (last,), [Way("emit", ends=True)])
            found.append((key, event))
        if self.random.random() < 0.2:
            self.mutate()
        self.random = usual
        return found

    def block(self, given: str, wanted: str, depth: int) -> None:
        kinds = ["step", "step", "sequence", "choice", "parallel", "parallel", "shared", "batch", "loop"]
        kind = self.random.choice(kinds) if depth else "step"
        getattr(self, kind)(given, wanted, depth - 1)

    def step(self, given: str, wanted: str, depth: int) -> None:
        ways = [Way("emit", (wanted,))]
        chance = self.random.random()
        if chance < 0.15:
            ways.append(Way("on_error", ends=True))
        elif chance < 0.25:
            ways.append(Way("on_error", (wanted,)))
        elif chance < 0.3:
            ways.append(Way("on_error"))
        self.add("one", (given,), ways)

    def sequence(self, given: str, wanted: str, depth: int) -> None:
        middle = self.event()
        self.block(given, middle, depth)
        self.block(middle, wanted, depth)

    def choice(self, given: str, wanted: str, depth: int) -> None:
        one, other = self.event(), self.event()
        self.add("one", (given,), [Way("emit", (one,)), Way("emit", (other,))])
        self.block(one, wanted, depth)
        self.block(other, wanted, depth)

    def join(self, slots: tuple[str, ...], wanted: str, places: tuple[int, ...] = ()) -> None:
        form, count = self.random.choice(("all", "all", "all", "any", "any")), 0
        if form == "any" and self.random.random() < 0.5:
            count = self.random.randint(1, len(slots))
        timed = self.random.random() < 0.25
        ways = [Way("emit", (wanted,))]
        if timed and self.random.random() < 0.5:
            ways.append(
                Way(
                    "on_timeout",
                    (wanted,) if self.random.random() < 0.7 else (),
                    ends=self.random.random() < 0.3,
                )
            )
        self.add(
            form,
            slots,
            ways,
            count=count,
            timed=timed,
            places=places if form == "all" else (),
        )

    def parallel(self, given: str, wanted: str, depth: int) -> None:
        width = self.random.choice((2, 2, 3))
        sent = tuple(self.event() for _ in range(width))
        got = tuple(self.event() for _ in range(width))
        self.add("one", (given,), [Way("emit", sent)])
        for one, other in zip(sent, got, strict=True):
            self.block(one, other, depth)
        if self.random.random() < 0.5:  # the last branch ends in either of two events
            one, other = self.event(), self.event()
            self.add("one", (got[-1],), [Way("emit", (one,)), Way("emit", (other,))])
            self.join((*got[:-1], one, other), wanted, (*range(width), width - 1))
        else:
            self.join(got, wanted)

    def shared(self, given: str, wanted: str, depth: int) -> None:
        sent, got = self.event(), (self.event(), self.event())
        self.add("one", (given,), [Way("emit", (sent,))])
        for other in got:
            self.block(sent, other, depth)
        self.join(got, wanted)

    def batch(self, given: str, wanted: str, depth: int) -> None:
        item, done = self.event(), self.event()
        at_once = self.random.choice((0, 0, 1, 2))
        self.add("one", (given,), [Way("emit", batches=(item,), concurrency=(at_once,) if at_once else ())])
        if self.random.random() < 0.3:
            got = (self.event(), self.event())
            for other in got:
                self.block(item, other, depth)
            self.join(got, done)
        else:
            self.block(item, done, depth)
        count = self.random.choice((0, 0, 0, 1, 2))
        self.add("each", (done,), [Way("emit", (wanted,))], count=count)

    def loop(self, given: str, wanted: str, depth: int) -> None:
        out, back = self.event(), self.event()
        ways = [Way("emit", (wanted,)), Way("emit", (out,))]
        ways.append(Way("on_limit", ends=True) if self.random.random() < 0.5 else Way("on_limit", (wanted,)))
        self.add("one", (given, back), ways, bounded=self.random.random() < 0.9)
        self.block(out, back, depth)

    def mutate(self) -> None:
        at = self.random.randrange(len(self.nodes))
        unit = self.nodes[at]
        events = [event for each in self.nodes for event in each.slots]
        event = self.random.choice(events)
        way_at = self.random.randrange(len(unit.ways))
        way = unit.ways[way_at]
        ways = list(unit.ways)
        kind = self.random.randrange(11)
        if kind == 0:
            ways[way_at] = replace(way, singles=(*way.singles, event))
        elif kind == 1:
            ways[way_at] = replace(way, singles=way.singles[1:])
        elif kind == 2:
            ways[way_at] = replace(way, singles=(event, *way.singles[1:]))
        elif kind == 3:
            ways.append(Way("emit", (event,)))
        elif kind == 4:
            ways.append(Way("on_error", ends=self.random.random() < 0.5))
        elif kind == 5 and unit.form in ("all", "any"):
            form = self.random.choice(("all", "any"))
            places = unit.places if form == "all" else ()
            self.nodes[at] = replace(unit, form=form, count=0, places=places)
            return
        elif kind == 6 and event not in unit.slots:
            self.nodes[at] = self.with_event(unit, event)
            return
        elif kind == 9 and unit.form == "all" and len(unit.slots) > 1:
            self.nodes[at] = replace(unit, places=self.places(unit))
            return
        elif kind == 10 and way.batches:
            once = tuple(self.random.choice((0, 1, 1, 2)) for _ in way.batches)
            ways[way_at] = replace(way, concurrency=once if any(once) else ())
            self.nodes[at] = replace(unit, ways=tuple(ways))
            return
        elif kind == 7 and unit.form == "one":
            self.nodes[at] = replace(unit, bounded=True)
            ways.append(
                Way("on_limit", (event,)) if self.random.random() < 0.5 else Way("on_limit", ends=True)
            )
            self.nodes[at] = replace(self.nodes[at], ways=tuple(ways))
            return
        elif kind == 8:
            once = (*way.concurrency, self.random.choice((0, 1))) if way.concurrency else ()
            ways[way_at] = replace(way, batches=(*way.batches, event), concurrency=once)
        self.nodes[at] = replace(unit, ways=tuple(ways))

    def with_event(self, unit: StepNode, event: str) -> StepNode:
        """A step that accepts one more event, in a slot of its own."""
        places = (*unit.places, unit.width) if unit.places else ()
        return replace(unit, slots=(*unit.slots, event), places=places)

    def places(self, unit: StepNode) -> tuple[int, ...]:
        """Other slots for the events of a join: two that had one each share it, or two that shared one do not."""
        if unit.places:
            return ()
        cut = self.random.randrange(len(unit.slots) - 1)
        return tuple(at if at <= cut else at - 1 for at in range(len(unit.slots)))


def whole(graph: FlowGraph) -> bool:
    """Whether rule 1 has nothing to say: all other rules presuppose it."""
    emitted = set(graph.producers)
    return len(graph.alive) == len(graph.nodes) and all(
        event in emitted for unit in graph.nodes for event in unit.slots
    )


def rejected(flow: Flow) -> list[str]:
    """The rules that speak against a flow with joins that cancel the rest."""
    graph = flow.graph
    against = refused(graph)
    for node, unit in enumerate(graph.nodes):
        if unit.name in flow.cancelling and node in graph.forks and lost_work(graph, node) is not None:
            against.append("cancels more")
    return against


def refused(graph: FlowGraph) -> list[str]:
    """The rules that speak against a flow."""
    if found := misplaced_batches(graph):
        return [problem.kind for problem in found]
    found_by = ["cycle"] if unbounded_cycles(graph) else []
    failures = prove_joins(graph)
    unproven = {join for failure in failures for join in (failure.join, *failure.circle)}
    found_by += ["two flows"] if joins_in_two_flows(graph, unproven) else []
    found_by += [failure.kind for failure in failures]
    result = examine_ends(graph, unproven)
    if result.stalls or result.complex:
        found_by.append("stall")
    if result.never:
        found_by.append("never")
    return found_by
