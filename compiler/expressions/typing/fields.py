"""The lookup of the field that a name after a dot refers to."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.expressions.syntax.tree import EVERY_ITEM, Attribute, Constant, Subscript, known_path
from wfc.compiler.expressions.typing.scope import Scope
from wfc.compiler.rules import closest
from wfc.compiler.rules import expression_names as name_problems
from wfc.compiler.rules import operands as operand_problems
from wfc.compiler.rules.foreign_names import FILTER_NAMES
from wfc.compiler.slotted import replace
from wfc.compiler.types import (
    ANY,
    INTEGER,
    NULL,
    STRING,
    UNKNOWN,
    Enumeration,
    ListOf,
    MapOf,
    OneOf,
    Optional,
    Record,
    Scalar,
    Type,
    base,
    common,
    field_holding,
    may_be_null,
    show,
    without_null,
)
from wfc.compiler.types.outside_names import own_name

__all__ = ["field_of", "item_field", "known_item", "of_one_value", "parts_of"]

DECLARED_IN: Final = {
    "event": "the event's field",
    "events": "the event's field",
    "inputs": "the start event's field",
    "state": "the field of the state",
    "config": "the field of the config",
    "args": "the tool's argument",
}
PATH_AS_TEXT: Final = re.compile(
    r"\{? *((?:call|event|events|inputs|result|state|config|error)(?:\.\w+)*) *\}?"
)
OF_FIELDS: Final = frozenset({"args", "event", "events", "inputs", "state"})
"""Whose fields may be declared as records."""

IN_AN_EVENT: Final = "hand it on in an event first: the type of the event's field says which fields it has"
"""How to come to the fields of records that are made in an expression."""


def field_of(type: Type, name: str, place: Place, words: str) -> Type | Finding:
    """Return the type of a field; report a field that cannot be used.

    Args:
        type: Of the value whose field is asked for; not null.
        place: Of the field's name.
        words: The value, as the author wrote it.
    """
    if isinstance(type, Record) and name in type.fields and type.name:
        return type.fields[name].type
    if isinstance(type, Record) and (own := own_name(type.fields, name)):
        return name_problems.unknown_field(place, name, f"`{words}`", list(type.fields), own)
    if name.startswith("_"):
        return name_problems.private_name(place, name)
    match type:
        case Record(name=""):
            remedy = "use its value directly" if words.startswith("{") else IN_AN_EVENT
            return name_problems.no_fields(place, words, "a record written in place", remedy)
        case Record():
            if type.name == "events" and (several := events_with(type, name)):
                return name_problems.field_of_several(place, name, several)
            event = type.name if type.role == "event" else ""
            unknown = name_problems.unknown_field(place, name, f"`{words}`", list(type.fields), event=event)
            inner = field_holding(type.fields, name)
            return name_problems.of_field_within(unknown, f"{words}.{inner}.{name}") if inner else unknown
        case OneOf():
            return field_of_each(type, name, place, words)
        case ListOf():
            hint = as_of_a_list(name, words) or of_items(type.item, name, words)
            return name_problems.no_fields(place, words, "a list", hint)
        case MapOf():
            return name_problems.no_fields(place, words, "a map", f"write `{words}['{name}']`")
    if type is ANY:
        return name_problems.no_fields(place, words, "of type any", to_declare(words))
    if base(type) == STRING and words == "result":
        hint = "`result` is the text itself: write `result`, or declare by `output` what fields it has"
        return name_problems.no_fields(place, words, show(type), hint)
    counted = name in {"length", "size", "len"} and base(type) == STRING
    return name_problems.no_fields(place, words, show(type), f"write `{words} | length`" if counted else "")


OF_TEXTS: Final = frozenset(
    {
        "answer",
        "body",
        "content",
        "data",
        "message",
        "output",
        "result",
        "response",
        "stdout",
        "text",
        "value",
        "values",
    }
)
"""What the one thing that a step gives is called where results are records."""
OF_LISTS: Final = frozenset("first last length max min reverse sort sum unique".split())
"""Filters of lists that are properties elsewhere."""


def of_one_value(finding: Finding, node: Attribute, filters: Container[str]) -> Finding:
    """Return the finding for a field of a value that is no record, with the hint to leave the field out, or to declare
    the value as a record, if nothing else is said, and no filter may be meant.
    """
    type, name = without_null(node.of.type), node.name
    is_one = isinstance(type, (Scalar, Enumeration)) and type != NULL
    if finding.code != "no-fields" or finding.hint or not is_one or name in filters or name in FILTER_NAMES:
        return finding
    if isinstance(node.of, Constant):  # as in `f'{event}'.name`
        words = PATH_AS_TEXT.fullmatch(str(node.of.value))
        return replace(finding, hint=f"write `{words[1]}.{name}`, without quotes") if words else finding
    path = known_path(node.of)
    if name in OF_TEXTS:
        return replace(finding, hint=f"it is the value itself: leave out `.{name}`")
    if path is None or len(path) < 2 or path[0] not in OF_FIELDS or base(type) not in {STRING, INTEGER}:
        return finding
    return replace(
        finding, hint=f"leave out `.{name}`, or declare `{path[-1]}` as a record that has `{name}`"
    )


def as_of_a_list(name: str, words: str) -> str:
    """Return what is written for a property of lists in other languages; empty if they have none of that name."""
    plain = name.replace("_", "").lower()
    if plain in {"empty", "isempty", "blank"}:
        return f"ask `{words} is empty`"
    meant = FILTER_NAMES.get(plain, name)
    return f"write `{words} | {meant}`" if meant in OF_LISTS else ""


def of_items(item: Type, name: str, words: str) -> str:
    """Return how a field of a list's items is asked for, or which there are."""
    fields = list(item.fields) if isinstance(item, Record) else []
    if fields and name not in fields and not closest(name, fields):
        return f"`{words}` is the list itself; its items have {listed_fields(fields)}"
    if isinstance(item, (Scalar, Enumeration)) and item is not ANY:
        whole = f"the whole list is `{words}`, without `.{name}`; " if name in OF_TEXTS else ""
        return f"{whole}its items are reached by `[0]`, `| first` or `[one for one in …]`"
    return f'take one item (`| first`), or all (`| pluck("{name}")`)'


