"""Dates and moments as texts: what the C library writes, whatever the machine's language and time zone are."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from wfc.compiler.expressions.filters import moments as of_the_compiler
from wfc.runtime.errors import ExpressionError
from wfc.runtime.values.moments import DATE_DIRECTIVES, TIME_DIRECTIVES, formatted

SEEDS = range(200)


@pytest.fixture(params=["UTC", "America/New_York", "Pacific/Kiritimati"])
def _zone(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = request.param
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def moment(chance: random.Random) -> datetime:
    begin = datetime(1000, 1, 1, tzinfo=UTC)  # of years before, the C library writes fewer than four digits
    seconds = chance.randrange(int((datetime(9999, 12, 31, tzinfo=UTC) - begin).total_seconds()))
    found = begin + timedelta(seconds=seconds, microseconds=chance.randrange(10**6))
    return (
        found.astimezone(timezone(timedelta(minutes=chance.randrange(-900, 900)))) if seconds % 3 else found
    )


@pytest.mark.usefixtures("_zone")
@pytest.mark.parametrize("directive", [*DATE_DIRECTIVES, *TIME_DIRECTIVES])
def test_a_directive_is_what_the_c_library_writes(directive: str) -> None:
    for seed in SEEDS:
        value = moment(random.Random(seed))  # noqa: S311
        assert formatted(value, f"a{directive}b") == value.strftime(f"a{directive}b"), value
        if directive in DATE_DIRECTIVES:
            assert formatted(value.date(), directive) == value.date().strftime(directive)


def test_years_have_four_digits() -> None:
    assert formatted(date(1, 1, 1), "%Y %G %y") == "0001 0001 01"


@pytest.mark.parametrize(
    "pattern", ["%c", "%x", "%s", "%Z", "%z", "%", "100 %", "%Ä", "%-", "%-Y", "%\n", "%E", "%5d"]
)
def test_no_other_directive_stands_for_anything(pattern: str) -> None:
    with pytest.raises(ExpressionError):
        formatted(datetime(2026, 1, 31, tzinfo=UTC), pattern)


def test_the_compiler_knows_the_same_directives() -> None:
    assert list(of_the_compiler.DATE_DIRECTIVES) == list(DATE_DIRECTIVES)
    assert list(of_the_compiler.TIME_DIRECTIVES) == list(TIME_DIRECTIVES)
