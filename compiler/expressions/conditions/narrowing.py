"""Type narrowing: what a condition implies about the types of what it mentions, where it holds and where it
does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from wfc.compiler.expressions.syntax.tree import (
    Compare,
    Constant,
    ListDisplay,
    Logic,
    Node,
    Not,
    Path,
    Test,
    known_path,
)
from wfc.compiler.types import (
    ANY,
    BOOLEAN,
    INTEGER,
    NULL,
    NUMBER,
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
    may_be_null,
    members,
    without_null,
)

__all__ = ["EMPTY", "KINDS", "TESTS", "Facts", "among", "facts_of", "is_among", "of_choices", "passes_test"]

Facts = Mapping[Path, Type]

KINDS: Final[Mapping[str, Type]] = {
    "string": STRING,
    "integer": INTEGER,
    "number": NUMBER,
    "boolean": BOOLEAN,
    "list": ListOf(ANY),
    "map": MapOf(ANY),
}
"""Tests for a value that may be of several types, besides the names of events and types; what each makes of `any`."""
EMPTY: Final = "empty"
"""The test for a text, a list or a map with nothing in it, which holds for null too."""
TESTS: Final = frozenset({"none", EMPTY, *KINDS})
"""Every test that is not the name of an event or a type."""


def facts_of(condition: Node, holds: bool) -> dict[Path, Type] | None:
    """The types of paths, given that a typed condition holds or does not hold; ``None`` if it cannot be so."""
    match condition:
        case Compare():  # as most are
            return of_comparison(condition, holds)
        case Not():
            return facts_of(condition.operand, not holds)
        case Logic():
            if (condition.operator == "and") == holds:
                return all_of(condition.parts, holds)
            return one_of(condition.parts, holds)
        case Test():
            return of_test(condition, holds != condition.negated)
    path = known_path(condition)
    if path is not None and base(condition.type) is BOOLEAN:
        return of_values(condition, (True,), holds)
    return {}


def all_of(parts: tuple[Node, ...], holds: bool) -> dict[Path, Type] | None:
    facts: dict[Path, Type] = {}
    for part in parts:
        found = facts_of(part, holds)
        if found is None:
            return None
        facts.update(found)
    return facts


def one_of(parts: tuple[Node, ...], holds: bool) -> dict[Path, Type] | None:
    """Return what all cases agree on in which one part decides and those before it went the other way."""
    cases: list[dict[Path, Type]] = []
    before: dict[Path, Type] = {}
    for part in parts:
        here = facts_of(part, holds)
        if here is not None:
            cases.append({**before, **here})
        otherwise = facts_of(part, not holds) if part is not parts[-1] else None
        if otherwise is None:
            break
        before.update(otherwise)
    if not cases:
        return None
    shared = set(cases[0]).intersection(*cases[1:])
    return {path: common(*(case[path] for case in cases)) for path in sorted(shared)}


def of_test(test: Test, holds: bool) -> dict[Path, Type] | None:
    path = known_path(test.of)
    if path is None or test.of.type is UNKNOWN:
        return {}
    kind = test.of.type
    if test.name == "none":
        return null_or_not(path, kind, holds)
    if test.name == EMPTY and test.record is None:
        return {} if holds or not may_be_null(kind) else null_or_not(path, kind, False)
    if without_null(kind) is ANY:
        return {path: KINDS[test.name]} if holds and test.record is None else {}
    if kind is NUMBER and test.name == "integer":  # which it may be, or not
        return {path: INTEGER} if holds else {}
    if kind is NULL and not holds:
        return {}
    alternatives = () if kind is NULL else members(kind)
    left = tuple(each for each in alternatives if passes_test(each, test) == holds)
    nullable = not holds and may_be_null(kind)
    if not left:
        return {path: NULL} if nullable else None
    narrowed = left[0] if len(left) == 1 else OneOf(left)
    return {path: Optional(narrowed) if nullable else narrowed}


def passes_test(type: Type, test: Test) -> bool:
    """Return whether values of a type, one of an alternative's members, pass a test of their kind."""
    if test.record is not None:
        return type is test.record
    return kind_of(type) == test.name or (test.name == "number" and kind_of(type) == "integer")


def kind_of(type: Type) -> str:
    scalar = base(type)
    if isinstance(scalar, Scalar):
        return scalar.name
    return {ListOf: "list", MapOf: "map"}.get(type.__class__, "")


