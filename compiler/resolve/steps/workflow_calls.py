"""Calls of other workflows: their inputs and ends, in the types of the spec that calls."""

from __future__ import annotations

from collections.abc import Mapping

from wfc.compiler.diagnostics import Finding, Origin, Place
from wfc.compiler.expressions import Expression, Scope
from wfc.compiler.model import Tool, Value, WorkflowCall
from wfc.compiler.python.literals import normal_form, pascal_case
from wfc.compiler.resolve.symbols.contracts import CalledWorkflow, result_of
from wfc.compiler.resolve.symbols.declarations import Declarations, OtherFile
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.mismatches import mismatch
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.rules import files as problems
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.slotted import replace
from wfc.compiler.types import (
    ANY,
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
    assignable,
)

__all__ = [
    "call_result",
    "find_callees",
    "report_unknown",
    "resolve_call",
    "unless_itself",
    "workflow_of_tool",
]

Callees = tuple[CalledWorkflow, ...] | None
"""The workflows of which a step runs one; ``None`` if one of them is not known, or broken."""

ABOUT_INPUTS = ("missing-entry", "unknown-entry", "wrong-value")


def find_callee(data: object, place: Place, declared: Declarations) -> CalledWorkflow | None:
    """Return the workflow of a name; ``None`` with a finding if there is none, without one if it is broken
    itself.
    """
    if not isinstance(data, str):
        return None
    name = normal_form(data)
    if name not in declared.called:
        other = declared.project.workflow(name)
        declared.called[name] = None if other is None else describe_callee(name, other, declared)
        if other is None:
            report_unknown(name, place, declared)
    return declared.called[name]


def workflow_of_tool(tool: Tool, declared: Declarations) -> Callees:
    """Return the workflow that a tool runs; see ``find_callees``."""
    found = find_callees(tool.workflow, place_of(tool, declared) / "workflow", declared)
    return unless_itself(found, declared)


def unless_itself(found: Callees, declared: Declarations) -> Callees:
    """Return workflows; ``None`` if the spec's own is among them, because a workflow that waits for itself is
    reported elsewhere.
    """
    own = declared.data.get("workflow")
    itself = normal_form(own) if isinstance(own, str) else None
    return None if found is not None and any(each.name == itself for each in found) else found


def place_of(tool: Tool, declared: Declarations) -> Place:
    """Return where a tool is declared, which may be in another file."""
    if tool.file == declared.project.path or Place(tool.address).origin is not None:
        return Place(tool.address)
    return Place((Origin(tool.file), *tool.address))


def find_callees(data: object, place: Place, declared: Declarations) -> tuple[CalledWorkflow, ...] | None:
    """Return the workflows of which a step runs one, each once; ``None`` if one of them is not known or broken.

    Args:
        data: A name, or ``{from: …, only: […]}``.
    """
    if not isinstance(data, Mapping):
        found = find_callee(data, place, declared)
        return None if found is None else (found,)
    only = data.get("only")
    listed = only if isinstance(only, list) else []
    callees = [find_callee(name, place / "only" / index, declared) for index, name in enumerate(listed)]
    known = {each.name: each for each in callees if each is not None}
    return tuple(known.values()) if known and None not in callees else None


def report_unknown(name: str, place: Place, declared: Declarations) -> None:
    if "${{" in name or not name.strip():
        declared.report(problems.unknown_workflow(place, name, ()))
    elif not declared.project.alone and name not in (known := declared.project.workflows()):
        declared.report(problems.unknown_workflow(place, name, known))


def describe_callee(name: str, other: OtherFile, declared: Declarations) -> CalledWorkflow | None:
    theirs = other.declared
    if theirs.start is None or not theirs.end or not theirs.flow_whole:
        return None
    adoption = TypeTranslation(declared, pascal_case(name))
    start = adoption.fields_of(theirs.start.record, Record(theirs.start.name, role="namespace"))
    ends = []
    for event in theirs.end:
        record = adoption.named(event.record)
        record.called = event.name
        ends.append((event.name, record))
    if adoption.incomplete:
        return None
    address = theirs.start.address
    at = Place(address if Place(address).origin is not None else (Origin(other.path), *address)).key
    return CalledWorkflow(name, other.path, at, start, tuple(ends))