def listed_fields(fields: list[str]) -> str:
    return ", ".join(f"`{each}`" for each in fields[:8])


def to_declare(words: str) -> str:
    """Return where it is said what a value of type any holds, by the words with which it is mentioned."""
    first, _, rest = words.partition(".")
    if first == "result" or not first.isidentifier():
        return "declare what it holds, with `output` or a type"
    if words == "error.body":
        return "say what it holds in this entry of `on_error`, as in `body: {reason: string}`"
    if first in DECLARED_IN and rest:
        return f"declare what it holds, where {DECLARED_IN[first]} is declared"
    return "declare what it holds, where it comes from"


def events_with(joined: Record, name: str) -> list[str]:
    """Return the joined events that have a field; that of one alone is a field of all together."""
    records = {each.name: without_null(each.type) for each in joined.fields.values()}
    return [
        event
        for event, record in records.items()
        if isinstance(record, Record) and record.name == event and name in record.fields
    ]


def field_of_each(type: OneOf, name: str, place: Place, words: str) -> Type | Finding:
    """Return the type of a field that every alternative has."""
    found = [
        each.fields[name].type if isinstance(each, Record) and name in each.fields else None
        for each in type.types
    ]
    have = [show(each) for each, field in zip(type.types, found, strict=True) if field is not None]
    if not have:
        every = dict.fromkeys(
            field for each in type.types if isinstance(each, Record) for field in each.fields
        )
        return name_problems.unknown_field(place, name, f"`{words}`", list(every))
    if len(have) < len(type.types):
        lack = [show(each) for each, field in zip(type.types, found, strict=True) if field is None]
        return name_problems.only_some_have(place, name, words, have, lack)
    return common(*(each for each in found if each is not None))


def item_field(item: Type, path: str, place: Place, words: str) -> Type | Finding:
    """The type of a field of each item of a list: of ``"title"``, or of ``"order.total"``.

    Args:
        place: Of the path's text, without its quotes.
    """
    names = path.split(".")
    position = place.start or 0
    for index, name in enumerate(names):
        at = place.stretch(position, position + len(name))
        if item is UNKNOWN:
            return UNKNOWN
        if may_be_null(item):
            return operand_problems.may_be_null(
                at, ".".join(names[:index]) or words, False, f"for its field `{name}`"
            )
        found = field_of(without_null(item), name, at, ".".join(names[:index]) or words)
        if isinstance(found, Finding):
            return found
        item = found
        position += len(name) + 1
    return item


def parts_of(type: Type) -> tuple[Type | None, Type]:
    """Return what a subscript of a value must be, and what it gives."""
    match type:
        case ListOf():
            return INTEGER, type.item
        case MapOf():
            return STRING, type.value if isinstance(type.value, Optional) else Optional(type.value)
    return (INTEGER, STRING) if base(type) is STRING else (None, UNKNOWN)


def known_item(node: Subscript, scope: Scope) -> Type | None:
    """Return what conditions have made of an item of a map, which may be missing; None: nothing."""
    path = known_path(node)
    if path is None:
        return None
    fact = scope.fact(path) or scope.fact((*path[:-1], EVERY_ITEM))
    if fact is None or fact in (UNKNOWN, NULL):
        return fact
    return node.declared if may_be_null(fact) else without_null(node.declared)
