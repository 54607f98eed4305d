"""Types as they are written by mistake: with a misspelt key, by another name, with a range after it."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from typing import Final

from wfc.compiler.problems.spelling import nearest

__all__ = ["CONSTRAINT_KEYS", "LONG_KEYS", "SYNONYMS", "is_long_form", "limited", "slip"]

CONSTRAINT_KEYS: Final = frozenset(
    {"format", "min", "max", "min_length", "max_length", "pattern", "min_items", "max_items"}
)
LONG_KEYS: Final = frozenset({"type", "enum", "one_of", "default", "description", "merge"}) | CONSTRAINT_KEYS
FORMS: Final = frozenset({"type", "enum", "one_of"})
WORDS: Final = frozenset(
    {"string", "integer", "number", "decimal", "boolean", "date", "datetime", "duration", "any"}
)
LIMITED: Final = re.compile(
    r"(?:(?P<type>[a-zA-Z]+)[(\[<{])?(?:(?P<least>-?\d+)?(?:\.\.+|-|,|:|;))?(?P<most>-?\d+)[)\]>}]?"
)
"""A type with a range, such as `integer(0..10)`."""
SYNONYMS: Final[Mapping[str, str]] = {
    "str": "string",
    "text": "string",
    "int": "integer",
    "float": "number",
    "double": "number",
    "money": "decimal",
    "currency": "decimal",
    "bool": "boolean",
    "yes": "boolean",
    "no": "boolean",
    "array": "list of …",
    "list": "list of …",
    "dict": "map of …",
    "map": "map of …",
    "object": "map of …",
    "timestamp": "datetime",
    "time": "datetime",
    "null": "optional …",
    "none": "optional …",
}
TYPE: Final = re.compile(r"\s*(?:(?:optional|list\s+of|map\s+of)\s+)*(\S+)\s*")


def is_long_form(data: Mapping[str, object]) -> bool:
    """Whether a mapping says more about one type, and is not a record written in place.

    It is if it has `type`, `enum` or `one_of`, and no key that the long form does not know. So a record may
    have a field `type` as long as another field tells it apart.
    """
    return not FORMS.isdisjoint(data) and (
        data.keys() <= LONG_KEYS or isinstance(data.get("enum"), list) or isinstance(data.get("one_of"), list)
    )


def slip(data: Mapping[str, object]) -> tuple[str, str] | None:
    """The one key of a long form that is misspelt, and what is meant by it.

    Only if something speaks against a record: a value that cannot be a field's type.
    """
    if is_long_form(data):
        return None
    strange = [key for key in data if key not in LONG_KEYS]
    if len(strange) != 1 or all(can_be_type(value) for value in data.values()):
        return None
    meant = nearest(strange[0], LONG_KEYS.difference(data))
    if meant is None or FORMS.isdisjoint({*data, meant}):
        return None
    return strange[0], meant


def can_be_type(value: object) -> bool:
    if isinstance(value, dict):
        return True
    match = TYPE.fullmatch(value) if isinstance(value, str) else None
    return match is not None and (match[1] in WORDS or not match[1][0].isascii() or match[1][0].isupper())


def limited(word: str, known: Container[str]) -> str:
    """The long form of a type with a range; empty if there is no range, or no such type.

    Args:
        known: The names of the scalars.
    """
    found = LIMITED.fullmatch(word)
    if found is None or (found["least"] is None and found["type"] is None):
        return ""
    name = (found["type"] or "integer").lower()
    name = SYNONYMS.get(name, name)
    if name not in known:
        return ""
    low, high = ("min_length", "max_length") if name == "string" else ("min", "max")
    least = f", {low}: {found['least']}" if found["least"] else ""
    return f"{{type: {name}{least}, {high}: {found['most']}}}"
