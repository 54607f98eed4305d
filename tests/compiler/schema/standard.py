"""The standard's validator with our whole numbers, and definitions for schemas to refer to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator, ValidationError, validators


def const(validator: Any, wanted: object, value: object, schema: object) -> Iterator[ValidationError]:
    if isinstance(value, float) and isinstance(wanted, int):
        yield ValidationError("no integer")
    yield from Draft202012Validator.VALIDATORS["const"](validator, wanted, value, schema) or ()


def enum(validator: Any, wanted: list[object], value: object, schema: object) -> Iterator[ValidationError]:
    if isinstance(value, float) and not any(isinstance(each, float) for each in wanted):
        yield ValidationError("no integer")
    yield from Draft202012Validator.VALIDATORS["enum"](validator, wanted, value, schema) or ()


# The one difference: a whole number written as `3.0` is no integer for us.
TYPES = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
Standard = validators.extend(Draft202012Validator, {"const": const, "enum": enum}, type_checker=TYPES)

DEFS: dict[str, Any] = {
    "number": {"type": "number"},
    "again": {"$ref": "#/$defs/number"},
    "tree": {
        "type": "object",
        "properties": {"foo": {"$ref": "#/$defs/tree"}},
        "additionalProperties": False,
    },
    "a-b": {"type": "object", "required": ["foo"]},
    "texts": {"type": "array", "items": {"type": "string"}},
}