def of_comparison(node: Compare, holds: bool) -> dict[Path, Type] | None:
    if node.operator in {"!=", "not in"}:
        holds = not holds
    if node.operator in {"==", "!="}:
        left, right = node.left, node.right
        if isinstance(left, Constant):
            left, right = right, left
        if isinstance(right, Constant):
            if right.value.__class__ is bool and isinstance(left, (Compare, Logic, Not, Test)):
                return facts_of(left, holds == right.value)  # as other languages have it: `(…) == true`
            return of_values(left, (right.value,), holds)
    elif node.operator in {"in", "not in"} and isinstance(node.right, ListDisplay):
        values = [item.value for item in node.right.items if isinstance(item, Constant)]
        if len(values) == len(node.right.items):
            return of_values(node.left, tuple(values), holds)
    return {}


def of_values(node: Node, values: tuple[object, ...], equal: bool) -> dict[Path, Type] | None:
    """A path that is one of some values, or none of them."""
    path = known_path(node)
    kind = node.type
    if path is None or kind is UNKNOWN:
        return {}
    nullable = may_be_null(kind)
    if values == (None,):
        return null_or_not(path, kind, equal)
    if kind is NULL:
        return {} if (None in values) == equal else None
    inner = without_null(kind)
    if isinstance(inner, OneOf) and equal and None not in values:
        fitting = tuple(each for each in inner.types if any(could_be(value, each) for value in values))
        return {path: fitting[0] if len(fitting) == 1 else OneOf(fitting)} if fitting else {}
    if inner is BOOLEAN:
        inner = Enumeration((True, False))
    null_stays = nullable and (None in values) == equal
    if not isinstance(inner, Enumeration):
        return {path: without_null(kind)} if nullable and not null_stays else {}
    known = among(values)
    left = tuple([each for each in inner.values if ((each.__class__, each) in known) == equal])
    if not left:
        return {path: NULL} if null_stays else None
    narrowed = Enumeration(left, inner.name if left == inner.values else "")
    return {path: Optional(narrowed) if null_stays else narrowed}


def of_choices(name: str, events: Record, facts: Facts) -> dict[Path, Type]:
    """Return what follows for events that exclude each other, from what is known of some of them.

    Args:
        name: By which expressions know them: ``events``.
        events: Each by its name, and the fields that one of them alone has.
        facts: What conditions have made known.
    """
    found: dict[Path, Type] = {}
    for group in events.choices:
        records = {
            each: kind.of
            for each in group
            if isinstance(kind := events.fields[each].type, Optional) and isinstance(kind.of, Record)
        }
        found.update(of_one_choice(name, events, records, facts))
    return found


def of_one_choice(name: str, events: Record, records: Mapping[str, Record], facts: Facts) -> dict[Path, Type]:
    """Return the same for a group of events of which exactly one is there."""
    owners = {
        key: event for event, record in records.items() for key in record.fields if key in events.fields
    }
    here, gone = set(), set()
    for (first, *rest), type in facts.items():
        if first != name or len(rest) != 1 or type == UNKNOWN:
            continue
        event = rest[0] if rest[0] in records else owners.get(rest[0], "")
        if event and not may_be_null(type):
            here.add(event)
        elif (
            event
            and type == NULL
            and (event == rest[0] or not may_be_null(records[event].fields[rest[0]].type))
        ):
            gone.add(event)
    if not here and len(gone) == len(records) - 1:
        here = records.keys() - gone
    if len(here) != 1:
        return {}
    found: dict[Path, Type] = {}
    for event, record in records.items():
        found[name, event] = record if event in here else NULL
    for key, event in owners.items():
        found[name, key] = records[event].fields[key].type if event in here else NULL
    return {path: type for path, type in found.items() if path not in facts}


def null_or_not(path: Path, kind: Type, null: bool) -> dict[Path, Type] | None:
    if kind is NULL:
        return {} if null else None
    if may_be_null(kind):
        return {path: NULL if null else without_null(kind)}
    if kind is ANY:
        return {path: NULL} if null else {}
    return None if null else {}


def could_be(value: object, type: Type) -> bool:
    """Return whether a constant may equal a value of a type."""
    kinds: dict[object, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}
    scalar, kind = kinds.get(value.__class__, ""), kind_of(type)
    return scalar == kind or {scalar, kind} <= {"integer", "number", "decimal"} or type is ANY


def among(values: Iterable[object]) -> frozenset[tuple[object, object]]:
    """Return values with their classes, to look one up among many: ``1`` is not ``true``."""
    return frozenset([(each.__class__, each) for each in values])


def is_among(value: object, values: tuple[object, ...]) -> bool:
    return any(value == each and value.__class__ is each.__class__ for each in values)
