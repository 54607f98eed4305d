"""Random flows as specs."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

from conditions import subjects, written
from language import Leave, leaves
from random_flows import Flow

from wfc.compiler.proof.graph.flow_graph import StepNode, Way
from wfc.compiler.resolve import Refused
from wfc.compiler.slotted import replace
from wfc.compiler.workspace.project import NoFiles

FIELDS = "way: integer, key: integer, sure: boolean, mood: {enum: [x, y, z]}, items: list of integer"
HEAD = f"""\
wfc: 1
workflow: trial
start: S
end: Finish
tools:
  roll:
    python: "dice:roll"
    args: {{step: string}}
    output: {{{FIELDS}}}
    read_only: true
events:
  S:
    key: {{type: integer, default: 0}}
    urgent: {{type: boolean, default: false}}
    mode: {{type: {{enum: [a, b, c]}}, default: a}}
    most: {{type: integer, default: 2}}
    left: {{type: integer, default: 2}}
  Finish: {{}}
"""
CHILD = f"""\
wfc: 1
workflow: child
start: Thrown
end: [Heads, Tails]
tools:
  roll:
    python: "dice:roll"
    args: {{step: string}}
    output: {{{FIELDS}}}
    read_only: true
events:
  Thrown: {{step: string}}
  Heads: {{key: integer}}
  Tails: {{key: integer}}
steps:
  throw:
    kind: tool
    accepts: Thrown
    tool: roll
    with: {{step: "${{{{ event.step }}}}"}}
    emit:
      - {{event: Heads, when: result.sure}}
      - {{fail: it stands on its edge, when: result.mood == "x" and result.key == 0}}
      - Tails
"""
OCCASIONS = ("emit", "on_error", "on_limit", "on_timeout", "on_expired")


class Beside(NoFiles):
    """The workflow that the flows' steps call."""

    def near(self, path: str) -> Iterable[tuple[str, bytes]]:
        yield f"{path.rpartition('/')[0]}/child.yaml", CHILD.encode()

    def read(self, path: str) -> bytes | Refused:  # type: ignore[override]
        return CHILD.encode() if path.endswith("/child.yaml") else super().read(path)


