"""Calls of other workflows: what they take and how they end, in terms of the spec that calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wfc.compiler.diagnostics import Address, Finding, Origin, Place
from wfc.compiler.expressions import Scope
from wfc.compiler.model import Tool, WorkflowCall
from wfc.compiler.resolve.declared import Declared, entries
from wfc.compiler.resolve.names import normal, pascal_case
from wfc.compiler.resolve.surroundings import Around, Surroundings
from wfc.compiler.resolve.values import Texts
from wfc.compiler.rules import files as problems
from wfc.compiler.slotted import dataclass, replace
from wfc.compiler.types import (
    STRING,
    UNKNOWN,
    Enumeration,
    ListOf,
    MapOf,
    OneOf,
    Optional,
    Record,
    Type,
    alike,
)

__all__ = [
    "Called",
    "but_itself",
    "called",
    "called_by",
    "report_recursion",
    "report_unknown_tools",
    "resolve_call",
    "result_of",
]


ABOUT_INPUTS = ("missing-entry", "unknown-entry", "wrong-value")


@dataclass(frozen=True, slots=True)
class Called:
    """Another workflow, as the spec that calls it sees it.

    Args:
        at: Where its start event is declared.
        start: The record of its inputs.
        ends: Its end events: the name of each, and the record that its fields are read as here.
    """

    name: str
    path: str
    at: Place
    start: Record
    ends: tuple[tuple[str, Record], ...]

    @property
    def result(self) -> Type:
        """What a run of it gives."""
        records = tuple(record for _, record in self.ends)
        return records[0] if len(records) == 1 else OneOf(records)


def called(data: object, place: Place, declared: Declared) -> Called | None:
    """The workflow of a name; ``None`` with a finding if there is none, without one if it is broken itself."""
    if not isinstance(data, str):
        return None
    name = normal(data)
    if name not in declared.called:
        around = declared.around.workflow(name)
        declared.called[name] = None if around is None else adopted(name, around, declared)
        if around is None:
            report_unknown(name, place, declared)
    return declared.called[name]


def called_by(tool: Tool, declared: Declared) -> Called | None:
    """The workflow that a tool is; see ``called``."""
    found = called(tool.workflow, place_of(tool, declared) / "workflow", declared)
    return but_itself(found, declared)


def but_itself(found: Called | None, declared: Declared) -> Called | None:
    """A workflow that is waited for; one that waits for itself has a finding for that, and needs no other."""
    own = declared.data.get("workflow")
    return None if found is not None and isinstance(own, str) and found.name == normal(own) else found


def place_of(tool: Tool, declared: Declared) -> Place:
    """Where a tool is declared, which may be another file."""
    if tool.file == declared.around.path or Place(tool.address).origin is not None:
        return Place(tool.address)
    return Place((Origin(tool.file), *tool.address))


def report_unknown_tools(declared: Declared) -> None:
    """Report workflows that there are not, of tools that no step calls."""
    for name, tool in declared.tools.nodes.items():
        if tool.workflow is None or tool.workflow in declared.called or ("tools", name) in declared.imported:
            continue
        if declared.around.workflow(tool.workflow) is None:
            report_unknown(tool.workflow, Place(tool.address) / "workflow", declared)


def report_unknown(name: str, place: Place, declared: Declared) -> None:
    if not declared.around.alone and name not in (known := declared.around.workflows()):
        declared.report(problems.unknown_workflow(place, name, known))


def adopted(name: str, around: Around, declared: Declared) -> Called | None:
    theirs = around.declared
    if theirs.start is None or not theirs.end or not theirs.flow_whole:
        return None
    adoption = Adoption(declared, pascal_case(name))
    start = adoption.fields_of(theirs.start.record, Record(theirs.start.name, role="namespace"))
    ends = []
    for event in theirs.end:
        record = adoption.named(event.record)
        record.called = event.name
        ends.append((event.name, record))
    if adoption.incomplete:
        return None
    address = theirs.start.address
    at = Place(address if Place(address).origin is not None else (Origin(around.path), *address)).key
    return Called(name, around.path, at, start, tuple(ends))


class Adoption:
    """Makes another spec's types this one's own: what both have alike is one, the rest gets names that are free.

    Args:
        prefix: For a name that this spec has for something else.
    """

    def __init__(self, declared: Declared, prefix: str) -> None:
        self.declared = declared
        self.prefix = prefix
        self.made: dict[int, Record] = {}
        self.incomplete = False  # whether the other spec could not say of some type what it is

    def type(self, type: Type) -> Type:
        """A type of the other spec as one of this."""
        self.incomplete |= type is UNKNOWN
        match type:
            case ListOf():
                return ListOf(self.type(type.item))
            case MapOf():
                return MapOf(self.type(type.value))
            case Optional():
                return Optional(self.type(type.of))
            case OneOf():
                return OneOf(tuple(self.type(each) for each in type.types))
            case Enumeration():
                return type if self.declared.types.get(type.name) == type else replace(type, name="")
            case Record(role="built in"):
                return type
            case Record():
                own = self.declared.types.get(type.name)
                if isinstance(own, Record) and alike(own, type):
                    return own
                return self.named(type)
        return type

    def named(self, record: Record) -> Record:
        """A record of the other spec as one of this, under a name that is free."""
        found = self.made.get(id(record))
        if found is None:
            name = record.name
            if name in self.declared.types or name in self.declared.adopted:
                name = f"{self.prefix}{name}"
            self.declared.adopted.add(name)
            found = self.made[id(record)] = Record(name, role="output", description=record.description)
            self.fields_of(record, found)
        return found

    def fields_of(self, record: Record, into: Record) -> Record:
        """Fill a record with another's fields."""
        for name, each in record.fields.items():
            into.fields[name] = replace(each, type=self.type(each.type), address=())
        return into


