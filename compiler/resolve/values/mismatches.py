"""Explanations of why a value does not fit the type that is wanted, down to the part that does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.expressions.syntax.tree import (
    Attribute,
    Binary,
    Choice,
    Constant,
    Fields,
    FilterCall,
    ListDisplay,
    Name,
    Node,
    RecordDisplay,
    Slice,
    Subscript,
    known_path,
)
from wfc.compiler.rules import closest
from wfc.compiler.rules import values as problems
from wfc.compiler.rules.spelling import nearest
from wfc.compiler.types import (
    ANY,
    DATETIME,
    DURATION,
    INTEGER,
    NUMBER,
    Enumeration,
    ListOf,
    MapOf,
    Optional,
    Record,
    Type,
    assignable,
    fits,
    may_be_null,
    members,
    show,
    show_given,
    without_null,
)
from wfc.compiler.types.outside_names import own_name

__all__ = ["alike", "mismatch", "mismatches"]

SAME_ITEMS: Final = frozenset({"reverse", "sort", "unique", "where"})
ONE_ITEM: Final = frozenset({"first", "last", "max", "min"})


def mismatch(given: Type, wanted: Type, node: Node | None = None) -> tuple[str, str]:
    """Return the message and the hint for a value of one type where another is wanted.

    Args:
        node: What gives the value, where it is one expression.
    """
    found = show(given) if of_choices(wanted) else show_given(given)
    why = f"wanted {show(wanted)}, found {found}"
    if isinstance(given, Optional) and assignable(given.of, wanted):
        return why, "it may be null: give it a `default`, or " + (
            "exclude null by a condition"
            if node is None or known_path(node) is not None
            else f"hand it on as `{show(given)}` and exclude null by a condition there"
        )
    if given == DURATION and wanted == DATETIME:
        return why, 'a moment is a sum, such as `run.now + "3 days"`'
    if (given, wanted) == (NUMBER, INTEGER):
        return (
            why,
            problems.MADE_WHOLE,
        )
    return why, declare_it(node) if without_null(given) is ANY else differing_field(given, wanted) or alike(
        given, wanted
    )


def alike(given: Type, wanted: Type) -> str:
    """Return what to do about two records that differ in nothing but in being two; empty for all else."""
    if show(given) != show(wanted) or not isinstance(given, Record) or not isinstance(wanted, Record):
        return ""
    return "each record that is written in place is a type of its own: declare one under `types`, for both"


def differing_field(given: Type, wanted: Type) -> str:
    """Return which field of two records is why one does not fit the other, however deep; empty if there is none."""
    given, wanted = without_null(given), without_null(wanted)
    if isinstance(given, ListOf) and isinstance(wanted, ListOf):
        return differing_field(given.item, wanted.item)
    if isinstance(given, MapOf) and isinstance(wanted, MapOf):
        return differing_field(given.value, wanted.value)
    if not isinstance(given, Record) or not isinstance(wanted, Record):
        return ""
    for name, field in wanted.fields.items():
        own = given.fields.get(name)
        if own is None and field.required:
            return f"it has no field `{name}`"
        if own is not None and not assignable(own.type, field.type):
            return differing_field(own.type, field.type) or (
                f"the field `{name}` is of type {show_given(own.type)}, and {show(field.type)} is wanted"
            )
    return ""


def of_choices(wanted: Type) -> bool:
    """Return whether a type lists values, or items of such a type: then it matters which value is given."""
    return any(
        isinstance(each, Enumeration)
        or (isinstance(each, ListOf) and of_choices(each.item))
        or (isinstance(each, MapOf) and of_choices(each.value))
        for each in members(without_null(wanted))
    )


def declare_it(node: Node | None) -> str:
    """Return the hint for a value of type any; where it can be said what it holds depends on where it comes from."""
    while isinstance(node, (Attribute, Subscript, Slice, FilterCall)):
        node = node.of
    root = node.path[0] if isinstance(node, Fields) else node.name if isinstance(node, Name) else ""
    if root == "error":
        return "say under `body` in this entry what the reply is made of, if it is that of a request"
    if root == "result":
        return "declare the `output` of what it comes from"
    return "declare what it holds: its type is `any`"


def mismatches(node: Node, wanted: Type, place: Place) -> list[Finding]:
    """Return the findings for the parts of an expression that do not fit, or for the whole of it.

    Args:
        node: Of a type that cannot be assigned to what is wanted.
        place: Of the text that the expression stands in.
    """
    inner = list(mismatches_inside(node, wanted, place))
    return inner or [problems.wrong_value(place, *mismatch(node.type, wanted, node))]


def mismatches_inside(node: Node, wanted: Type, place: Place) -> Iterator[Finding]:
    choices = members(without_null(wanted))
    if len(choices) != 1:
        return
    target = choices[0]
    match node, target:
        case ListDisplay(), ListOf():
            for item in node.items:
                yield from mismatches_of_part(item, target.item, place)
        case RecordDisplay(), Record():
            yield from mismatches_of_fields(node, target, place)
        case RecordDisplay(), MapOf():
            for _, value in node.entries:
                yield from mismatches_of_part(value, target.value, place)
        case Binary(), ListOf() if node.operator == "+":
            yield from mismatches_of_part(node.left, wanted, place)
            yield from mismatches_of_part(node.right, wanted, place)
        case FilterCall(), _ if node.name == "default":
            yield from mismatches_inside(node.of, wanted, place)
            for argument in node.bound.values():
                yield from mismatches_of_part(argument, wanted, place)
        case FilterCall(), ListOf() if node.name in SAME_ITEMS:
            yield from mismatches_inside(node.of, wanted, place)
        case FilterCall(), _ if node.name in ONE_ITEM and not misfit_alike(node.of, wanted):
            yield from mismatches_inside(node.of, ListOf(wanted), place)
        case Choice(), _ if not may_be_null(node.type) or may_be_null(wanted):
            yield from mismatches_of_part(node.then, wanted, place)
            yield from mismatches_of_part(node.otherwise, wanted, place)


def misfit_alike(items: Node, wanted: Type) -> bool:
    """Return whether none of several items of a list fits, so that it is no single one of them that is wrong."""
    if not isinstance(items, ListDisplay) or len(items.items) <= 1:
        return False
    return not any(assignable(each.type, wanted) for each in items.items)


def mismatches_of_part(node: Node, wanted: Type, place: Place) -> Iterator[Finding]:
    """Yield the findings for a part of an expression; none if it fits."""
    if assignable(node.type, wanted):
        return
    found = list(mismatches_inside(node, wanted, place))
    if found:
        yield from found
        return
    at = place.stretch(node.start, node.end)
    if isinstance(node, Constant) and (wrong := fits(node.value, wanted)) is not None:
        hint = closest(str(node.value), wrong.known) if wrong.known else wrong.hint
        yield problems.wrong_value(at, wrong.reason, hint, str(node.value), wrong.known)
    else:
        yield problems.wrong_value(at, *mismatch(node.type, wanted, node))


def mismatches_of_fields(node: RecordDisplay, record: Record, place: Place) -> Iterator[Finding]:
    given = {str(key.value) for key, _ in node.entries}
    absent = record.fields.keys() - given
    strange = 0
    owner = f"`{record.name}`" if record.name else show(record)
    for key, value in node.entries:
        name = str(key.value)
        wanted = record.fields.get(name)
        if wanted is not None:
            yield from mismatches_of_part(value, wanted.type, place)
            continue
        strange += 1
        near, own = nearest(name, absent), own_name(record.fields, name)
        at = place.stretch(key.start, key.end)
        yield problems.unknown_entry(at, name, owner, sorted(absent) if near else record.fields, own)
    missing = [name for name in sorted(absent) if record.fields[name].required]
    if len(missing) > strange:
        yield problems.missing_entry(place.stretch(node.start, node.end), missing, owner)
