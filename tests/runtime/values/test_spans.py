"""Lengths of time in what people are told."""

from __future__ import annotations

import math

import pytest

from wfc.compiler.model.bounds import seconds as shown_by_the_compiler
from wfc.runtime.values.spans import span


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (1, "1 s"),
        (1.5, "1.5 s"),
        (59.9999, "1 min"),
        (72.3, "1 min 12.3 s"),
        (5_400, "1 h 30 min"),
        (14_400, "4 h"),
        (86_400, "1 day"),
        (90_061, "1 day 1 h 1 min 1 s"),
        (8 * 86_400, "8 days"),
        (0.05, "0.05 s"),
        (-90, "-1 min 30 s"),
        (math.inf, "inf s"),
    ],
)
def test_a_length_of_time_is_said_as_people_say_it(seconds: float, said: str) -> None:
    assert span(seconds) == said
    if seconds == 0 or (seconds >= 1 and math.isfinite(seconds) and seconds == round(seconds, 3)):
        assert shown_by_the_compiler(seconds) == said  # both houses say it alike
