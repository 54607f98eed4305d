"""Relations of types: assignability, and what two types have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wfc.compiler.slotted import replace
from wfc.compiler.types.shapes import (
    ANY,
    BOOLEAN,
    DATE,
    DATETIME,
    DECIMAL,
    DURATION,
    INTEGER,
    NOTHING,
    NULL,
    NUMBER,
    STRING,
    UNKNOWN,
    Enumeration,
    Field,
    ListOf,
    MapOf,
    OneOf,
    Optional,
    Record,
    Scalar,
    Type,
)

__all__ = [
    "alike",
    "assignable",
    "base",
    "common",
    "comparable",
    "confusable",
    "field_holding",
    "may_be_null",
    "members",
    "ordered",
    "widened",
    "without_null",
]

WIDENS = {(INTEGER, NUMBER), (INTEGER, DECIMAL)}
ORDERED = (frozenset({INTEGER, NUMBER}), frozenset({INTEGER, DECIMAL}), *map(frozenset, (
    {STRING}, {DATE}, {DATETIME}, {DURATION},
)))  # fmt: skip
VALUE_TYPES: dict[type, Scalar] = {str: STRING, int: INTEGER, bool: BOOLEAN}


def assignable(source: Type, target: Type) -> bool:
    """Return whether every value of ``source`` is, or widens to, a value of ``target``.

    ``integer`` widens to ``number`` and ``decimal``; anything goes into ``any``, nothing out of it. A record
    is its own type only; one written in place (without a name) fits where its fields do.
    """
    if source is target or source is UNKNOWN or target is UNKNOWN or target is ANY:
        return True
    if source == target:
        return True
    if isinstance(target, Optional):
        return source is NULL or assignable(without_null(source), target.of)
    if isinstance(source, Optional):
        return False
    if isinstance(source, OneOf):
        return all(assignable(member, target) for member in source.types)
    if isinstance(target, OneOf):
        return any(assignable(source, member) for member in target.types) or by_value(source, target)
    return by_structure(source, target)


def by_value(source: Type, target: Type) -> bool:
    """An enumeration, each of whose values fits."""
    return isinstance(source, Enumeration) and all(fits_value(value, target) for value in source.values)


def fits_value(value: str | int | bool, target: Type) -> bool:
    if isinstance(target, Enumeration):
        return any(value == each and type(value) is type(each) for each in target.values)
    if isinstance(target, OneOf):
        return any(fits_value(value, member) for member in target.types)
    return assignable(VALUE_TYPES[type(value)], target)


def by_structure(source: Type, target: Type) -> bool:
    match source, target:
        case Enumeration(), _:
            return by_value(source, target)
        case Scalar(), Scalar():
            return (source, target) in WIDENS
        case Scalar(), Enumeration():
            return source is BOOLEAN and fits_value(True, target) and fits_value(False, target)
        case ListOf(), ListOf():
            return assignable(source.item, target.item)
        case MapOf(), MapOf():
            return assignable(source.value, target.value)
        case Record(role="built in"), Record(role="built in"):
            return source.name == target.name  # a condition sees more of a passage than others do
        case Record(name=""), MapOf():
            return all(assignable(field.type, target.value) for field in source.fields.values())
        case Record(name=""), Record():
            return source is target or fields_fit(source, target)
        case _:
            return source is target


def fields_fit(source: Record, target: Record) -> bool:
    return (
        target.role not in ("namespace", "choices")
        and all(name in target.fields for name in source.fields)
        and all(
            assignable(source.fields[name].type, field.type) if name in source.fields else not field.required
            for name, field in target.fields.items()
        )
    )


def may_be_null(type: Type) -> bool:
    """Return whether null is among the values; ``any`` and ``unknown`` say no, for nothing can be asked of them."""
    return isinstance(type, Optional) or type is NULL


def without_null(type: Type) -> Type:
    """The type of the same value where it is not null; ``unknown`` for ``null`` itself."""
    if isinstance(type, Optional):
        return type.of
    return UNKNOWN if type is NULL else type


def members(type: Type) -> tuple[Type, ...]:
    """Return the types that a value may have; null is not among them."""
    type = without_null(type)
    return type.types if isinstance(type, OneOf) else (type,)


def field_holding(fields: Mapping[str, Field], name: str) -> str:
    """Return which of some fields is a record that has a field of a name, if it is one; else an empty text."""
    found = [
        each
        for each, field in fields.items()
        if any(isinstance(part, Record) and name in part.fields for part in members(field.type))
    ]
    return found[0] if len(found) == 1 else ""


def base(type: Type) -> Type:
    """The scalar that an enumeration's values belong to, if it is one; other types as they are."""
    if isinstance(type, Enumeration):
        if len(type.values) == 1:  # as the type of a constant
            return VALUE_TYPES[type.values[0].__class__]
        kinds = {VALUE_TYPES[value.__class__] for value in type.values}
        return kinds.pop() if len(kinds) == 1 else type
    return type


def widened(type: Type) -> Type:
    """A type without the values of constants in it, which say nothing where an expression is of a wrong type."""
    match type:
        case Enumeration():
            return base(type) if len(type.values) == 1 and not type.name else type
        case ListOf():
            return ListOf(widened(type.item))
        case MapOf():
            return MapOf(widened(type.value))
        case Optional():
            return Optional(widened(type.of))
        case OneOf():
            return OneOf(tuple(map(widened, type.types)))
        case Record(name="", address=()) if type.fields:
            fields = {name: replace(each, type=widened(each.type)) for name, each in type.fields.items()}
            return replace(type, fields=fields)
        case _:
            return type


