"""Events, records, state and config → classes, each after those that it mentions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from wfc.compiler.codegen.layout.docstrings import docstring
from wfc.compiler.codegen.layout.expressions import INDENT
from wfc.compiler.codegen.literals.constants import bounds, call, constant
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.shapes import ClassDefinition, ClassField, LiteralAlias
from wfc.compiler.expressions.python.annotations import annotation, literal_type, records_in, union
from wfc.compiler.model import MapItems, Step, Workflow, WorkflowCall
from wfc.compiler.python.literals import Code, field_name, literal
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import (
    BUILT_IN,
    NO_CONSTRAINTS,
    Enumeration,
    Field,
    ListOf,
    MapOf,
    Optional,
    Record,
    Type,
    members,
)

__all__ = ["classes"]


_BASES = {"start": "StartEvent", "message": "Event", "end": "StopEvent"}
_ROLES = {"state": "RunState", "config": "RunConfig"}


def classes(workflow: Workflow, names: ModuleNames) -> list[ClassDefinition | LiteralAlias]:
    """Return all classes of a module, in an order in which each follows those it mentions, except in cycles."""
    bases = {id(event.record): (_BASES[event.role], event.name) for event in workflow.events}
    bases |= {key: ("ChildEnd", name) for key, name in ends_of_called(workflow).items()}
    return [
        LiteralAlias(names.enumerations[type_.name], literal_type(type_))
        if isinstance(type_, Enumeration)
        else _class(type_, before, bases, names)
        for type_, before in _ordered(workflow, names)
    ]


def _ordered(workflow: Workflow, names: ModuleNames) -> Iterator[tuple[Record | Enumeration, Set[str]]]:
    """Yield each record and named enumeration, with the names of those before it, as far as it has come."""
    roots: list[Type] = [*workflow.types, *workflow.outputs, *(event.record for event in workflow.events)]
    roots += [record for record in (workflow.config, workflow.state) if record.fields]
    order = _Order(names, {*names.imported, *BUILT_IN}, {id(each) for each in BUILT_IN.values()})
    for root in roots:
        if isinstance(root, (Record, Enumeration)):
            yield from order.through(root)


@dataclass(slots=True)
class _Order:
    """The way through all types, each after those that it mentions.

    Args:
        before: The names of those that have been passed.
        seen: The types that were met.
    """

    names: ModuleNames
    before: set[str]
    seen: set[int]

    def through(self, type_: Record | Enumeration) -> Iterator[tuple[Record | Enumeration, Set[str]]]:
        key = hash(type_.name) if isinstance(type_, Enumeration) else id(type_)
        if key in self.seen or self.names.of_type(type_) in self.names.imported:
            return
        self.seen.add(key)
        if isinstance(type_, Record):
            for field in type_.fields.values():
                for mentioned in records_in(field.type):
                    yield from self.through(mentioned)
        yield type_, self.before
        self.before.add(self.names.of_type(type_))


def _class(
    record: Record, before: Set[str], bases: Mapping[int, tuple[str, str]], names: ModuleNames
) -> ClassDefinition:
    name = names.of(record)
    return ClassDefinition(
        name,
        _bases(record, name, bases),
        docstring(record.description, INDENT),
        tuple(_field(field, before, names) for field in record.fields.values()),
    )


def _bases(record: Record, name: Code, bases: Mapping[int, tuple[str, str]]) -> Code:
    if id(record) not in bases:
        return Code(_ROLES.get(record.role, "Record"))
    base, event = bases[id(record)]
    named = "" if name == event else f", name={literal(event)}"
    return Code(f"ClosedFields, {base}{named}")


def _field(field: Field, before: Set[str], names: ModuleNames) -> ClassField:
    name = field_name(field.name)
    later = any(names.of_type(each) not in before for each in records_in(field.type))
    about = _names(field, name)
    if field.description:
        about["description"] = literal(field.description)
    limits = bounds(field.constraints, field.type, names)
    if isinstance(field.type, Optional) and field.constraints != NO_CONSTRAINTS:
        # bounds are for the value, not for its absence
        inner = _annotated(_quoted(annotation(field.type.of, names), later), field, limits)
        spelled = _annotated(union([inner, Code("None")]), None, about)
    else:
        spelled = _annotated(_quoted(annotation(field.type, names), later), field, {**about, **limits})
    return ClassField(name, spelled, _default(field, later, names))


def _names(field: Field, name: Code) -> dict[str, Code]:
    """Return how a field is called in data, for pydantic: outside under its foreign name, inside under its own."""
    if not field.foreign:
        return {"alias": literal(field.name)} if name != field.name else {}
    foreign = literal(field.foreign)
    if name == field.name:
        return {"validation_alias": foreign}
    own = literal(field.name)
    return {"validation_alias": call(Code("AliasChoices"), foreign, own), "serialization_alias": own}


def _quoted(spelled: Code, later: bool) -> Code:
    """Return an annotation in quotes if it mentions a class that comes later, or the one that it stands in."""
    return literal(str(spelled)) if later else spelled


def _annotated(spelled: Code, field: Field | None, more: Mapping[str, Code]) -> Code:
    parts = [spelled]
    if field is not None and field.constraints.format is not None:
        parts.append(call(Code("Format"), literal(field.constraints.format)))
    if more:
        parts.append(call(Code("Field"), **more))
    return Code(f"Annotated[{', '.join(parts)}]") if len(parts) > 1 else spelled


def _default(field: Field, later: bool, names: ModuleNames) -> Code | None:
    if not field.has_default:
        return Code("None") if isinstance(field.type, Optional) else None
    spelled = constant(field.default, field.type, names)
    if not isinstance(field.default, (list, dict)):
        return spelled
    if not field.default and any(isinstance(member, (ListOf, MapOf)) for member in members(field.type)):
        return Code(f"Field(default_factory={'list' if isinstance(field.default, list) else 'dict'})")
    if later or spelled[0] not in "[{":
        return Code(f"Field(default_factory=lambda: {spelled})")
    return call(Code("Field"), default=spelled)  # pydantic copies it for each instance


def ends_of_called(workflow: Workflow) -> dict[int, str]:
    """Return the records that are end events of other workflows, each with the event's name."""
    return {id(record): name for call in workflow_calls(workflow.steps) for name, record in call.ends}


def workflow_calls(steps: Iterable[Step]) -> Iterable[WorkflowCall]:
    for step in steps:
        action = step.action.do if isinstance(step.action, MapItems) else step.action
        if isinstance(action, WorkflowCall):
            yield action
