"""Other workflows that are called: their inputs and ends, in the types of the spec that calls."""

from __future__ import annotations

from wfc.compiler.diagnostics import Origin, Place
from wfc.compiler.model import Tool
from wfc.compiler.python.literals import normal_form, pascal_case
from wfc.compiler.resolve.symbols.contracts import CalledWorkflow, result_of
from wfc.compiler.resolve.symbols.declarations import Declarations, OtherFile
from wfc.compiler.rules import files as problems
from wfc.compiler.slotted import replace
from wfc.compiler.types import UNKNOWN, Enumeration, ListOf, MapOf, OneOf, Optional, Record, Type, alike

__all__ = ["Callees", "as_tool", "find_callee", "report_unknown", "unless_itself", "workflow_of_tool"]

Callees = tuple[CalledWorkflow, ...] | None
"""The workflows of which a step runs one; ``None`` if one of them is not known, or broken."""


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
    """Return the workflow that a tool runs; ``None`` if it is not known, or broken."""
    found = find_callee(tool.workflow, place_of(tool, declared) / "workflow", declared)
    return unless_itself(None if found is None else (found,), declared)


def as_tool(tool: Tool, declared: Declarations) -> Tool | None:
    """Return what a workflow is as a tool of an agent; ``None`` if it is not known, or broken.

    It takes the workflow's inputs and gives the end event. One that says nothing of itself has its description.
    """
    if tool.name not in declared.workflow_tools:
        found = workflow_of_tool(tool, declared)
        made = None
        if found is not None:
            (callee,) = found
            name = f"{pascal_case(tool.name)}Args"
            made = replace(
                tool,
                args=Record(name, callee.start.fields, role="namespace", address=tool.address),
                output=result_of(callee.ends),
                description=tool.description or callee.description,
                ends=callee.ends if len(callee.ends) > 1 else (),
            )
        declared.workflow_tools[tool.name] = made
    return declared.workflow_tools[tool.name]


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
    said = theirs.data.get("description")
    return CalledWorkflow(name, other.path, at, start, tuple(ends), said if isinstance(said, str) else "")


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
