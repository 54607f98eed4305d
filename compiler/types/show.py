"""Types and plain values as an author writes them, for messages."""

from __future__ import annotations

import json

from wfc.compiler.types.relations import widened
from wfc.compiler.types.shapes import (
    Enumeration,
    ListOf,
    MapOf,
    OneOf,
    Optional,
    Record,
    Scalar,
    Type,
)

__all__ = ["show", "show_given", "show_value"]

MAX_SHOWN = 6  # values of an enumeration, fields of a record: more would drown the message


def show(type: Type) -> str:
    """A type in the words of a spec; one that has no words there, in plain ones."""
    match type:
        case Scalar():
            return type.name
        case ListOf():
            return f"list of {show(type.item)}"
        case MapOf():
            return f"map of {show(type.value)}"
        case Optional():
            return f"optional {show(type.of)}"
        case Enumeration():
            return type.name or f"{{enum: [{shortened([show_value(value) for value in type.values])}]}}"
        case OneOf(types=()):
            return "nothing"
        case OneOf():
            return f"{{one_of: [{shortened([show(member) for member in type.types])}]}}"
        case Record(role="output", called="") if type.address:
            return made(type)
        case Record():
            return (
                type.called
                or type.name
                or f"{{{shortened([f'{name}: {show(f.type)}' for name, f in type.fields.items()])}}}"
            )


def show_given(type: Type) -> str:
    """The type of an expression that does not fit, without the values of constants: they are not what is wrong."""
    return show(widened(type))


def made(record: Record) -> str:
    """A record that is written in place, by where it is written: its name is the compiler's, and no author's."""
    step = next((each for each in record.address[1:2] if isinstance(each, str)), "")
    if step and record.address[-1] in {"form", "output"}:
        return f"the {record.address[-1]} of `{step}`"
    return f"{{{shortened([f'{name}: {show(each.type)}' for name, each in record.fields.items()])}}}"


def shortened(words: list[str]) -> str:
    """The words with commas; an ellipsis for those that are too many."""
    return ", ".join([*words[:MAX_SHOWN], *(["…"] if len(words) > MAX_SHOWN else [])])


def show_value(value: object) -> str:
    """A plain value as an author would write it, cut short; a text without quotes where that is clear."""
    if isinstance(value, str) and value.isidentifier() and value not in {"true", "false", "null"}:
        text = value
    else:
        text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 40 else f"{text[:39]}…"
