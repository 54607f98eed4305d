"""Which value may go where, what two types have in common, what can be compared and ordered."""

from __future__ import annotations

import itertools

import pytest

from wfc.compiler.types import (
    ANY,
    BOOLEAN,
    DATE,
    DATETIME,
    DECIMAL,
    DURATION,
    INTEGER,
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
    Type,
    assignable,
    common,
    comparable,
    ordered,
    show,
)

ORDER = Record("Order")
TWIN = Record("Twin")
LOW_HIGH = Enumeration(("low", "high"), "Level")
LOW = Enumeration(("low",))
NUMBERS = Enumeration((1, 2))
POINT = Record("Point", {"x": Field("x", INTEGER), "label": Field("label", Optional(STRING))})


def written(**fields: Type) -> Record:
    return Record("", {name: Field(name, type_) for name, type_ in fields.items()})


FITS = [
    (STRING, STRING),
    (INTEGER, NUMBER),
    (INTEGER, DECIMAL),
    (STRING, ANY),
    (Optional(STRING), ANY),
    (STRING, Optional(STRING)),
    (INTEGER, Optional(NUMBER)),
    (NULL, Optional(ORDER)),
    (Optional(INTEGER), Optional(NUMBER)),
    (LOW, LOW_HIGH),
    (LOW_HIGH, STRING),
    (NUMBERS, INTEGER),
    (NUMBERS, NUMBER),
    (BOOLEAN, Enumeration((True, False))),
    (Enumeration(("low", 1)), OneOf((STRING, INTEGER))),
    (STRING, OneOf((STRING, INTEGER))),
    (OneOf((STRING, INTEGER)), OneOf((INTEGER, STRING, ORDER))),
    (ORDER, OneOf((ORDER, TWIN))),
    (ListOf(INTEGER), ListOf(NUMBER)),
    (ListOf(UNKNOWN), ListOf(STRING)),
    (MapOf(LOW), MapOf(STRING)),
    (written(x=INTEGER), POINT),
    (written(x=INTEGER, label=STRING), POINT),
    (written(a=INTEGER, b=NUMBER), MapOf(NUMBER)),
    (UNKNOWN, STRING),
    (STRING, UNKNOWN),
]

DOES_NOT_FIT = [
    (STRING, INTEGER),
    (NUMBER, INTEGER),
    (NUMBER, DECIMAL),
    (DECIMAL, NUMBER),
    (BOOLEAN, INTEGER),
    (INTEGER, BOOLEAN),
    (ANY, STRING),
    (Optional(STRING), STRING),
    (NULL, STRING),
    (STRING, LOW_HIGH),
    (LOW_HIGH, LOW),
    (Enumeration((True,)), Enumeration((1,))),
    (OneOf((STRING, INTEGER)), STRING),
    (ORDER, TWIN),
    (ListOf(NUMBER), ListOf(INTEGER)),
    (ListOf(ANY), ListOf(STRING)),
    (ListOf(STRING), MapOf(STRING)),
    (DATE, DATETIME),
    (written(x=STRING), POINT),
    (written(label=STRING), POINT),
    (written(x=INTEGER, y=INTEGER), POINT),
    (POINT, MapOf(INTEGER)),
]


@pytest.mark.parametrize(("source", "target"), FITS, ids=str)
def test_fits(source: Type, target: Type) -> None:
    assert assignable(source, target)


@pytest.mark.parametrize(("source", "target"), DOES_NOT_FIT, ids=str)
def test_does_not_fit(source: Type, target: Type) -> None:
    assert not assignable(source, target)


SOME = [
    *(STRING, INTEGER, NUMBER, DECIMAL, BOOLEAN, DATE, NULL, ANY, LOW, LOW_HIGH, NUMBERS, ORDER, TWIN),
    *(Optional(STRING), Optional(ORDER), OneOf((STRING, ORDER))),
    *(ListOf(INTEGER), ListOf(NUMBER), MapOf(STRING)),
]


@pytest.mark.parametrize(("first", "second"), list(itertools.product(SOME, SOME)), ids=show)
def test_what_is_common_takes_both(first: Type, second: Type) -> None:
    both = common(first, second)
    assert assignable(first, both)
    assert assignable(second, both)


@pytest.mark.parametrize(
    ("types", "shown"),
    [
        ([INTEGER, NUMBER], "number"),
        ([LOW, Enumeration(("high",))], "{enum: [low, high]}"),
        ([LOW, STRING], "string"),
        ([STRING, NULL], "optional string"),
        ([NULL, NULL], "null"),
        ([ORDER, TWIN], "{one_of: [Order, Twin]}"),
        ([STRING, INTEGER, STRING], "{one_of: [string, integer]}"),
        ([ListOf(LOW), ListOf(STRING)], "list of string"),
        ([Optional(LOW), Enumeration(("x",))], "optional {enum: [x, low]}"),
        ([STRING, UNKNOWN], "unknown"),
        ([], "any"),
    ],
)
def test_common(types: list[Type], shown: str) -> None:
    assert show(common(*types)) == shown


@pytest.mark.parametrize(
    ("first", "second", "can"),
    [
        (STRING, STRING, True),
        (STRING, INTEGER, False),
        (INTEGER, NUMBER, True),
        (INTEGER, DECIMAL, True),
        (NUMBER, DECIMAL, False),
        (BOOLEAN, INTEGER, False),
        (Optional(STRING), LOW, True),
        (Optional(STRING), Optional(STRING), True),
        (LOW, Enumeration(("x",)), False),
        (LOW_HIGH, LOW, True),
        (ORDER, TWIN, False),
        (OneOf((ORDER, STRING)), STRING, True),
        (ListOf(STRING), ListOf(INTEGER), False),
        (NULL, STRING, False),
        (NULL, Optional(STRING), True),
        (ANY, STRING, True),
    ],
    ids=str,
)
def test_comparable(first: Type, second: Type, can: bool) -> None:
    assert comparable(first, second) is can
    assert comparable(second, first) is can


@pytest.mark.parametrize(
    ("first", "second", "can"),
    [
        (INTEGER, NUMBER, True),
        (DECIMAL, INTEGER, True),
        (DECIMAL, NUMBER, False),
        (STRING, LOW, True),
        (DATE, DATE, True),
        (DATE, DATETIME, False),
        (DURATION, DURATION, True),
        (BOOLEAN, BOOLEAN, False),
        (ORDER, ORDER, False),
    ],
    ids=str,
)
def test_ordered(first: Type, second: Type, can: bool) -> None:
    assert ordered(first, second) is can
