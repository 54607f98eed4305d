"""`filters.from_json` on texts that nobody should have sent."""

from __future__ import annotations

import time
from typing import Any

import pytest
from pydantic import Field

from wfc.runtime import ExpressionError, Record
from wfc.runtime.values import filters
from wfc.runtime.values.outputs import Output


class Tree(Record):
    size: int
    parts: list[Tree] = Field(default_factory=list)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", str),
        ("NaN", Output(Any)),
        ("[1, -Infinity]", Output(Any)),
        ("\ud800", str),
        (r'"\ud800"', str),
        ('"a\x00"', str),
        ("\ufeff1", int),
        ("1" * 10_000, int),
        ("[" * 300 + "]" * 300, Output(Any)),
        ("[" * 1_000_000, Output(Any)),
        ('{"size": 1, "parts": [' * 250 + '{"size": 1}' + "]}" * 250, Tree),
        ("1 2", int),
        ("// one\n1", int),
        ("{'size': 1}", Tree),
        ('{"size": 1,}', Tree),
    ],
)
def test_what_is_no_json_of_its_type_is_refused(text: str, kind: Any) -> None:
    with pytest.raises(ExpressionError, match="the text cannot be read as JSON of its type: ") as caught:
        filters.from_json(text, kind)
    assert len(str(caught.value)) < 300


def test_a_text_that_speaks_of_numbers_that_are_none_is_read() -> None:
    assert filters.from_json('["NaN", "Infinity"]', list[str]) == ["NaN", "Infinity"]


def test_a_text_may_have_16_mb_and_no_more() -> None:
    most = 16 * 1024 * 1024
    began = time.monotonic()
    assert len(filters.from_json(f'"{"a" * (most - 2)}"', str)) == most - 2
    with pytest.raises(ExpressionError, match="more than 16 MB"):
        filters.from_json(f'"{"a" * (most - 1)}"', str)
    assert time.monotonic() - began < 10


def test_null_is_read_as_what_may_be_null() -> None:
    assert filters.from_json("null", Output[int | None](int | None)) is None
    assert filters.from_json("3", Output[int | None](int | None)) == 3
    with pytest.raises(ExpressionError):
        filters.from_json("null", int)


def test_records_hold_records() -> None:
    found = filters.from_json('{"size": 2, "parts": [{"size": 1}]}', Tree)
    assert found == Tree(size=2, parts=[Tree(size=1)])
