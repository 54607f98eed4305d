"""Arguments held against schemas that others have written."""

from __future__ import annotations

import time
from datetime import date
from typing import Any

import pytest

from wfc.runtime import Record
from wfc.runtime.calls.foreign_schemas import ForeignSchema
from wfc.runtime.errors import StepError

SCHEMA = ForeignSchema(
    {
        "type": "object",
        "required": ["name", "must"],
        "properties": {
            "name": {"type": "string", "maxLength": 5},
            "must": {"type": ["string", "null"]},
            "may": {"type": "integer"},
            "nullable": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "inner": {"$ref": "#/$defs/Inner"},
            "list": {"type": "array", "items": {"$ref": "#/$defs/Inner"}},
        },
        "$defs": {
            "Inner": {
                "type": "object",
                "required": ["a"],
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "on": {"type": "string"}},
            }
        },
    }
)


class Inner(Record):
    a: str
    b: str | None = None
    on: date | None = None


def test_what_was_not_given_is_left_out_at_any_depth() -> None:
    inner = Inner(a="x", on=date(2026, 5, 1))
    found = SCHEMA.given(
        {"name": "n", "must": None, "may": None, "nullable": None, "inner": inner, "list": [Inner(a="y")]}
    )
    wanted = {"a": "x", "on": "2026-05-01"}
    assert found == {"name": "n", "must": None, "nullable": None, "inner": wanted, "list": [{"a": "y"}]}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"must": None}, "as a whole: 'name' is a required property"),
        ({"name": "toolong", "must": ""}, "name: 'toolong' is too long"),
        ({"name": "n", "must": 1}, "must: 1 is not of type 'string', 'null'"),
        ({"name": "n", "must": "", "list": [{}]}, "list[0]: 'a' is a required property"),
    ],
)
def test_what_does_not_fit_is_told(args: dict[str, Any], said: str) -> None:
    with pytest.raises(StepError) as told:
        SCHEMA.given(args)
    assert told.value.name == "tool.arguments"
    assert said in told.value.message


def test_patterns_of_others_are_not_tried() -> None:
    schema = ForeignSchema({"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}})
    assert schema.given({"a": ""})  # what checks is loaded by it
    begun = time.process_time()
    assert schema.given({"a": "a" * 40 + "b"})
    assert time.process_time() - begun < 2


def test_nothing_is_fetched() -> None:
    schema = ForeignSchema(
        {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}}
    )
    with pytest.raises(Exception, match="Unresolvable"):
        schema.check({"a": 1})


def test_a_model_does_not_see_what_is_bound() -> None:
    found = SCHEMA.shown(frozenset({"name", "may"}))
    assert found["required"] == ["must"]
    assert "name" not in found["properties"] and "may" not in found["properties"]
    assert found["$defs"] == SCHEMA.schema["$defs"]
    assert ForeignSchema({"type": "object"}).shown(frozenset())["properties"] == {}
