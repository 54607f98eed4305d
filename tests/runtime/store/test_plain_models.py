"""Models of plain fields, which are written in one call: the same as by the way that all others take."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ConfigDict, Field, GetCoreSchemaHandler, PrivateAttr, create_model, field_serializer
from pydantic_core import CoreSchema, core_schema

from wfc.runtime import Event, StopEvent
from wfc.runtime.errors import SnapshotError
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


class Numbers(Event):
    first: int
    second: int = 0


class NumbersWithMore(Event):
    n: int
    _seen: int = PrivateAttr(default=1)


class WithSecret(Event):
    n: int
    pin: int = Field(exclude_if=lambda _: True)


class OneMore(Event):
    n: int

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema: Any = handler(source)
        writing = core_schema.plain_serializer_function_ser_schema(lambda one: {"n": one.n + 1})
        found: CoreSchema = {**schema, "serialization": writing}
        return found


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


class End(StopEvent):
    text: str
    number: int | None = None


class EndOfMany(StopEvent):
    many: list[int] = Field(default_factory=list)


class EndWithResult(StopEvent):
    result: str = ""


class OpenEnd(StopEvent):
    at: Any
    part: Event


class CamelEnd(StopEvent):
    model_config = ConfigDict(serialize_by_alias=True)
    number: int = Field(alias="theNumber")


class NeedsResult(StopEvent):
    def __init__(self, *, result: str) -> None:
        super().__init__(result=result)


class Counted(StopEvent):
    def model_post_init(self, _: object) -> None:
        assert self.more == 3


class EndWithMore(StopEvent):
    _seen: int = PrivateAttr(default=0)


TEXTS = st.text(st.characters(codec="utf-8"))
Percent = create_model("Per%cent%b", __base__=Event, **{"n%d": (int, ...)})
ENDS = [StopEvent, End, EndOfMany, EndWithResult, EndWithMore, OpenEnd, CamelEnd, NeedsResult, Counted]
IN_OTHER_WAYS = [WithSecret, OneMore]
VALUES = Values.of_classes(
    [
        Percent,
        Plain,
        Scalars,
        Numbers,
        NumbersWithMore,
        *IN_OTHER_WAYS,
        Renamed,
        WithFloat,
        InItsOwnWay,
        Open,
        *ENDS,
    ]
)


def written_in_one_call(event: object) -> bytes | bytearray | None:
    write = VALUES.plain_writer(b"[%d,%d,", type(event), b",%b]")
    return write(1, 2, event, b'"%d"')


@given(
    st.builds(Plain, text=TEXTS, number=st.integers(), maybe=st.none() | st.booleans(), many=st.lists(TEXTS))
    | st.builds(Scalars, text=TEXTS, number=st.integers(), maybe=st.none() | st.booleans())
    | st.builds(Numbers, first=st.integers(), second=st.integers())
    | st.builds(Renamed, theNumber=st.integers())
    | st.integers().map(lambda n: Percent(**{"n%d": n}))
    | st.builds(End, text=TEXTS, number=st.none() | st.integers())
    | st.builds(EndOfMany, many=st.lists(st.integers()))
    | st.builds(StopEvent, result=st.none() | st.booleans() | st.integers() | TEXTS)
)
def test_what_is_written_in_one_call_is_what_is_written_by_parts(event: Event) -> None:
    found = written_in_one_call(event)
    assert found is not None
    first, second, data, last = json.loads(found)
    assert (first, second, last) == (1, 2, "%d")
    assert data == VALUES.write_model(event)
    assert json.loads(VALUES.model_text(event)) == data
    assert VALUES.read_event(data) == event


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
        Numbers(first=1, more="not declared"),  # type: ignore[call-arg]
        NumbersWithMore(n=1),
        Numbers.model_construct(first=True),
        Numbers.model_construct(second=1),
        Numbers(first=10**5000),
        StopEvent(result=1.5),
        StopEvent(result=["a list"]),
        StopEvent(result="\ud800"),
        StopEvent(more="not declared"),
        End(text="\ud800"),
        End(result="too", text=""),
        End.model_construct(text=1),
        EndOfMany.model_construct(many=[math.nan]),
        EndWithResult(result="among the fields"),
        EndWithMore(),
        object(),
        [Plain(text="", number=1)],
    ],
    ids=lambda event: type(event).__name__,
)
def test_all_else_takes_the_long_way(event: object) -> None:
    assert written_in_one_call(event) is None


@pytest.mark.parametrize(
    ("event", "written"),
    [(WithSecret(n=1, pin=4711), {"n": 1}), (OneMore(n=1), {"n": 2})],
    ids=lambda one: type(one).__name__,
)
def test_integers_are_written_as_their_class_has_it(event: Event, written: dict[str, object]) -> None:
    found = written_in_one_call(event)
    assert found is not None
    assert json.loads(found)[2] == VALUES.write_model(event) == [type(event).__name__, written]


@pytest.mark.parametrize(
    ("event", "kept_before"),
    [
        (End(text="a", number=1), ["End", {"": {"text": "a", "number": 1}}, {}, {"_result": None}]),
        (EndOfMany(many=[1]), ["EndOfMany", {"": {"many": [1]}}, {}, {"_result": None}]),
        (StopEvent(result=1), ["StopEvent", {}, {}, {"_result": 1}]),
    ],
    ids=lambda one: type(one).__name__,
)
def test_end_events_that_were_kept_in_a_form_of_their_own_are_read(
    event: Event, kept_before: list[object]
) -> None:
    assert VALUES.read_event(kept_before) == event


@pytest.mark.parametrize(
    "event",
    [
        StopEvent(result=10**5000),
        End(text="", number=10**5000),
        Plain(text="", number=-(10**5000)),
        Numbers(first=10**5000),
    ],
)
def test_an_integer_that_cannot_be_read_is_refused(event: Event) -> None:
    with pytest.raises(SnapshotError, match="no form in JSON"):
        VALUES.model_text(event)


@pytest.mark.parametrize(
    "event",
    [
        OpenEnd(at=datetime(2026, 1, 1, tzinfo=UTC), part=Scalars(text="a", number=1)),
        CamelEnd(theNumber=5),
        NeedsResult(result="r"),
        Counted(more=3),
    ],
    ids=lambda one: type(one).__name__,
)
def test_end_events_that_differ_are_written_as_their_classes_say(event: Event) -> None:
    assert written_in_one_call(event) is None
    _, fields, *_ = VALUES.write_model(event)
    assert list(fields) == [""]
    assert type(VALUES.read_event(json.loads(VALUES.model_text(event)))) is type(event)
