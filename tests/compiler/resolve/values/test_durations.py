"""Durations as authors write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.resolve.values.durations import duration
from wfc.compiler.types.durations import UNITS, everyday_seconds
from wfc.runtime.errors import ExpressionError
from wfc.runtime.values.conversions import duration as read_duration

PLACE = Place(("deadline",))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("500 ms", 0.5),
        ("30s", 30),
        ("5 min", 300),
        ("4h", 14_400),
        ("3 days", 259_200),
        ("1 day", 86_400),
        ("2 weeks", 1_209_600),
        ("1 week", 604_800),
        ("1.5h", 5_400),
        ("0.5 s", 0.5),
        ("30 sec", 30),
        ("30 seconds", 30),
        ("5 minutes", 300),
        ("1 minute", 60),
        ("4 hours", 14_400),
        ("1 d", 86_400),
        ("1h 30 min", 5_400),
        ("1h30min", 5_400),
        ("1 week 2 days 3h", 788_400),
        ("2 s 500 ms", 2.5),
    ],
)
def test_a_duration_is_a_number_of_seconds(text: str, seconds: float) -> None:
    findings: list[Finding] = []
    assert duration(text, PLACE, findings.append) == pytest.approx(seconds)
    assert not findings


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("2m", "`2 min`"),
        ("2M", "`2 min`"),
        ("30 secs", "`30s`"),
        ("5 mins", "`5 min`"),
        ("4 hrs", "`4h`"),
        ("3 DAYS", "`3 days`"),
        ("1h30m", "`1h 30 min`"),
        ("30 min 1h", "largest first"),
        ("1h 1h", "each unit once"),
        ("1h 30", "`30s`"),
        ("1h, 30 min", "`30s`"),
        ("5\xa0min", "special blank"),
        ("7 fortnights", "`weeks`"),
        ("soon", "`30s`"),
        ("", "`30s`"),
        ("-5s", "`30s`"),
        ("0s", "longer than nothing"),
        ("200000 weeks", "hundred years"),
        ("1e9s", "`weeks`"),
        ("٣s", "`30s`"),
    ],
)
def test_what_is_no_duration_is_reported_with_what_to_write(text: str, hint: str) -> None:
    findings: list[Finding] = []
    assert duration(text, PLACE, findings.append) is None
    (finding,) = findings
    assert finding.code == "bad-duration"
    assert hint in finding.hint


@pytest.mark.parametrize("value", [None, 30, 2.5, True, ["30s"], {"s": 30}])
def test_only_a_text_is_a_duration(value: object) -> None:
    findings: list[Finding] = []
    assert duration(value, PLACE, findings.append) is None
    assert len(findings) == 1


def test_a_delay_may_be_nothing() -> None:
    findings: list[Finding] = []
    assert duration("0s", PLACE, findings.append, zero=True) == 0
    assert not findings


@given(st.integers(1, 1_000), st.sampled_from(sorted(UNITS)), st.sampled_from(["", " "]))
def test_number_and_unit_give_seconds(number: int, unit: str, space: str) -> None:
    findings: list[Finding] = []
    assert duration(f"{number}{space}{unit}", PLACE, findings.append) == pytest.approx(number * UNITS[unit])
    assert not findings


@given(st.text(max_size=20))
def test_any_text_gives_seconds_or_one_finding(text: str) -> None:
    findings: list[Finding] = []
    seconds = duration(text, PLACE, findings.append)
    assert (seconds is None) == (len(findings) == 1)


PARTS = st.dictionaries(st.sampled_from(sorted(UNITS)), st.integers(0, 500), max_size=4)


@given(PARTS, st.sampled_from(["", " "]), st.permutations([0, 1, 2, 3]))
def test_texts_mean_the_same_in_specs_and_in_data(
    parts: dict[str, int], space: str, order: list[int]
) -> None:
    units = sorted(parts, key=lambda unit: -UNITS[unit])
    units = [units[index] for index in order if index < len(units)]
    text = " ".join(f"{parts[unit]}{space}{unit}" for unit in units)
    found = everyday_seconds(text)
    sizes = [UNITS[unit] for unit in units]
    if sizes and sizes == sorted(set(sizes), reverse=True):
        assert found == pytest.approx(sum(parts[unit] * UNITS[unit] for unit in units))
        assert read_duration(text).total_seconds() == pytest.approx(found)
    else:
        assert found is None
        with pytest.raises(ExpressionError):
            read_duration(text)