def common(*types: Type) -> Type:
    """The smallest type that every value of these has: ``any`` of no types at all."""
    if len(types) == 1 or (len(types) == 2 and types[0] is types[1]):
        return types[0]
    enumerations = [each for each in dict.fromkeys(types) if isinstance(each, Enumeration)]
    result: Type | None = merged(enumerations) if enumerations else None
    for each in dict.fromkeys(types):
        if not isinstance(each, Enumeration):
            result = each if result is None else joined(result, each)
    return ANY if result is None else result


def merged(enumerations: Sequence[Enumeration]) -> Enumeration:
    """One enumeration with the values of all; its name if one has them all."""
    values = distinct([value for each in enumerations for value in each.values])
    whole = next((each for each in enumerations if len(each.values) == len(values)), None)
    return whole or Enumeration(tuple(values))


def joined(first: Type, second: Type) -> Type:
    if first is UNKNOWN or second is UNKNOWN:
        return UNKNOWN
    if may_be_null(first) or may_be_null(second):
        parts = [without_null(each) for each in (first, second) if each is not NULL]
        return Optional(common(*parts)) if parts else NULL
    if assignable(first, second):
        return second
    if assignable(second, first):
        return first
    if isinstance(first, Enumeration) and isinstance(second, Enumeration):
        return merged((first, second))
    if isinstance(first, ListOf) and isinstance(second, ListOf):
        return ListOf(joined(first.item, second.item))
    if isinstance(first, MapOf) and isinstance(second, MapOf):
        return MapOf(joined(first.value, second.value))
    return OneOf((*members(first), *(each for each in members(second) if each not in members(first))))


def distinct(values: Iterable[str | int | bool]) -> list[str | int | bool]:
    """Return each value once; ``1`` and ``true`` are two values."""
    return list({(type(value), value): value for value in values}.values())


def comparable(first: Type, second: Type) -> bool:
    """Return whether ``==`` between them can hold: some value may belong to both."""
    if UNKNOWN in (first, second) or ANY in (first, second):
        return True
    if NULL in (first, second):
        return may_be_null(first) and may_be_null(second)
    return any(may_equal(one, other) for one in members(first) for other in members(second))


def may_equal(first: Type, second: Type) -> bool:
    match first, second:
        case Enumeration(), Enumeration():
            return any(fits_value(value, second) for value in first.values)
        case ListOf(), ListOf():
            return NOTHING in (first.item, second.item) or comparable(first.item, second.item)
        case MapOf(), MapOf():
            return comparable(first.value, second.value)
    return assignable(first, second) or assignable(second, first) or ordered(first, second)


def confusable(first: Type, second: Type) -> bool:
    """Return whether of two values that are compared one may be a boolean and the other a number."""
    return (holds_kind(first, (BOOLEAN,)) and holds_kind(second, (INTEGER, NUMBER, DECIMAL))) or (
        holds_kind(second, (BOOLEAN,)) and holds_kind(first, (INTEGER, NUMBER, DECIMAL))
    )


def holds_kind(type: Type, kinds: Sequence[Scalar]) -> bool:
    """Return whether a value of a type may be of one of these kinds, or a list or map hold one that is."""
    for each in members(type):
        match each:
            case ListOf():
                found = holds_kind(each.item, kinds)
            case MapOf():
                found = holds_kind(each.value, kinds)
            case Enumeration():
                found = any(VALUE_TYPES[value.__class__] in kinds for value in each.values)
            case _:
                found = each in kinds or each == ANY
        if found:
            return True
    return False


def ordered(first: Type, second: Type) -> bool:
    """Return whether ``<`` is defined between them: numbers, decimals with integers, texts, moments, durations."""
    if first is UNKNOWN or second is UNKNOWN:
        return True
    pair = {base(first), base(second)}
    return any(pair <= family for family in ORDERED)


def alike(one: Type, other: Type, seen: frozenset[tuple[int, int]] = frozenset()) -> bool:
    """Return whether two types of two specs are the same in all that they say."""
    if isinstance(one, Record) and isinstance(other, Record):
        pair = (id(one), id(other))
        if one is other or pair in seen:
            return True
        if one.role != other.role or list(one.fields) != list(other.fields):
            return False
        return all(
            mine.foreign == theirs.foreign
            and mine.has_default == theirs.has_default
            and mine.default == theirs.default
            and mine.constraints == theirs.constraints
            and alike(mine.type, theirs.type, seen | {pair})
            for mine, theirs in zip(one.fields.values(), other.fields.values(), strict=True)
        )
    match one, other:
        case (ListOf(item=mine), ListOf(item=theirs)) | (MapOf(value=mine), MapOf(value=theirs)):
            return alike(mine, theirs, seen)
        case Optional(), Optional():
            return alike(one.of, other.of, seen)
        case OneOf(), OneOf():
            pairs = zip(one.types, other.types, strict=False)
            return len(one.types) == len(other.types) and all(alike(*each, seen) for each in pairs)
    return one == other
