"""Random flows: sound ones of all forms, and then not quite."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wfc.compiler.proof.graph.batch_nesting import misplaced_batches
from wfc.compiler.proof.graph.flow_graph import FlowGraph, StepNode, Way
from wfc.compiler.proof.graph.match_by import MOST_WAYS, distinct, expand_match_by
from wfc.compiler.proof.joins.completeness import prove_joins
from wfc.compiler.proof.rules.bounded_cycles import unbounded_cycles
from wfc.compiler.proof.rules.cancellation import lost_work
from wfc.compiler.proof.rules.termination import examine_ends
from wfc.compiler.slotted import replace

if TYPE_CHECKING:
    from language import Leave

die: Callable[[str], Awaitable[dict[str, Any]]]
"""What `dice.py` asks while a flow runs."""


@dataclass
class Flow:
    """A flow as the game and the runtime play it.

    Args:
        nodes: The steps as they are written; a join with `match_by` pairs by values here.
        matching: Names of the joins with `match_by`.
        cancelling: Names of the joins with `rest: cancel`.
        kinds: What steps do, of those of which it matters.
        bounds: Their `max_runs`, where it is not the usual one: a number, or ``inputs.most``.
        run: The exits of the run as a whole.
        deadline: Whether it has one.
        most_steps: Of its `limits`; 0: none.
    """

    nodes: list[StepNode]
    outside: tuple[str, ...] = ()
    matching: set[str] = field(default_factory=set)
    cancelling: set[str] = field(default_factory=set)
    kinds: dict[str, str] = field(default_factory=dict)
    bounds: dict[str, int | str] = field(default_factory=dict)
    run: dict[str, list[Leave]] = field(default_factory=dict)
    deadline: bool = False
    most_steps: int = 0

    @property
    def graph(self) -> FlowGraph:
        """The flow as the game sees it."""
        return FlowGraph(self.nodes, "S", ("END",), self.outside)

    @property
    def seen(self) -> FlowGraph:
        """The flow as the proof sees it."""
        nodes = [expand_match_by(unit) if unit.name in self.matching else unit for unit in self.nodes]
        return FlowGraph(nodes, "S", ("END",), self.outside)


class Builder:
    """Flows that are sound, and then not quite."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 — flows, not secrets
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
                self.nodes[at] = replace(unit, slots=(*unit.slots, event))
            elif kind == 2:
                self.add("one", (event,), [Way("emit", (known,))])
            elif kind == 3:
                self.add("one", (event,), [Way("emit", ends=True)])
            else:
                self.add("one", (event,), [Way("emit")])
        return FlowGraph(self.nodes, "S", ("END",), outside)

    def flow(self) -> Flow:
        """The same; some of the joins pair by values, or cancel the rest, and some events come from outside."""
        graph = self.graph_with_outside() if self.random.random() < 0.2 else self.graph()
        flow = Flow(self.nodes, graph.outside)
        for at, unit in enumerate(self.nodes):
            if unit.form in ("one", "each"):
                continue
            drawn = self.random.random()
            if drawn < 0.35 and len(distinct(unit.ways)) <= MOST_WAYS:
                flow.matching.add(unit.name)
                if self.random.random() < 0.5 and not unit.timed and "END" not in unit.slots:
                    # one that may never fire leaves the end to others
                    self.nodes[at] = replace(unit, ways=(*unit.ways, Way("emit", ends=True)))
            elif drawn < 0.7:
                flow.cancelling.add(unit.name)
                if unit.form == "all":
                    self.nodes[at] = replace(unit, form="any")
        if flow.matching and self.random.random() < 0.6:
            # as a rule something else has to end the run: beside the rest, or after it
            at = self.random.randrange(len(self.nodes))
            ways = [replace(way, singles=(*way.singles, "X")) for way in self.nodes[at].ways]
            self.nodes[at] = replace(self.nodes[at], ways=tuple(ways))
            self.add("one", ("X",), [Way("emit", ends=True)])
        return flow

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

    def join(self, slots: tuple[str, ...], wanted: str) -> None:
        form = self.random.choice(("all", "all", "all", "any", "at_least"))
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
            count=self.random.randint(1, len(slots)) if form == "at_least" else 0,
            timed=timed,
        )

    def parallel(self, given: str, wanted: str, depth: int) -> None:
        width = self.random.choice((2, 2, 3))
        sent = tuple(self.event() for _ in range(width))
        got = tuple(self.event() for _ in range(width))
        self.add("one", (given,), [Way("emit", sent)])
        for one, other in zip(sent, got, strict=True):
            self.block(one, other, depth)
        self.join(got, wanted)

    def shared(self, given: str, wanted: str, depth: int) -> None:
        sent, got = self.event(), (self.event(), self.event())
        self.add("one", (given,), [Way("emit", (sent,))])
        for other in got:
            self.block(sent, other, depth)
        self.join(got, wanted)

    def batch(self, given: str, wanted: str, depth: int) -> None:
        item, done = self.event(), self.event()
        self.add("one", (given,), [Way("emit", batches=(item,))])
        if self.random.random() < 0.3:
            got = (self.event(), self.event())
            for other in got:
                self.block(item, other, depth)
            self.join(got, done)
        else:
            self.block(item, done, depth)
        self.add("each", (done,), [Way("emit", (wanted,))])

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
        kind = self.random.randrange(9)
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
        elif kind == 5 and unit.form in ("all", "any", "at_least"):
            form = self.random.choice(("all", "any"))
            self.nodes[at] = replace(unit, form=form)
            return
        elif kind == 6 and event not in unit.slots:
            self.nodes[at] = replace(unit, slots=(*unit.slots, event))
            return
        elif kind == 7 and unit.form == "one":
            self.nodes[at] = replace(unit, bounded=True)
            ways.append(
                Way("on_limit", (event,)) if self.random.random() < 0.5 else Way("on_limit", ends=True)
            )
            self.nodes[at] = replace(self.nodes[at], ways=tuple(ways))
            return
        elif kind == 8:
            ways[way_at] = replace(way, batches=(*way.batches, event))
        self.nodes[at] = replace(unit, ways=tuple(ways))


def whole(graph: FlowGraph) -> bool:
    """Whether rule 1 has nothing to say: all other rules presuppose it."""
    emitted = set(graph.producers)
    return len(graph.alive) == len(graph.nodes) and all(
        event in emitted for unit in graph.nodes for event in unit.slots
    )


def rejected(flow: Flow) -> list[str]:
    """The rules that speak against a flow with joins that pair by values or cancel the rest."""
    graph = flow.seen
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
    found_by += [failure.kind for failure in failures]
    result = examine_ends(graph, {join for failure in failures for join in (failure.join, *failure.circle)})
    if result.stall is not None or result.complex:
        found_by.append("stall")
    if result.never:
        found_by.append("never")
    return found_by
