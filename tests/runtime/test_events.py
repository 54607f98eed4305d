"""Events, open and closed, and records."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import Field, ValidationError

from wfc.runtime import Event, ExpressionError, Format, Number, Record, RunState, StartEvent, StopEvent
from wfc.runtime.events import event_name


class Open(Event):
    count: int
    _hidden: int = 0


class Closed(StartEvent, closed=True):
    count: int
    class_: Annotated[str, Field(alias="class")] = "a"


class Answer(StopEvent, closed=True, name="Result"):
    text: str


def test_an_open_event_keeps_what_it_does_not_declare() -> None:
    event = Open(count=1, more=2, _hidden=3)
    assert (event.count, event.more, event["more"], event._hidden) == (1, 2, 2, 3)
    assert (list(event), len(event), "more" in event, "count" in event) == (["more"], 1, True, False)
    event["other"] = 4
    assert event.to_dict() == {"more": 2, "other": 4}
    assert (event.get("none", 5), dict(event.items()), list(event.keys()), list(event.values())) == (
        5,
        {"more": 2, "other": 4},
        ["more", "other"],
        [2, 4],
    )
    assert Open(count=1)
    with pytest.raises(AttributeError):
        event.none  # noqa: B018 - the access is the test


@pytest.mark.parametrize(
    "fields",
    [{"count": "1"}, {"count": 1, "other": 2}, {"count": 1, "class": 3}, {}],
    ids=["not strict", "unknown", "aliased", "missing"],
)
def test_a_closed_event_takes_nothing_else(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Closed(**fields)


def test_a_closed_event_speaks_the_names_of_the_spec() -> None:
    event = Closed(count=1, class_="b")
    assert json.loads(event.model_dump_json()) == {"count": 1, "class": "b"}
    assert Closed.model_validate_json('{"count": 1, "class": "b"}') == event
    with pytest.raises(ValidationError):
        event.count = 2


def test_an_event_may_be_called_otherwise_than_its_class() -> None:
    assert (event_name(Answer), event_name(Answer(text="x")), event_name(Open)) == (
        "Result",
        "Result",
        "Open",
    )


def test_a_stop_event_carries_a_result() -> None:
    event = StopEvent(result={"a": 1})
    assert (event.result, event.model_dump()) == ({"a": 1}, {"result": {"a": 1}})
    assert (StopEvent("x").result, StopEvent().result, Answer(text="x").result) == ("x", None, None)


class ByPydantic(StopEvent):
    """Like a plain one, which is made without pydantic."""


def _with_more(event: StopEvent) -> dict[str, Any]:
    event["more"] = 2
    return event.model_dump()


USES: dict[str, Callable[[StopEvent], Any]] = {
    "dump": lambda event: event.model_dump(),
    "json": lambda event: event.model_dump_json(),
    "set fields": lambda event: event.model_fields_set,
    "undeclared fields": lambda event: (event.to_dict(), event.model_extra, vars(event)),
    "one more field": _with_more,
    "copy": lambda event: copy.copy(event).result,
    "deep copy": lambda event: (copy.deepcopy(event).result, copy.deepcopy(event) == event),
    "pydantic's copy": lambda event: event.model_copy(update={"a": 1}).model_dump(),
    "pickle": lambda event: pickle.loads(pickle.dumps(event)).result,  # noqa: S301 - its own bytes
    "equal": lambda event: event == type(event)(result=event.result),
    "not equal": lambda event: event == type(event)(result="other"),
    "shown": lambda event: repr(event).partition("(")[2],
    "another result": lambda event: (setattr(event, "_result", 3), event.result),
}


@pytest.mark.parametrize("result", [None, 0, "x", {"a": [1]}], ids=repr)
@pytest.mark.parametrize("use", USES)
def test_a_plain_stop_event_is_like_those_that_pydantic_makes(use: str, result: object) -> None:
    assert USES[use](StopEvent(result=result)) == USES[use](ByPydantic(result=result))


def test_a_plain_stop_event_takes_undeclared_fields() -> None:
    event = StopEvent("x", more=1)
    assert (event.result, event.more, event.model_dump()) == ("x", 1, {"more": 1, "result": "x"})


def test_a_stop_event_may_compute_its_result() -> None:
    class Sum(StopEvent):
        a: int
        b: int

        def _get_result(self) -> int:
            return self.a + self.b

    assert Sum(a=1, b=2).result == 3


def test_a_stop_event_may_declare_its_result() -> None:
    class Typed(StopEvent):
        result: str

    class Strict(StopEvent, closed=True):
        result: str

    assert Strict(result="x").result == "x"
    assert Typed(result="x").result == "x"
    with pytest.raises(ValidationError):
        Typed(result=1)


class Line(Record):
    price: Decimal
    share: Number


@pytest.mark.parametrize("share", [float("nan"), float("inf"), -float("inf")])
def test_numbers_are_finite(share: float) -> None:
    with pytest.raises(ValidationError):
        Line(price=Decimal(1), share=share)


def test_an_integer_is_a_number_and_a_decimal_travels_as_text() -> None:
    line = Line(price=Decimal("1.10"), share=1)
    assert line.model_dump_json() == '{"price":"1.10","share":1.0}'
    assert Line.model_validate_json(line.model_dump_json()) == line


class Total(RunState):
    count: Annotated[int, Field(le=3, alias="class")] = 0


def test_a_checked_value_is_within_its_bounds() -> None:
    state = Total()
    assert state.checked("count", 3) == 3
    assert state.count == 0
    with pytest.raises(ExpressionError, match="`class` cannot be 4"):
        state.checked("count", 4)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("uri", "https://example.com/a?b", "no uri"),
        ("uri", "mailto:a@example.com", "http://[::1"),
        ("email", "a.b@example.com", "a b@example.com"),
        ("hostname", "a-b.example.com", "-a.example.com"),
        ("ipv4", "127.0.0.1", "127.0.0.256"),
        ("ipv6", "::1", "1.2.3.4"),
        ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123"),
    ],
)
def test_formats(name: str, good: str, bad: str) -> None:
    class Text(Record):
        text: Annotated[str, Format(name)]

    assert Text(text=good).text == good
    assert Text.model_json_schema()["properties"]["text"]["format"] == name
    with pytest.raises(ValidationError, match=f"it is no {name}"):
        Text(text=bad)