class Writer:
    """A flow as a spec.

    Most steps roll a die, which says by which way they leave, how long their lists are, which value the events
    that they send have in common with others, and how long it takes. Some do that for each item of a `map`, some ask
    a person, and some wait.
    """

    def __init__(self, flow: Flow, by: random.Random) -> None:
        self.flow = flow
        self.by = by
        self.finishes = False

    def spec(self) -> str:
        return "".join([HEAD, *self.events(), *self.whole(), "steps:\n", *map(self.step, self.flow.nodes)])

    def events(self) -> Iterator[str]:
        for event in sorted({event for unit in self.flow.nodes for event in unit.slots} - {"S"}):
            yield f"  {event}: {{key: {{type: integer, default: 0}}}}\n"
        for name, kind in self.flow.kinds.items():
            if kind == "wait":
                for event in self.flow.awaited.get(name, (f"Came{name[1:]}",)):
                    yield f"  {event}: {{key: {{type: integer, default: 0}}}}\n"
        if "send" in self.flow.kinds.values():
            yield "  News: {key: {type: integer, default: 0}}\n"

    def whole(self) -> Iterator[str]:
        """What is said of the run as a whole."""
        received = [
            *self.flow.outside,
            *(
                event
                for name, kind in self.flow.kinds.items()
                if kind == "wait"
                for event in self.flow.awaited.get(name, (f"Came{name[1:]}",))
            ),
        ]
        if received:
            yield "key: inputs.key\nreceives:\n" + "".join(f"  {event}: {{key: key}}\n" for event in received)
        for key, entries in self.flow.run.items():
            yield f"{key}: {self.listed(entries)}\n"
        for key, event in self.flow.exits:
            if key not in self.flow.run:
                yield f"{key}: {{event: {event}, with: {{key: 0}}}}\n"
        if self.flow.deadline or any(key == "on_deadline" for key, _event in self.flow.exits):
            yield "deadline: 8s\n"
        if self.flow.most_steps:
            yield f"limits: {{steps: {self.flow.most_steps}}}\n"

    def step(self, unit: StepNode) -> str:
        ways = {occasion: [way for way in unit.ways if way.occasion == occasion] for occasion in OCCASIONS}
        kind, index = self.action(unit, ways)
        parts = [f"  {unit.name}:\n    accepts: {self.accepts(unit, ways['on_timeout'])}\n", kind]
        if unit.bounded:
            bound = self.flow.bounds.get(unit.name, 2)
            parts.append(f"    max_runs: {bound if isinstance(bound, int) else f'${{{{ {bound} }}}}'}\n")
        if unit.bounded and ways["on_limit"]:
            parts.append(f"    on_limit: {self.exit(ways['on_limit'])}\n")
        if ways["on_error"]:
            taken = self.exit(ways["on_error"], always_list=True)
            parts.append(
                f"    on_error: {taken.replace('[tool]', '[workflow]') if 'workflow' in kind else taken}\n"
            )
        if ways["on_expired"]:
            parts.append(f"    on_timeout: {self.exit(ways['on_expired'])}\n")
        parts.append("    emit:\n")
        field = index.replace("way", "key")
        asked = index in ("result.key", "result.way") or self.flow.kinds.get(unit.name) == "human"
        fields = f"key: '${{{{ {field} }}}}'" if index and asked else ""
        for number, way in enumerate(ways["emit"]):
            last = number == len(ways["emit"]) - 1
            when = None if last else f"{index} == {number}"
            if isinstance(way, Leave):
                when = None if way.when is None else written(way.when).replace("result.way", index)
            parts += [f"      - {entry}\n" for entry in self.written(way, when, fields)]
        return "".join(parts)

    def action(self, unit: StepNode, ways: dict[str, list[Way]]) -> tuple[str, str]:
        """What a step does, and what of that says by which way it leaves."""
        kind = self.flow.kinds.get(unit.name) or self.kind(unit, ways)
        slow = "    timeout: 5s\n" if unit.name in self.flow.kinds and kind in ("tool", "map") else ""
        if kind == "transform":
            return "    kind: transform\n", ""
        if kind == "pause":
            return f"    kind: wait\n    for: {self.by.choice((1, 4, 9))}s\n", ""
        if kind == "wait":
            awaited = self.flow.awaited.get(unit.name, (f"Came{unit.name[1:]}",))
            return f"    kind: wait\n    event: [{', '.join(awaited)}]\n    within: 3s\n", ""
        if kind == "workflow":
            return f"    kind: workflow\n    workflow: child\n    with: {{step: {unit.name}}}\n", "result.key"
        if kind == "send" and self.flow.outside and unit.name not in self.from_outside():
            itself = (
                f"    to: trial\n    to_key: inputs.key\n    event: {self.by.choice(self.flow.outside)}\n"
            )
            return f"    kind: send\n{itself}", ""
        if kind == "send":
            return "    kind: send\n    topic: news\n    event: News\n", ""
        if kind == "human":
            asked = "    kind: human\n    title: Which?\n    within: 5s\n"
            if not self.looks(ways["emit"]):
                return asked, ""  # any answer will do
            form = f"    form: {{{FIELDS}}}\n"
            if self.once(ways["emit"]) and self.by.random() < 0.5:
                return asked + form + "    quorum: 2\n", '(result | pluck("way") | sum)'
            return asked + form, "result.way"
        if kind == "map":
            do = f"{{kind: tool, tool: roll, with: {{step: {unit.name}}}}}"
            items = self.by.choice(("[]", "[1]", "[1, 2, 3]"))
            each = f"    kind: map\n    in: '{items}'\n    as: one\n    max: 5\n    do: {do}\n"
            return each + slow, '(result | pluck("way") | sum)'
        return f"    kind: tool\n    tool: roll\n    with: {{step: {unit.name}}}\n{slow}", "result.way"

    def looks(self, emit: Sequence[Way]) -> bool:
        """Whether anything looks at the result."""
        conditions = subjects([way.when for way in leaves(emit, "emit")])
        return any(way.singles or way.batches for way in emit) or any("result" in each for each in conditions)

    def from_outside(self) -> set[str]:
        """Steps that follow on events from outside: would they send one to themselves, they would do so for ever."""
        events, found = list(self.flow.outside), set[str]()
        while events:
            event = events.pop()
            for unit in self.flow.nodes:
                if event in unit.slots and unit.name not in found:
                    found.add(unit.name)
                    events += [sent for way in unit.ways for sent in (*way.singles, *way.batches)]
        return found

    def once(self, emit: Sequence[Way]) -> bool:
        """Whether there is one way to leave, whatever the result is."""
        return len(emit) == 1 and not emit[0].batches and not any(way.when for way in leaves(emit, "emit"))

    def kind(self, unit: StepNode, ways: dict[str, list[Way]]) -> str:
        if len(ways["emit"]) == 1 and not ways["on_error"] and self.by.random() < 0.3:
            return self.by.choice(("transform", "pause"))
        many = any(way.batches for way in ways["emit"])
        return "map" if not many and self.by.random() < 0.2 else "tool"

    def accepts(self, unit: StepNode, on_timeout: list[Way]) -> str:
        if unit.form == "one":
            return f"[{', '.join(unit.slots)}]"
        slots = [unit.events(slot) for slot in range(unit.width)]
        listed = [slot[0] if len(slot) == 1 else f"[{', '.join(slot)}]" for slot in slots]
        parts = [f"{unit.form}: [{', '.join(listed)}]"]
        if unit.count:
            parts.append(f"count: {unit.count}")
        if unit.name in self.flow.cancelling:
            parts.append("rest: cancel")
        if unit.name in self.flow.finishing:
            parts.append("rest: finish")
        if unit.timed:
            parts.append(f"within: 5s, on_timeout: {self.exit(on_timeout) if on_timeout else 'proceed'}")
        return f"{{{', '.join(parts)}}}"

    def exit(self, ways: Sequence[Way], *, always_list: bool = False) -> str:
        """The entries of any occasion but `emit`: the first alone where nothing decides."""
        if all(isinstance(way, Leave) for way in ways):
            return self.listed(leaves(ways, ways[0].occasion))
        return f"[{self.entry(ways[0])}]" if always_list else self.entry(ways[0])

    def listed(self, entries: Sequence[Leave]) -> str:
        each = [text for way in entries for text in self.written(way, way.when and written(way.when))]
        return f"[{', '.join(each)}]"

    def written(self, way: Way, when: str | None, fields: str = "") -> Iterator[str]:
        """An entry; one that begins the run anew does so twice, and then fails, so that trials come to an end."""
        if isinstance(way, Leave) and way.ends and way.how == "restart":
            yield self.entry(way, f"({when}) and inputs.left > 0" if when else "inputs.left > 0")
            way = replace(way, how="fail")
        yield self.entry(way, when, fields)

    def entry(self, way: Way, when: str | None = None, fields: str = "") -> str:
        sent = f", with: {{{fields or 'key: 0'}}}"
        parts = [f"{{event: {event}{sent}}}" for event in way.singles]
        items = "result.items" if "result.key" in fields else "[1, 2]"
        given = ', with: {key: "${{ item }}"}'
        for at, event in enumerate(way.batches):
            once = f", concurrency: {way.at_once(at)}" if way.at_once(at) else ""
            parts.append(f'{{each: {{in: "{items}", as: item, event: {event}{given}, max: 9{once}}}}}')
        if way.ends:
            parts.append(self.end(way, alone=not parts))
        made = (
            "{event: nothing}"
            if not parts
            else parts[0]
            if len(parts) == 1
            else f"{{all: [{', '.join(parts)}]}}"
        )
        if isinstance(way, Leave) and way.errors:
            made = f"{made[:-1]}, errors: [{', '.join(way.errors)}]}}"
        return made if when is None else f"{made[:-1]}, when: '{when}'}}"

    def end(self, way: Way, *, alone: bool) -> str:
        if isinstance(way, Leave):
            how = way.how
        else:
            how = "fail" if self.finishes and alone and self.by.random() < 0.3 else "end"
            self.finishes = self.finishes or how == "end"
        return {
            "end": "{event: Finish}",
            "fail": "{fail: it had to be}",
            "restart": '{restart: {with: {left: "${{ inputs.left - 1 }}"}}}',
        }[how]
