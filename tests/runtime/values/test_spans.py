"""Lengths of time in what people are told."""

from __future__ import annotations

import math
import re
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wfc.runtime.values.spans import span

FEWER_THAN: Final = {"day": math.inf, "h": 24, "min": 60, "s": 60, "ms": 1000}
IN_SECONDS: Final = {"day": 86_400.0, "h": 3_600.0, "min": 60.0, "s": 1.0, "ms": 0.001}


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (None, "no bound"),
        (0, "0 s"),
        (-0.0, "0 s"),
        (1, "1 s"),
        (1.5, "1.5 s"),
        (59.9999, "1 min"),
        (59.99999999, "1 min"),
        (86_400 * 10**6 + 59.99999, "1000000 days 1 min"),
        (72.3, "1 min 12.3 s"),
        (5_400, "1 h 30 min"),
        (14_400, "4 h"),
        (86_400, "1 day"),
        (90_061, "1 day 1 h 1 min 1 s"),
        (8 * 86_400, "8 days"),
        (0.05, "50 ms"),
        (0.5, "500 ms"),
        (0.0123456, "12.3 ms"),
        (0.9996, "1 s"),
        (-90, "-1 min 30 s"),
        (-0.5, "-500 ms"),
        (math.inf, "inf s"),
        (-math.inf, "-inf s"),
        (math.nan, "nan s"),
    ],
)
def test_a_length_of_time_is_said_as_people_say_it(seconds: float | None, said: str) -> None:
    assert span(seconds) == said


@given(st.floats(-1e10, 1e10) | st.floats(-2, 2) | st.integers(-(10**9), 10**9))
@example(0.9995)
@example(0.99949999)
@example(3_599.9996)
@example(86_399.9999)
def test_what_is_said_is_the_length_in_units_of_which_none_is_full(seconds: float) -> None:
    said = span(seconds)
    parts = re.findall(r"([\d.e+-]+) (day|h|min|ms|s)s?(?: |$)", said.removeprefix("-"))
    assert " ".join(re.sub("days", "day", said).split()) == ("-" if said.startswith("-") else "") + " ".join(
        f"{count} {unit}" for count, unit in parts
    )
    assert all(float(count) < FEWER_THAN[unit] for count, unit in parts)
    assert all(float(count) > 0 for count, _ in parts) or said in ("0 s", "-0 s")
    length = sum(float(count) * IN_SECONDS[unit] for count, unit in parts)
    assert length == pytest.approx(abs(seconds), abs=0.000_501 if abs(seconds) >= 0.9995 else 0, rel=0.005)
    assert said.startswith("-") == (seconds < 0)
