"""Compatibility of a spec's types with the annotations of Python functions, in both directions.

Where something is unknown, nothing is reported; what is reported would fail at run time.
"""

from __future__ import annotations

from typing import Any, Final

from wfc.compiler.types import (
    ANY,
    UNKNOWN,
    Enumeration,
    ListOf,
    MapOf,
    OneOf,
    Record,
    Scalar,
    Type,
    may_be_null,
    members,
    without_null,
)

__all__ = ["gives", "takes"]

WRITTEN_AS_TEXT: Final = {"decimal", "date", "datetime", "duration"}
WIDENS: Final = {("integer", "number"), ("integer", "decimal")}
DEEPEST: Final = 12


def takes(shape: Any, given: Type, deep: int = 0) -> bool:
    """Return whether a parameter accepts every value of a type."""
    if shape is None or given in (ANY, UNKNOWN) or deep > DEEPEST:
        return True
    if may_be_null(given) and not takes_null(shape):
        return False
    return all(
        any(takes_one(each, member, deep) for each in alternatives(shape))
        for member in members(without_null(given))
    )


def takes_one(shape: Any, given: Type, deep: int) -> bool:
    if shape is None or given in (ANY, UNKNOWN):
        return True
    if isinstance(given, Enumeration):
        return all(is_of(value, shape) for value in given.values)
    if isinstance(given, Scalar):
        # text may be narrowed by a `Literal`: that is the author's business
        return scalar_fits(given.name, shape) or (isinstance(shape, dict) and "enum" in shape)
    if not isinstance(shape, dict):
        return False
    if isinstance(given, ListOf):
        return "list" in shape and not shape.get("as") and takes(shape["list"], given.item, deep + 1)
    if "map" in shape:
        inner = (
            [field.type for field in given.fields.values()] if isinstance(given, Record) else [item_of(given)]
        )
        return all(takes(shape["map"], each, deep + 1) for each in inner)
    # a record comes as a dictionary, never as an object of a class
    if "fields" not in shape or shape.get("as"):
        return False
    if not isinstance(given, Record):
        return True
    fields = {field.name_outside: field for field in given.fields.values()}
    return all(
        takes(inner, fields[name].type, deep + 1) if name in fields else not needed
        for name, (inner, needed) in shape["fields"].items()
    )


def gives(shape: Any, wanted: Type, deep: int = 0) -> bool:
    """Return whether a function's result can be a value of a type; each alternative is checked by itself."""
    if shape is None or wanted in (ANY, UNKNOWN) or deep > DEEPEST:
        return True
    return all(gives_one(each, wanted, deep) for each in alternatives(shape))


def gives_one(shape: Any, wanted: Type, deep: int) -> bool:
    if shape is None:
        return True
    if shape == "null":
        return may_be_null(wanted)
    return any(gives_member(shape, member, deep) for member in members(without_null(wanted)))


def gives_member(shape: Any, wanted: Type, deep: int) -> bool:
    if wanted in (ANY, UNKNOWN):
        return True
    if isinstance(shape, dict) and "enum" in shape:
        values = shape["enum"]
        if isinstance(wanted, Enumeration):
            return all(
                any(value == each and type(value) is type(each) for each in wanted.values) for value in values
            )
        return isinstance(wanted, Scalar) and all(
            scalar_fits(name_of(value), wanted.name) for value in values
        )
    if isinstance(wanted, Enumeration):
        return any(is_of(value, shape) for value in wanted.values)
    if isinstance(wanted, Scalar):
        return scalar_fits(shape, wanted.name) or (shape == "string" and wanted.name in WRITTEN_AS_TEXT)
    if not isinstance(shape, dict):
        return False
    if isinstance(wanted, ListOf):
        return "list" in shape and gives(shape["list"], wanted.item, deep + 1)
    if "map" in shape:  # which may have the fields of a record, or not
        return isinstance(wanted, Record) or gives(shape["map"], item_of(wanted), deep + 1)
    if "fields" not in shape:
        return False
    if isinstance(wanted, Record):
        return all(
            gives(shape["fields"][field.name_outside][0], field.type, deep + 1)
            if field.name_outside in shape["fields"]
            else not field.required
            for field in wanted.fields.values()
        )
    return all(gives(inner, item_of(wanted), deep + 1) for inner, _ in shape["fields"].values())


def alternatives(shape: Any) -> list[Any]:
    found = shape["union"] if isinstance(shape, dict) and "union" in shape else [shape]
    return [each for one in found for each in (alternatives(one) if one is not shape else [one])]


def takes_null(shape: Any) -> bool:
    return any(
        each is None or each == "null" or (isinstance(each, dict) and None in each.get("enum", ()))
        for each in alternatives(shape)
    )


def item_of(type: Type) -> Type:
    return type.value if isinstance(type, MapOf) else UNKNOWN if isinstance(type, OneOf) else ANY


def scalar_fits(source: Any, target: Any) -> bool:
    return isinstance(source, str) and (source == target or (source, target) in WIDENS)


def name_of(value: object) -> str:
    names = {bool: "boolean", int: "integer", str: "string", float: "number"}
    return names.get(type(value), "null")


def is_of(value: object, shape: Any) -> bool:
    """Return whether a constant is of a shape."""
    if isinstance(shape, dict):
        return any(value == each and type(value) is type(each) for each in shape.get("enum", ()))
    return scalar_fits(name_of(value), shape)
