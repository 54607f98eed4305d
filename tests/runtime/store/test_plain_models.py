"""Models of plain fields, which are written in one call: the same as by the way that all others take."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, field_serializer

from wfc.runtime import Event
from wfc.runtime.store.values import Values


class Plain(Event):
    text: str
    number: int
    maybe: bool | None = None
    many: list[str | int] = Field(default_factory=list)


class Scalars(Event):
    text: str
    number: int
    maybe: bool | None = None


class Renamed(Event):
    number: int = Field(alias="theNumber")


class WithFloat(Event):
    n: float


class InItsOwnWay(Event):
    n: int

    @field_serializer("n")
    def _as_text(self, n: int) -> str:
        return str(n)


class Open(Event):
    n: Any


TEXTS = st.text(st.characters(codec="utf-8"))
VALUES = Values.of_classes([Plain, Scalars, Renamed, WithFloat, InItsOwnWay, Open])


@given(
    st.builds(Plain, text=TEXTS, number=st.integers(), maybe=st.none() | st.booleans(), many=st.lists(TEXTS))
    | st.builds(Scalars, text=TEXTS, number=st.integers(), maybe=st.none() | st.booleans())
    | st.builds(Renamed, theNumber=st.integers())
)
def test_what_is_written_in_one_call_is_what_is_written_by_parts(event: Event) -> None:
    found = VALUES.plain_model(event)
    assert found is not None
    assert json.loads(found) == VALUES.write(event)
    assert VALUES.read(json.loads(found)) == event


@pytest.mark.parametrize(
    "event",
    [
        WithFloat(n=math.nan),
        InItsOwnWay(n=1),
        Open(n=1),
        Plain(text="", number=1, more="not declared"),  # type: ignore[call-arg]
        Plain(text="\ud800", number=1),
        Plain.model_construct(text="", number=math.nan),
        Scalars(text="\ud800", number=1),
        Scalars.model_construct(text="", number="1"),
        Scalars.model_construct(text="", number=math.nan),
        object(),
        [Plain(text="", number=1)],
    ],
    ids=lambda event: type(event).__name__,
)
def test_all_else_takes_the_long_way(event: object) -> None:
    assert VALUES.plain_model(event) is None
