"""The saves of a step: a list of names from its result, or a map of expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope, reference
from wfc.compiler.model import Save, Value
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.steps.fills import field_type
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.values import mismatches
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.rules import results as problems
from wfc.compiler.rules import undeclared as undeclared_problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.types import UNKNOWN, Field, Record, assignable, members, show

__all__ = ["resolve_saves"]


def resolve_saves(
    data: object, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> tuple[Save, ...]:
    """Return the saves of a step or of an entry, in the order written."""
    if isinstance(data, dict):
        return tuple(save_values(data, place, scope, declared, reader))
    if not isinstance(data, list):
        return ()
    if "result" not in scope.names:
        declared.report(problems.no_result(place, "save"))
        return ()
    saves = [
        save_by_name(str(name), place / index, scope, declared, reader) for index, name in enumerate(data)
    ]
    return tuple(save for save in saves if save is not None)


def save_values(
    data: Mapping[object, object], place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> list[Save]:
    saves: list[Save] = []
    for key, content in data.items():
        name = normal_form(str(key))
        at = place / str(key)
        field = state_field(name, at.key, declared)
        wanted = field.type if field is not None else UNKNOWN
        value = reader.value(content, at, wanted, scope)
        if field is not None:
            saves.append(Save(name, value, at.address, declared.merges.get(name)))
    return saves


def state_field(
    name: str, place: Place, declared: Declarations, among: Sequence[str] | None = None
) -> Field | None:
    field = declared.state.fields.get(name)
    if field is None and not declared.unread("state"):
        declared.report(undeclared_problems.unknown_state_field(place, name, declared.state.fields, among))
    return field


def save_by_name(
    name: str, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> Save | None:
    name = normal_form(name)
    reader.uses.add("result")
    result = reference(scope, "result").type
    known = [each for member in members(result) if isinstance(member, Record) for each in member.fields]
    fields = [each for each in known if each in declared.state.fields]  # another name must be both
    field = state_field(name, place, declared, fields)
    given = field_type(result, name)
    if given is None:
        if field is not None or declared.unread("state"):  # otherwise it is reported, and misspelt as a whole
            declared.report(problems.result_without_field(place, name, show(result), known, fields))
        return None
    if field is None or given is UNKNOWN:
        return None
    value = reference(scope, "result", name)
    if not assignable(value.type, field.type):
        why, hint = mismatches.mismatch(value.type, field.type)
        declared.report(value_problems.wrong_value(place, why, hint))
    taken = Value(field.type, place.address, expression=value)
    return Save(name, taken, place.address, declared.merges.get(name))
