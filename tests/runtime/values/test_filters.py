"""What expressions compute beyond Python's own operators."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfc.runtime import Record
from wfc.runtime.errors import ExpressionError
from wfc.runtime.values import filters


class Order(Record):
    id: str
    total: Decimal


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a", "a"),
        (True, "true"),
        (False, "false"),
        (3, "3"),
        (2.0, "2"),
        (-0.5, "-0.5"),
        (1e20, "1e+20"),
        (1e15, "1000000000000000"),
        (Decimal("1.50"), "1.50"),
        (Decimal("1E+3"), "1000"),
        (Decimal("1E-7"), "0.0000001"),
        (date(2026, 1, 31), "2026-01-31"),
        (datetime(2026, 1, 31, 10, tzinfo=UTC), "2026-01-31T10:00:00Z"),
        (datetime(2026, 1, 31, 10, tzinfo=timezone(timedelta(hours=2))), "2026-01-31T08:00:00Z"),
        (timedelta(), "0s"),
        (timedelta(days=1), "1 day"),
        (timedelta(days=2, hours=3, minutes=4, seconds=5.5), "2 days 3h 4 min 5.5s"),
        (timedelta(minutes=-90), "-1h 30 min"),
    ],
)
def test_text(value: Any, shown: str) -> None:
    assert filters.text(value) == shown


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        ("a b", "a%20b"),
        ("../x", "..%2Fx"),
        ("..", "%2E%2E"),
        (".", "%2E"),
        ("ä?&#%", "%C3%A4%3F%26%23%25"),
        (2.0, "2"),
        (True, "true"),
    ],
)
def test_url_part(value: Any, encoded: str) -> None:
    assert filters.url_part(value) == encoded


@given(st.text())
def test_a_url_part_never_leaves_its_place(value: str) -> None:
    encoded = filters.url_part(value)
    assert not set(encoded) & set("/?#&=:@ \r\n\\")
    assert encoded not in {".", ".."}


@pytest.mark.parametrize(
    ("value", "digits", "result"),
    [
        (2.5, None, 3),
        (-2.5, None, -3),
        (0.4, None, 0),
        (2.345, 2, 2.35),
        (1234.5, -2, 1200.0),
        (1e300, None, 10**300),
        (5e-324, 3, 0.0),
        (7, None, 7),
        (7, 1, 7.0),
        (Decimal("2.675"), 2, Decimal("2.68")),
        (Decimal("2.5"), None, 3),
        (1e-5, 400, 1e-5),
    ],
)
def test_rounded(value: Any, digits: int | None, result: object) -> None:
    found = filters.rounded(value, digits) if digits is not None else filters.rounded(value)
    assert found == result
    assert type(found) is type(result)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_rounding_is_near(value: float) -> None:
    assert abs(filters.rounded(value) - Decimal(repr(value))) <= Decimal("0.5")


def test_finite() -> None:
    assert filters.finite(1.5) == 1.5
    for value in (float("inf"), float("-inf"), float("nan")):
        with pytest.raises(ExpressionError):
            filters.finite(value)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("500 ms", 0.5),
        ("30s", 30),
        ("90 min", 5400),
        ("4h", 14400),
        ("3 days", 259200),
        ("2 weeks", 1209600),
        ("1.5h", 5400),
        ("PT1H30M", 5400),
        ("P1DT1S", 86401),
        ("-PT5S", -5),
    ],
)
def test_duration(value: str, seconds: float) -> None:
    assert filters.duration(value).total_seconds() == seconds


@given(st.timedeltas(min_value=timedelta(days=-999), max_value=timedelta(days=999)))
def test_a_duration_survives_json(value: timedelta) -> None:
    assert filters.duration(filters.plain(value)) == value


@pytest.mark.parametrize(
    ("function", "value"),
    [
        (filters.duration, "2m"),
        (filters.duration, "soon"),
        (filters.duration, "P"),
        (filters.duration, "1y"),
        (filters.duration, "999999999999 weeks"),
        (filters.integer, "1.5"),
        (filters.integer, "x"),
        (filters.integer, "9" * 5000),
        (filters.number, "nan"),
        (filters.number, "1e999"),
        (filters.number, ""),
        (filters.decimal, "x"),
        (filters.decimal, "Infinity"),
        (filters.day, "31.1.2026"),
        (filters.datetime, "2026-01-31"),
        (filters.datetime, "2026-01-31T10:00:00"),
        (filters.datetime, "now"),
    ],
)
def test_what_cannot_be_read_says_so(function: Any, value: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        function(value)
    assert value[:10] in str(raised.value)


def test_moments_are_kept_in_utc() -> None:
    assert filters.datetime("2026-01-31T01:00:00+02:00") == datetime(2026, 1, 30, 23, tzinfo=UTC)
    assert filters.day(datetime(2026, 1, 31, 1, tzinfo=timezone(timedelta(hours=2)))) == date(2026, 1, 30)


def test_json_is_that_of_the_data() -> None:
    value = {
        "order": Order(id="ä", total=Decimal("1.50")),
        "at": date(2026, 1, 31),
        "took": timedelta(seconds=90),
    }
    assert (
        filters.json(value)
        == '{"order": {"id": "ä", "total": "1.50"}, "at": "2026-01-31", "took": "PT1M30S"}'
    )
    assert filters.json([1], indent=2) == "[\n  1\n]"
    with pytest.raises(ExpressionError):
        filters.json(object())


def test_lists() -> None:
    order, same = Order(id="a", total=Decimal(1)), Order(id="a", total=Decimal(1))
    assert filters.unique([order, same]) == [order]
    assert filters.unique([1, True, 1.0, "1"]) == [1, True, "1"]
    assert filters.most_common(["b", "a", "a", "b"]) == "b"
    assert filters.most_common([order, same]) is order
    assert filters.most_common_if_any(list[str]()) is None
    assert filters.first(list[str]()) is None
    assert filters.last([1, 2]) == 2
    assert filters.flatten([[1], [], [2]]) == [1, 2]
    assert filters.chunk([1, 2, 3], 2) == [[1, 2], [3]]
    assert filters.group(["ab", "ac", "b"], lambda each: each[0]) == {"a": ["ab", "ac"], "b": ["b"]}
    assert filters.count_by(["x", "y", "x"]) == {"x": 2, "y": 1}
    assert filters.total([timedelta(1), timedelta(2)]) == timedelta(3)


@pytest.mark.parametrize(
    "fails",
    [
        lambda: filters.most_common(list[str]()),
        lambda: filters.chunk([1], 0),
        lambda: filters.at([1], 1),
        lambda: filters.at(list[int](), -1),
        lambda: filters.at_most(1, [1, 2]),
        lambda: filters.text(object()),
    ],
)
def test_what_has_no_value_is_an_error(fails: Any) -> None:
    with pytest.raises(ExpressionError):
        fails()


def test_at_and_at_most() -> None:
    assert filters.at([1, 2], -2) == 1
    assert filters.at_most(2, [1, 2]) == [1, 2]


def test_texts() -> None:
    assert filters.truncate("a long text", 7) == "a long…"
    assert filters.truncate("short", 7) == "short"
    assert filters.truncate("abc", 2, "...") == ".."
    assert filters.truncate("abc", 0) == ""
    assert filters.indent("a\n\nb", 2) == "a\n\n  b"
    assert filters.formatted(date(2026, 1, 31), "%d.%m.%Y") == "31.01.2026"
    assert filters.default(None, 1) == 1
    assert filters.default(0, 1) == 0


@pytest.mark.parametrize(
    ("value", "digits", "written"),
    [
        (Decimal("1.5"), 2, "1.50"),
        (Decimal("2.345"), 2, "2.35"),
        (Decimal("-2.345"), 2, "-2.35"),
        (Decimal("-0.001"), 2, "0.00"),
        (Decimal("1e3"), 1, "1000.0"),
        (Decimal("12345678901234567890123456789012345.675"), 2, "12345678901234567890123456789012345.68"),
        (2.345, 2, "2.35"),
        (1e21, 0, "1000000000000000000000"),
        (7, 2, "7.00"),
        (0.5, 0, "1"),
    ],
)
def test_fixed_writes_exactly_so_many_digits(value: float | Decimal, digits: int, written: str) -> None:
    assert filters.fixed(value, digits) == written


@pytest.mark.parametrize(("value", "digits"), [(1, -1), (1, 301), (Decimal("1e6000"), 2)])
def test_fixed_says_what_it_cannot_write(value: float | Decimal, digits: int) -> None:
    with pytest.raises(ExpressionError):
        filters.fixed(value, digits)