class TypeTranslation:
    """A translation of another spec's types into this spec's: types that are alike become one, the rest get
    free names.

    Args:
        prefix: For a name that this spec has for something else.
    """

    def __init__(self, declared: Declarations, prefix: str) -> None:
        self.declared = declared
        self.prefix = prefix
        self.made: dict[int, Record] = {}
        self.incomplete = False  # whether the other spec could not say of some type what it is

    def type(self, type: Type) -> Type:
        """Return a type of the other spec as one of this spec."""
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
        """Return a record of the other spec as one of this spec, under a free name."""
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
    found: Callees,
    data: Data,
    place: Place,
    scope: Scope,
    reader: ValueReader,
) -> WorkflowCall | None:
    """Resolve the call of a step; its inputs are checked against the start event of each workflow it may run."""
    given = data.get("with", {})
    if not isinstance(given, Mapping):
        return None
    chosen_by = choice(data.get("workflow"), place / "workflow", scope, reader, known=found is not None)
    if found is None:
        reader.value(dict(given), place / "with", UNKNOWN, scope)  # there may be mistakes of its own
        return None
    at = place / "with" if "with" in data else place / ("workflow" if "workflow" in data else "tool")
    values = inputs_of_all(found, given, at, scope, reader)
    detach = data.get("detach") is True
    if not detach:
        report_ends_that_differ(found, place / "workflow" / "only", reader)
    return WorkflowCall(tuple(each.name for each in found), values, ends_of(found), detach, chosen_by)


def choice(
    data: object, place: Place, scope: Scope, reader: ValueReader, *, known: bool
) -> Expression | None:
    """Return what chooses a workflow at run time; ``None`` where the spec names it.

    Args:
        known: Whether there are all the workflows that it lists.
    """
    if not isinstance(data, Mapping):
        return None
    chosen_by = reader.expression(data.get("from", '""'), place / "from", scope)
    if not assignable(chosen_by.type, STRING):
        reader.report(value_problems.wrong_value(place / "from", *mismatch(chosen_by.type, STRING)))
    only = data.get("only")
    names: set[str] = set()
    for index, name in enumerate(only if isinstance(only, list) else ()):
        at = place / "only" / index
        if normal_form(str(name)) in names:
            reader.report(problems.choice_twice(at, str(name)))
        elif known and isinstance(chosen_by.type, Enumeration):
            values = [str(value) for value in chosen_by.type.values]
            if normal_form(str(name)) not in map(normal_form, values):
                words = chosen_by.text.strip()
                reader.report(operand_problems.no_such_value(at, words, str(name), values))
        names.add(normal_form(str(name)))
    return chosen_by


def inputs_of_all(
    found: tuple[CalledWorkflow, ...],
    given: Mapping[object, object],
    place: Place,
    scope: Scope,
    reader: ValueReader,
) -> tuple[tuple[str, Value], ...]:
    """Return the inputs as each of some workflows takes them; what is wrong for several is reported once."""
    told: set[tuple[object, ...]] = set()
    values: dict[str, Value] = {}

    for callee in found:
        findings: list[Finding] = []
        reading = ValueReader(findings.append, reader.uses)
        for name, value in reading.fields(given, place, callee.start, callee.start.name, scope):
            values[name] = as_both_take_it(values[name], value) if name in values else value
        for finding in findings:
            same = finding.code, finding.place.key, finding.message.replace(callee.start.name, "", 1)
            if same not in told:
                told.add(same)
                reader.report(with_place_of_inputs(finding, callee))
    return tuple(values.items())


def as_both_take_it(one: Value, other: Value) -> Value:
    """Return a value that two workflows want of one type each: as it is written if the types differ, because each
    reads by itself what it is given.
    """
    if one.type == other.type:
        return one
    entries, items = one.entries, one.items
    if entries is not None and other.entries is not None:
        theirs = dict(other.entries)
        entries = tuple((name, as_both_take_it(each, theirs.get(name, each))) for name, each in entries)
    if items is not None and other.items is not None:
        items = tuple(map(as_both_take_it, items, other.items))
    return replace(one, type=ANY, entries=entries, items=items)


def with_place_of_inputs(finding: Finding, found: CalledWorkflow) -> Finding:
    """Return a finding about an argument of a workflow, with the place where its inputs are declared."""
    if finding.code not in ABOUT_INPUTS:
        return finding
    return replace(finding, related=(*finding.related, (found.at, "its inputs are declared here")))


def ends_of(found: tuple[CalledWorkflow, ...]) -> tuple[tuple[str, Record], ...]:
    """Return the end events of some workflows, each name once."""
    return tuple({name: record for each in reversed(found) for name, record in reversed(each.ends)}.items())[
        ::-1
    ]


def report_ends_that_differ(found: tuple[CalledWorkflow, ...], place: Place, reader: ValueReader) -> None:
    """Report end events of one name that two workflows declare differently."""
    first: dict[str, tuple[CalledWorkflow, Record]] = {}
    for callee in found:
        for name, record in callee.ends:
            other, known = first.setdefault(name, (callee, record))
            if not alike(known, record):
                reader.report(problems.ends_differ(place, name, other.name, callee.name))


def call_result(found: Callees, data: Data) -> Type:
    """Return the type of a call's result: the run's id if the call does not wait for the run."""
    if data.get("detach") is True:
        return STRING
    return UNKNOWN if found is None else result_of(ends_of(found))
