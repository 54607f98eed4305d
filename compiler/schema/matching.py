"""Whether a value matches the simpler part of JSON Schema, which conditions are written in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

__all__ = ["NOT_RUN", "NOT_YET", "has_type", "matches"]

NOT_YET: Final = "not supported yet"
"""The ``$comment`` of what the language has and this compiler has not."""

NOT_RUN: Final = "checked, but nothing runs it yet"
"""The ``$comment`` of what is understood in full, and then said to be not supported yet."""

IS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
}


def has_type(value: Any, types: str | Sequence[str]) -> bool:
    """Whether a value has a type, or one of several. A whole number written as `3.0` is no integer."""
    return any(IS[each](value) for each in ((types,) if isinstance(types, str) else types))


def matches(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a value matches a condition: a schema without references and without keywords for lists."""
    if "type" in schema and not has_type(value, schema["type"]):
        return False
    if "const" in schema and not (value == schema["const"] and value.__class__ is schema["const"].__class__):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if isinstance(value, dict) and not map_matches(value, schema):
        return False
    if "anyOf" in schema and not any(matches(value, each) for each in schema["anyOf"]):
        return False
    return all(matches(value, each) for each in schema.get("allOf", ()))


def map_matches(value: dict[str, Any], schema: Mapping[str, Any]) -> bool:
    names = schema.get("propertyNames")
    return (
        all(key in value for key in schema.get("required", ()))
        and all(
            key not in value or matches(value[key], each)
            for key, each in schema.get("properties", {}).items()
        )
        and (names is None or all(matches(key, names) for key in value))
    )
