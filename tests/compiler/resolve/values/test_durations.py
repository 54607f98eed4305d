"""Durations as authors write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.resolve.values.durations import SECONDS, duration

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
        ("30 sec", "`30s`"),
        ("30 seconds", "`30s`"),
        ("5 minutes", "`5 min`"),
        ("4 hours", "`4h`"),
        ("1 d", "`1 days`"),
        ("3 DAYS", "`3 days`"),
        ("7 fortnights", "`weeks`"),
        ("soon", "`30s`"),
        ("", "`30s`"),
        ("-5s", "`30s`"),
        ("1h 30min", "`90 min`"),
        ("0s", "longer than nothing"),
        ("200000 weeks", "hundred years"),
        ("1e9s", "`30s`"),
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


@given(st.integers(1, 1_000), st.sampled_from(sorted(SECONDS)), st.sampled_from(["", " "]))
def test_number_and_unit_give_seconds(number: int, unit: str, space: str) -> None:
    findings: list[Finding] = []
    assert duration(f"{number}{space}{unit}", PLACE, findings.append) == pytest.approx(number * SECONDS[unit])
    assert not findings


@given(st.text(max_size=20))
def test_any_text_gives_seconds_or_one_finding(text: str) -> None:
    findings: list[Finding] = []
    seconds = duration(text, PLACE, findings.append)
    assert (seconds is None) == (len(findings) == 1)
