"""Inferred types of values for which no type is declared, such as the result of a `map` for an item."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Value
from wfc.compiler.python.literals import is_name
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_style
from wfc.compiler.slotted import replace
from wfc.compiler.types import (
    ANY,
    BOOLEAN,
    INTEGER,
    NULL,
    NUMBER,
    STRING,
    UNKNOWN,
    Field,
    ListOf,
    MapOf,
    Optional,
    Record,
    Type,
    assignable,
    common,
)

__all__ = ["inferred_type", "with_inferred_type"]


def inferred_type(value: Value) -> Type:
    """Return the type of a value whose expressions ``typed`` has typed."""
    return in_place_as_map(value.expression.type) if value.expression is not None else value.type


def in_place_as_map(type: Type) -> Type:
    """Return the type of a value that an expression makes; a record that it writes out is a map, for it has no type."""
    match type:
        case Record(name=""):
            return MapOf(common(*(in_place_as_map(each.type) for each in type.fields.values())))
        case ListOf(item):
            return ListOf(in_place_as_map(item))
        case MapOf(inner):
            return MapOf(in_place_as_map(inner))
        case Optional(inner):
            return Optional(in_place_as_map(inner))
    return type


def with_inferred_type(value: Value, name: str, declared: Declarations) -> Value:
    """Return the same value with its own type.

    A record that is written out is of the one type under `types` that has just these fields, if there is one;
    else of a type of its own.

    Args:
        name: The class name of that type.
    """
    if value.expression is not None:
        return replace(value, type=inferred_type(value))
    if value.template is not None:
        return replace(value, type=value.template.type)
    if value.items is not None:
        items = tuple(with_inferred_type(item, name, declared) for item in value.items)
        return replace(
            value, type=ListOf(common(*map(inferred_type, items))) if items else ListOf(ANY), items=items
        )
    if value.entries is not None:
        entries = tuple(
            (key, with_inferred_type(each, f"{name}{key.title()}", declared)) for key, each in value.entries
        )
        return replace(value, type=inferred_record(value, dict(entries), name, declared), entries=entries)
    return replace(value, type=constant_type(value.constant))


def inferred_record(value: Value, entries: dict[str, Value], name: str, declared: Declarations) -> Type:
    types = {key: inferred_type(each) for key, each in entries.items()}
    wrong = [key for key in types if not is_name(key)]
    for key in wrong:
        check_style(key, Place((*value.address, key)).key, "field", declared.report)
    if wrong or UNKNOWN in types.values():
        return UNKNOWN
    declared.asked_by_shape += 1
    fitting = [
        each
        for each in declared.types.values()
        if isinstance(each, Record)
        and each.role == "type"
        and each.fields.keys() == types.keys()
        and all(assignable(types[key], field.type) for key, field in each.fields.items())
    ]
    if len(fitting) == 1:
        return fitting[0]
    made = Record(name, role="output", address=value.address)
    for key, type in types.items():
        made.fields[key] = Field(key, ANY if type == NULL else type, address=(*value.address, key))
    return made


def constant_type(data: object) -> Type:
    if isinstance(data, bool):
        return BOOLEAN
    if isinstance(data, (int, float)):
        return INTEGER if isinstance(data, int) else NUMBER
    return STRING if isinstance(data, str) else NULL
