"""Random flows in more of the language: conditions, kinds of steps, errors by name, bounds, exits of the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from conditions import DOMAINS, Condition, Test, drawn
from random_flows import Builder, Flow

from wfc.compiler.proof.graph.flow_graph import StepNode, Way
from wfc.compiler.slotted import dataclass, replace

ERRORS = ("tool", "timeout")
"""What an action may fail with here."""
KINDS = ("tool", "tool", "tool", "map", "human", "human", "wait", "pause", "send", "workflow", "transform")
GIVES = frozenset({"tool", "human", "map"})
"""Kinds whose result says by which way a step leaves."""
FAILS = frozenset({"tool", "map", "send", "workflow"})


@dataclass(frozen=True, slots=True)
class Leave(Way):
    """One entry of a list of which the first that fits is taken.

    Args:
        how: If it ends the run: by an ``end`` event, by ``fail``, or by ``restart``.
        when: Its condition, or ``None``: always.
        errors: Of an `on_error`, the errors that it is for; none: any.
    """

    how: str = "end"
    when: Condition | None = None
    errors: tuple[str, ...] = ()


def leaves(ways: Sequence[Way], occasion: str) -> list[Leave]:
    """The entries of one occasion, in order."""
    return [way for way in ways if isinstance(way, Leave) and way.occasion == occasion]


class Dresser(Builder):
    """Flows in which everything occurs that the language has for leaving a step or a run."""

    awaited: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """The events for one of which a step waits, of those that wait for several."""

    def dressed(self) -> Flow:
        """A flow all of whose ways are a `Leave`, but for those of `on_limit` where a limit is a failure."""
        flow = self.flow()
        self.awaited = flow.awaited
        self.collect_several()
        for at, unit in enumerate(self.nodes):
            self.nodes[at] = self.unit(unit, flow)
        self.whole_run(flow)
        return flow

    def collect_several(self) -> None:
        """Some joins of a batch collect another event too, which some step of it may send instead."""
        for at, unit in enumerate(self.nodes):
            if unit.form != "each" or self.random.random() > 0.35:
                continue
            sending = [
                n for n, each in enumerate(self.nodes) for way in each.ways if unit.slots[0] in way.singles
            ]
            if sending:
                event, by = self.event(), self.random.choice(sending)
                self.nodes[at] = replace(unit, slots=(*unit.slots, event))
                self.nodes[by] = replace(self.nodes[by], ways=(*self.nodes[by].ways, Way("emit", (event,))))

    def unit(self, unit: StepNode, flow: Flow) -> StepNode:
        simple = len([way for way in unit.ways if way.occasion == "emit"]) == 1
        kind = self.random.choice(KINDS)
        if not simple and kind not in GIVES and self.random.random() < 0.7:
            kind = "tool"
        if kind in ("map", "workflow") and any(way.batches for way in unit.ways):
            kind = "tool"
        if kind == "workflow" and not all(way.singles for way in unit.ways if way.occasion == "emit"):
            kind = "tool"  # nothing would look at its end
        flow.kinds[unit.name] = kind
        if kind == "wait" and self.random.random() < 0.5:
            flow.awaited[unit.name] = (f"Came{unit.name[1:]}", f"Gone{unit.name[1:]}")
        ways: list[Way] = []
        for occasion in ("emit", "on_error", "on_limit", "on_timeout"):
            own = [way for way in unit.ways if way.occasion == occasion]
            if occasion == "on_error" and kind not in FAILS:
                continue
            if occasion == "on_limit" and not unit.bounded:
                continue
            if occasion == "on_limit" and len(own) == 1 and own[0].ends and self.random.random() < 0.3:
                continue  # over the bound is a failure of the run
            ways += self.entries(own, unit, kind)
        if kind in ("human", "wait"):
            ways += self.entries(self.expired(unit), unit, kind)
        if unit.bounded:
            flow.bounds[unit.name] = self.random.choice((1, 2, 2, 2, "inputs.most"))
        if unit.form == "each" and self.random.random() < 0.2:
            unit = replace(unit, timed=True)
            out = (
                Way("on_timeout", ends=True)
                if self.random.random() < 0.5
                else Way("on_timeout", self.out_of(unit))
            )
            ways += self.entries([out], unit, kind) if self.random.random() < 0.6 else []
        return replace(unit, ways=tuple(ways))

    def out_of(self, unit: StepNode) -> tuple[str, ...]:
        """What a step sends by an ordinary way."""
        return self.random.choice([way.singles for way in unit.ways if way.occasion == "emit"] or [()])

    def expired(self, unit: StepNode) -> list[Way]:
        """Where a step goes whose own pause was too long."""
        chance = self.random.random()
        if chance < 0.5:
            return [Way("on_expired", self.out_of(unit))]
        if chance < 0.85:
            return [Way("on_expired", ends=True)]
        if chance < 0.98:
            return [Way("on_expired", self.out_of(unit)), Way("on_expired", ends=True)]
        return [Way("on_expired")]

    def entries(self, ways: Sequence[Way], unit: StepNode, kind: str) -> list[Leave]:
        """Ways that were free to choose from, with something that decides."""
        if not ways:
            return []
        occasion = ways[0].occasion
        names, domains = self.sight(ways, unit, kind)
        conditions: list[Condition | None] = [None] * len(ways)
        chance = self.random.random()
        numbered = occasion == "emit" and kind in GIVES
        if len(ways) > 1 and numbered and (chance < 0.5 or kind == "map"):
            conditions = [Test("result.way", number) for number in range(len(ways) - 1)] + [None]
        elif len(ways) > 1:
            conditions = self.cases(len(ways), names, domains)
        elif chance < 0.004 and kind != "map":
            conditions = [drawn(self.random, names, domains)]
        found = [self.leave(way, when) for way, when in zip(ways, conditions, strict=True)]
        return self.by_errors(found) if occasion == "on_error" else found

    def sight(
        self, ways: Sequence[Way], unit: StepNode, kind: str
    ) -> tuple[list[str], dict[str, tuple[object, ...]]]:
        """What the conditions of some entries may look at."""
        names = ["inputs.urgent", "inputs.mode"]
        domains = dict(DOMAINS)
        if ways[0].occasion == "emit" and kind in ("tool", "human"):
            names += ["result.sure", "result.mood", "result.sure", "result.mood"]
        if ways[0].occasion == "emit" and kind == "workflow":
            names += ["result"] * 4
        if ways[0].occasion == "emit" and unit.name in self.awaited:
            names += ["result"] * 4
            domains["result"] = self.awaited[unit.name]
        if unit.form == "one" and len(unit.slots) > 1 and "S" not in unit.slots:
            names += ["event", "event"]
            domains["event"] = unit.slots
        return names, domains

    def cases(
        self, count: int, names: list[str], domains: dict[str, tuple[object, ...]]
    ) -> list[Condition | None]:
        """Conditions for so many entries; most often they leave no case."""
        subject = self.random.choice(names)
        values = list(domains[subject])
        self.random.shuffle(values)
        chance = self.random.random()
        if chance < 0.6 and count <= len(values):
            by_value: list[Condition | None] = [Test(subject, value) for value in values[:count]]
            if chance < 0.3 or count < len(values):
                by_value[-1] = None
            return by_value
        free: list[Condition | None] = [drawn(self.random, names, domains) for _ in range(count)]
        if chance < 0.98:
            free[-1] = None
        return free

    def by_errors(self, entries: list[Leave]) -> list[Leave]:
        """Some entries of `on_error` are for some errors only; what none is for the run's own exits take."""
        if len(entries) > 1:
            first = replace(entries[0], errors=(self.random.choice(ERRORS),), when=None)
            return [first, *entries[1:]]
        if self.random.random() < 0.3:
            return [replace(entries[0], errors=(self.random.choice(ERRORS),))]
        return entries

    def leave(self, way: Way, when: Condition | None) -> Leave:
        how = (
            "end"
            if way.singles or way.batches
            else self.random.choice(("end",) * 6 + ("fail", "fail", "restart"))
        )
        return Leave(
            way.occasion,
            way.singles,
            way.batches,
            way.ends,
            concurrency=way.concurrency,
            how=how,
            when=when,
        )

    def whole_run(self, flow: Flow) -> None:
        """Exits and bounds of the run."""
        if self.random.random() < 0.4:
            flow.run["on_error"] = self.run_exit("on_error")
        if self.random.random() < 0.3:
            flow.deadline = True
            if self.random.random() < 0.6:
                flow.run["on_deadline"] = self.run_exit("on_deadline")
        if self.random.random() < 0.3:
            flow.run["on_cancel"] = self.run_exit("on_cancel")
        if self.random.random() < 0.2:
            flow.most_steps = self.random.choice((3, 6, 12))
        for key, event in flow.exits:
            flow.deadline |= key == "on_deadline"
            entries = flow.run.get(key, [])
            leading = Leave(key, (event,), how="on")
            if not entries or self.of_exits.random() < 0.7:
                flow.run[key] = [*entries[:-1], leading]
            else:
                flow.run[key] = [replace(leading, when=Test("inputs.urgent", True)), entries[-1]]

    def run_exit(self, occasion: str) -> list[Leave]:
        subject = self.random.choice(("inputs.urgent", "inputs.mode"))
        first = self.run_entry(occasion, Test(subject, DOMAINS[subject][0]))
        second = self.run_entry(occasion, None)
        if occasion == "on_error" and self.random.random() < 0.5:
            return [replace(first, errors=(self.random.choice((*ERRORS, "limit")),))]
        return [first, second] if self.random.random() < 0.5 else [second]

    def run_entry(self, occasion: str, when: Condition | None) -> Leave:
        return Leave(occasion, ends=True, how=self.random.choice(("end", "end", "fail")), when=when)


