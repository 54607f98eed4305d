"""Plain data against types: defaults, tests and mocks."""

from __future__ import annotations

import pytest

from wfc.compiler.diagnostics import Place
from wfc.compiler.types import (
    ANY,
    BOOLEAN,
    DATE,
    DATETIME,
    DECIMAL,
    DURATION,
    INTEGER,
    NUMBER,
    STRING,
    Constraints,
    Enumeration,
    Field,
    ListOf,
    MapOf,
    OneOf,
    Optional,
    Record,
    Type,
    fits,
)

ORDER = Record(
    "Order",
    {
        "id": Field("id", STRING),
        "note": Field("note", Optional(STRING)),
        "count": Field("count", INTEGER, has_default=True, default=1, constraints=Constraints(min=1)),
    },
)


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        ("a", STRING),
        (3, INTEGER),
        (3, NUMBER),
        (2.5, NUMBER),
        ("2.50", DECIMAL),
        ("-1e3", DECIMAL),
        (3, DECIMAL),
        (True, BOOLEAN),
        ("2026-01-31", DATE),
        ("2026-01-31T10:00:00Z", DATETIME),
        ("2026-01-31T10:00:00+02:00", DATETIME),
        ("90 min", DURATION),
        ("PT1H30M", DURATION),
        (None, Optional(STRING)),
        (None, ANY),
        ({"x": [1]}, ANY),
        ("low", Enumeration(("low", "high"))),
        ([1, 2], ListOf(INTEGER)),
        ({"a": 1.5}, MapOf(NUMBER)),
        ("a", OneOf((INTEGER, STRING))),
        ({"id": "a"}, ORDER),
        ({"id": "a", "note": None, "count": 2}, ORDER),
    ],
    ids=str,
)
def test_fits(value: object, type_: Type) -> None:
    assert fits(value, type_) is None


@pytest.mark.parametrize(
    ("value", "type_", "path", "part"),
    [
        (3, STRING, (), "wanted a string, found `3`"),
        (True, INTEGER, (), "wanted an integer, found `true`"),
        (1, BOOLEAN, (), "wanted a boolean"),
        (2.0, INTEGER, (), "wanted an integer"),
        (2**60, INTEGER, (), "lose digits"),
        (float("inf"), NUMBER, (), "wanted a number"),
        (float("nan"), NUMBER, (), "wanted a number"),
        (2.5, DECIMAL, (), "wanted a decimal"),
        ("a", DECIMAL, (), "wanted a decimal"),
        ("2026-02-30", DATE, (), "wanted a date"),
        ("20260131", DATE, (), "wanted a date"),
        ("2026-01-31T10:00:00", DATETIME, (), "wanted a datetime"),
        ("2m", DURATION, (), "wanted a duration"),
        ("P1Y", DURATION, (), "wanted a duration"),
        (None, STRING, (), "found null"),
        ("x", Enumeration(("low", "high")), (), "`low` or `high`"),
        (True, Enumeration((1,)), (), "wanted `1`"),
        ([1, "a"], ListOf(INTEGER), (1,), "wanted an integer"),
        ("a", ListOf(STRING), (), "wanted a list of string"),
        ({"a": "b"}, MapOf(NUMBER), ("a",), "wanted a number"),
        ({1: 2}, MapOf(NUMBER), (1,), "not a text"),
        ({}, ORDER, (), "`id` is missing"),
        ({"id": 3}, ORDER, ("id",), "wanted a string"),
        ({"id": "a", "nte": "b"}, ORDER, ("nte",), "no field `nte`"),
        ({"id": "a", "count": 0}, ORDER, ("count",), "at least 1"),
        ([{"id": "a", "note": 3}], ListOf(ORDER), (0, "note"), "wanted a string"),
        ({"id": 3}, OneOf((STRING, ORDER)), (), "wanted {one_of"),
    ],
    ids=str,
)
def test_does_not_fit(value: object, type_: Type, path: tuple[str | int, ...], part: str) -> None:
    misfit = fits(value, type_)
    assert misfit is not None
    assert misfit.path == path
    assert part in misfit.reason


@pytest.mark.parametrize(
    ("value", "type_", "constraints", "fine"),
    [
        (3, INTEGER, Constraints(min=3, max=3), True),
        (4, INTEGER, Constraints(max=3), False),
        ("abc", STRING, Constraints(min_length=3, max_length=3), True),
        ("ab", STRING, Constraints(min_length=3), False),
        ([1], ListOf(INTEGER), Constraints(min_length=2), False),
        ("2.50", DECIMAL, Constraints(max="10"), True),
        ("11", DECIMAL, Constraints(max="10"), False),
        ("2026-02-01", DATE, Constraints(max="2026-01-31"), False),
        ("2026-01-31T00:00:00+02:00", DATETIME, Constraints(max="2026-01-30T22:00:00Z"), True),
        (None, Optional(INTEGER), Constraints(min=3), True),
    ],
    ids=str,
)
def test_bounds(value: object, type_: Type, constraints: Constraints, fine: bool) -> None:
    assert (fits(value, type_, constraints) is None) is fine


def test_a_misfit_knows_its_place_and_what_may_have_been_meant() -> None:
    misfit = fits([{"id": "a", "nte": "b"}], ListOf(ORDER))
    assert misfit is not None
    place = misfit.at(Place(("tests", 0, "start")))
    assert place.address == ("tests", 0, "start", 0, "nte")
    assert place.part == "key"
    assert misfit.name == "nte"
    assert "note" in misfit.known


@pytest.mark.parametrize(
    ("value", "type_", "hint"),
    [
        (10.5, DECIMAL, "put it in quotes"),
        (7, STRING, "put it in quotes if it is meant as a text"),
        (True, STRING, "put it in quotes if it is meant as a text"),
        (True, DECIMAL, ""),
        ("7", INTEGER, "write it without quotes"),
        ("yes", BOOLEAN, "write `true`"),
        ("Off", BOOLEAN, "write `false`"),
        ("inputs.receipt", BOOLEAN, "an expression is written `${{ inputs.receipt }}`"),
        ("perhaps", BOOLEAN, ""),
    ],
    ids=str,
)
def test_a_misfit_says_how_to_write_what_is_meant(value: object, type_: Type, hint: str) -> None:
    misfit = fits(value, type_)
    assert misfit is not None
    assert misfit.hint == hint