def resolve_call(
    found: Called | None,
    data: Mapping[str, object],
    key: str,
    place: Place,
    scope: Scope,
    texts: Texts,
) -> WorkflowCall | None:
    """The call of a step; its inputs are held against the other workflow's start event.

    Args:
        key: Where the inputs stand: `with`, or the `args` of a tool.
    """
    given = data.get(key, {})
    if not isinstance(given, Mapping):
        return None
    if found is None:
        texts.value(dict(given), place / key, UNKNOWN, scope)  # there may be mistakes of its own
        return None
    at = place / key if key in data else place / ("workflow" if key == "with" else "tool")
    with_both = Texts(lambda finding: texts.report(with_inputs(finding, found)), texts.uses)
    values = with_both.fields(given, at, found.start, found.start.name, scope)
    return WorkflowCall(found.name, values, found.ends, data.get("detach") is True)


def with_inputs(finding: Finding, found: Called) -> Finding:
    """A finding about what is given to a workflow, with the place where that is declared."""
    if finding.code not in ABOUT_INPUTS:
        return finding
    return replace(finding, related=(*finding.related, (found.at, "its inputs are declared here")))


def result_of(found: Called | None, data: Mapping[str, object]) -> Type:
    """What a call gives: the run's id where it is left to itself."""
    if data.get("detach") is True:
        return STRING
    return UNKNOWN if found is None else found.result


def report_recursion(name: str, declared: Declared) -> None:
    """Report each call that leads back to the workflow itself, unless the run that it starts is left to itself."""
    for place, callee in calls_in(declared):
        way = way_back(callee, name, declared.around)
        if way is not None:
            declared.report(problems.workflow_calls_itself(place, (name, *way)))


def calls_in(declared: Declared) -> Iterator[tuple[Place, str]]:
    """The workflows that the steps of a spec wait for, each with where it is named."""
    for _, content, address in all_steps(declared):
        call, place = content, Place(address)
        if isinstance(content, Mapping) and content.get("kind") == "map":
            call, place = content.get("do"), place / "do"
        if not isinstance(call, Mapping):
            continue
        if call.get("kind") == "workflow" and call.get("detach") is not True:
            if isinstance(call.get("workflow"), str):
                yield place / "workflow", normal(str(call["workflow"]))
        elif call.get("kind") == "tool":
            binding = call.get("tool")
            if isinstance(binding, Mapping) and isinstance(binding.get("workflow"), str):
                yield place / "tool" / "workflow", normal(str(binding["workflow"]))
            tool = declared.tools.nodes.get(normal(binding)) if isinstance(binding, str) else None
            if tool is not None and tool.workflow is not None:
                yield place / "tool", tool.workflow


def all_steps(declared: Declared) -> Iterator[tuple[str, object, Address]]:
    """The steps of a spec and of its parts, as they are written."""
    yield from entries(declared.data.get("steps"), ("steps",))
    listed = declared.data.get("parts")
    for path in listed if isinstance(listed, list) else ():
        found = declared.around.part(path) if isinstance(path, str) else None
        if isinstance(found, tuple):
            shown, spec = found
            yield from entries(spec.data.get("steps"), (Origin(shown), "steps"))


def way_back(start: str, goal: str, around: Surroundings) -> list[str] | None:
    """The calls by which a workflow leads to another, both included; ``None`` if it does not."""
    came_from: dict[str, str] = {start: ""}
    waiting = [start]
    while waiting:
        current = waiting.pop(0)
        if current == goal:
            way = [current]
            while came_from[way[0]]:
                way.insert(0, came_from[way[0]])
            return way
        other = around.workflow(current)
        for _, callee in calls_in(other.declared) if other is not None else ():
            if callee not in came_from:
                came_from[callee] = current
                waiting.append(callee)
    return None