def features(flow: Flow) -> set[str]:
    """What of the language a flow has beyond steps and joins."""
    entries = [way for unit in flow.nodes for way in unit.ways if isinstance(way, Leave)]
    found = {f"kind {kind}" for kind in flow.kinds.values() if kind not in ("tool", "transform")}
    found |= {f"by {way.how}" for way in entries if way.ends and way.how != "end"}
    found |= {f"run {key}" for key in flow.run}
    found |= {"deadline"} if flow.deadline else set()
    found |= {"limits"} if flow.most_steps else set()
    found |= {f"exit {key} leads on" for key, _event in flow.exits}
    found |= {"outside"} if flow.outside else set()
    each = [unit for unit in flow.nodes if unit.form == "each"]
    ways = [way for unit in flow.nodes for way in unit.ways]
    found |= {"each count"} if any(unit.count for unit in each) else set()
    found |= {"each rest: cancel"} if any(unit.name in flow.cancelling for unit in each) else set()
    found |= {"each rest: finish"} if flow.finishing else set()
    found |= {"any count"} if any(unit.form == "any" and unit.count for unit in flow.nodes) else set()
    found |= {"each concurrency: 1"} if any(1 in way.concurrency for way in ways) else set()
    found |= {"each concurrency: 2"} if any(2 in way.concurrency for way in ways) else set()
    found |= {"alternatives"} if any(unit.places for unit in flow.nodes) else set()
    found |= {"several awaited"} if flow.awaited else set()
    found |= {"rest: cancel"} if flow.cancelling else set()
    found |= {"max_runs by input"} if "inputs.most" in flow.bounds.values() else set()
    found |= {"errors by name"} if any(way.errors for way in entries) else set()
    found |= {"each of several"} if any(u.form == "each" and len(u.slots) > 1 for u in flow.nodes) else set()
    found |= {"each within"} if any(unit.form == "each" and unit.timed for unit in flow.nodes) else set()
    found |= {"join within"} if any(unit.form != "each" and unit.timed for unit in flow.nodes) else set()
    looked = [way.when for way in entries if way.when is not None]
    for word in ("inputs", "result", "event"):
        if any(f"subject='{word}" in repr(when) and "result.way" not in repr(when) for when in looked):
            found.add(f"when {word}")
    return found
