"""What a test expects, held against what a run showed: no false alarm, and every difference in plain words."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from pydantic import Field

from wfc.runtime.errors import RunFailedError, StepError, StepFailedError
from wfc.runtime.events import Event, ProgressText, Record, RunState, StopEvent
from wfc.runtime.testing.expectations import Seen, differences


class Item(Record):
    name: str
    price: Decimal


class Done(StopEvent, closed=True):
    good: int
    lines: list[Item] = Field(default_factory=list)
    total: Decimal = Decimal("1.50")
    at: datetime | None = None
    markdown: str = "# News\n\n- a\n- b\n"
    class_: str = Field(default="x", alias="class")
    note: str | None = None


class State(RunState):
    count: int = 2


class Ping(Event, closed=True):
    number: int


def seen(**changes: Any) -> Seen:
    end = Done(
        good=1,
        lines=[Item(name="a", price=Decimal(2))],
        at=datetime.fromisoformat("2026-01-01T10:00:00+00:00"),
    )
    streamed: list[Event] = [ProgressText(text="at 1", step="a"), Ping(number=3)]
    return Seen(
        **{
            "end": end,
            "ran": Counter(a=2),
            "emitted": ["Begun", "Done"],
            "streamed": streamed,
            "state": State(),
            **changes,
        }
    )


FAILED = StepFailedError("a", "Begun", 2, StepError("http.503", "busy"))


@pytest.mark.parametrize(
    ("expect", "run"),
    [
        ({}, seen()),
        ({"end": "Done", "with": {"good": 1, "class": "x", "note": None}}, seen()),
        ({"with": {"total": "1.5", "at": "2026-01-01T11:00:00+01:00"}}, seen()),
        ({"with": {"lines": [{"name": "a", "price": "2.00"}]}}, seen()),
        ({"with": {"lines": [{"name": "a"}]}}, seen()),
        ({"with": {"markdown": "# News\n\n- a\n- b\n"}}, seen()),
        ({"ran": {"a": 2, "b": 0}, "never_ran": ["b"]}, seen()),
        ({"emitted": ["Begun", "Done"]}, seen()),
        ({"state": {"count": 2}}, seen()),
        ({"streamed": ["at 1", "Ping"]}, seen()),
        ({"streamed": ["at 1", {"event": "Ping", "with": {"number": 3}}]}, seen()),
        ({"fails": "http.5xx"}, seen(end=None, failure=FAILED)),
        ({"fails": "http"}, seen(end=None, failure=FAILED)),
        ({"fails": "fail"}, seen(end=None, failure=RunFailedError("no"))),
    ],
)
def test_what_holds_is_no_difference(expect: dict[str, Any], run: Seen) -> None:
    assert list(differences(expect, run)) == []


@pytest.mark.parametrize(
    ("expect", "run", "said"),
    [
        ({"end": "Other"}, seen(), "the run ended with `Done`, not with `Other`"),
        (
            {"end": "Done"},
            seen(end=None, failure=FAILED),
            "the run failed: step `a` failed on Begun, attempt 2: busy (http.503)",
        ),
        ({}, seen(end=None, failure=RunFailedError("no stock")), "the run failed: no stock"),
        ({"fails": "timeout"}, seen(), "the run ended with `Done`, but it was to fail with `timeout`"),
        (
            {"fails": "timeout"},
            seen(end=None, failure=FAILED),
            "the run failed with `http.503`, not with `timeout`: step `a` failed on Begun, attempt 2: busy (http.503)",
        ),
        ({"with": {"good": 2}}, seen(), "`with.good` is 1, not 2"),
        ({"with": {"good": True}}, seen(), "`with.good` is 1, not true"),
        ({"with": {"note": "x"}}, seen(), '`with.note` is null, not "x"'),
        ({"with": {"lines": []}}, seen(), '`with.lines` is [{"name": "a", "price": "2"}], not []'),
        ({"with": {"lines": [{"name": "b"}]}}, seen(), '`with.lines[0].name` is "a", not "b"'),
        (
            {"with": {"markdown": "# News\n\n- a\n- c\n"}},
            seen(),
            "`with.markdown` is another text (- expected, + found):\n"
            "      # News\n      \n      - a\n    - - c\n    + - b",
        ),
        (
            {"with": {"markdown": "# News\n\n- a\n- b"}},
            seen(),
            "`with.markdown` has 1 line breaks at its end, not 0",
        ),
        ({"ran": {"a": 1}}, seen(), "step `a` ran 2 times, not once"),
        ({"ran": {"b": 3}}, seen(), "step `b` ran never, not 3 times"),
        ({"never_ran": ["a"]}, seen(), "step `a` ran 2 times, but it was to be left out"),
        ({"emitted": ["Begun"]}, seen(), "`emitted` goes on with Done"),
        (
            {"emitted": ["Begun", "Done", "More"]},
            seen(),
            "`emitted` ends after Begun, Done; next was to be More",
        ),
        ({"emitted": ["Begun", "More"]}, seen(), "`emitted` has Done, not More after Begun"),
        ({"state": {"count": 3}}, seen(), "`state.count` is 2, not 3"),
        ({"streamed": []}, seen(), '`streamed` goes on with "at 1"'),
        (
            {"streamed": ["at 1", "at 2"]},
            seen(),
            '`streamed[1]` is {"event": "Ping", "with": {"number": 3}}, not "at 2"',
        ),
        ({"streamed": ["at 1", "Ping", "x"]}, seen(), '`streamed` has 2 items; next was to be "x"'),
    ],
)
def test_differences_are_told_in_plain_words(expect: dict[str, Any], run: Seen, said: str) -> None:
    assert list(differences(expect, run)) == [said]
