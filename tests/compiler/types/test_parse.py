"""Types as they are written: what they are, and what is wrong with them, at its own place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.types import (
    UNKNOWN,
    Enumeration,
    Record,
    Type,
    parse_field,
    parse_fields,
    parse_type,
    show,
)

PLACE = Place(("types", "Thing"))
ORDER = Record("Order")
DECLARED: dict[str, Type] = {
    "Order": ORDER,
    "Broken": UNKNOWN,
    "工单": Record("工单"),
    "Level": Enumeration(("a",), "Level"),
}


def parse(data: object) -> tuple[Type, list[Finding]]:
    findings: list[Finding] = []
    return parse_type(data, PLACE, DECLARED, findings.append, "Thing"), findings


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ("string", "string"),
        ("any", "any"),
        ("list of integer", "list of integer"),
        ("map of list of decimal", "map of list of decimal"),
        ("optional list of optional date", "optional list of optional date"),
        ("  list   of\tOrder ", "list of Order"),
        ("工单", "工单"),
        ("Level", "Level"),
        ("list of list of list of boolean", "list of list of list of boolean"),
        ({"enum": ["low", "high"]}, "{enum: [low, high]}"),
        ({"enum": [1, True, "a b"]}, '{enum: [1, true, "a b"]}'),
        ({"one_of": ["string", "Order"]}, "{one_of: [string, Order]}"),
        ({"one_of": ["string", "optional integer"]}, "optional {one_of: [string, integer]}"),
        ({"type": "string", "default": "x"}, "string"),
        ({"type": {"enum": ["a"]}}, "{enum: [a]}"),
        ({"type": {"name": "string"}, "description": "x"}, "{name: string}"),
        ({"name": "string"}, "{name: string}"),
        ({"type": "string", "name": "string"}, "{type: string, name: string}"),
        ({}, "{}"),
    ],
)
def test_a_type(data: object, shown: str) -> None:
    type_, findings = parse(data)
    assert not findings
    assert show(type_) == shown


def test_a_record_in_place_has_its_fields_and_names_its_inner_records() -> None:
    type_, findings = parse({"name": "string", "ship_to": {"city": "optional string"}, "class": "integer"})
    assert not findings
    assert isinstance(type_, Record)
    assert list(type_.fields) == ["name", "ship_to", "class"]
    inner = type_.fields["ship_to"].type
    assert isinstance(inner, Record)
    assert inner.name == "ThingShipTo"
    assert not inner.fields["city"].required
    assert type_.fields["name"].required
    assert inner.fields["city"].address == ("types", "Thing", "ship_to", "city")


def test_a_field_in_its_long_form() -> None:
    findings: list[Finding] = []
    data = {"type": "integer", "default": 3, "description": "How many.", "min": 1, "max": 9}
    field = parse_field("count", data, PLACE / "count", {}, findings.append, "ThingCount")
    assert not findings
    assert (field.has_default, field.default, field.description) == (True, 3, "How many.")
    assert (field.constraints.min, field.constraints.max) == (1, 9)
    assert not field.required


WRONG: list[tuple[Any, str, tuple[str | int, ...], str | None]] = [
    # data, code, way from the place, stretch
    ("strng", "unknown-type", (), "strng"),
    ("list of Ordr", "unknown-type", (), "Ordr"),
    ("lst of Order", "unknown-type", (), "lst"),
    ("", "not-a-type", (), None),
    (3, "not-a-type", (), None),
    (None, "not-a-type", (), None),
    (["string"], "not-a-type", (), None),
    ("list of", "type-unfinished", (), "of"),
    ("optional", "type-unfinished", (), "optional"),
    ("list string", "of-is-missing", (), "list"),
    ("optional optional string", "optional-twice", (), "optional"),
    ("string required", "words-after-type", (), "required"),
    ("list of " * 30 + "string", "type-too-deep", (), None),
    ({"type": "string", "enum": ["a"]}, "two-types-at-once", ("enum",), None),
    ({"enum": ["a"], "defalt": "a"}, "unknown-type-key", ("defalt",), None),
    ({"sum": "float"}, "unknown-type", ("sum",), "float"),
    ({"enum": []}, "empty-enum", ("enum",), None),
    ({"enum": "a"}, "empty-enum", ("enum",), None),
    ({"enum": ["a", 1.5]}, "bad-enum-value", ("enum", 1), None),
    ({"enum": ["a", None]}, "bad-enum-value", ("enum", 1), None),
    ({"enum": ["a", "b", "a"]}, "enum-value-twice", ("enum", 2), None),
    ({"one_of": ["string"]}, "too-few-alternatives", ("one_of",), None),
    ({"one_of": ["string", "string"]}, "alternative-twice", ("one_of", 1), None),
    ({"one_of": ["string", "x"]}, "unknown-type", ("one_of", 1), "x"),
    ({"name": "strng"}, "unknown-type", ("name",), "strng"),
    ({"_name": "string"}, "bad-name", ("_name",), None),
    ({"a-b": "string"}, "bad-name", ("a-b",), None),
    ({"é": "string", "e\u0301": "string"}, "name-declared-twice", ("e\u0301",), None),
    ({"x": {"type": "integer", "default": "a"}}, "default-does-not-fit", ("x", "default"), None),
    (
        {"x": {"type": "list of integer", "default": [1, "a"]}},
        "default-does-not-fit",
        ("x", "default", 1),
        None,
    ),
    ({"x": {"enum": ["low"], "default": "lo"}}, "default-does-not-fit", ("x", "default"), None),
    ({"x": {"type": "integer", "default": 9, "max": 3}}, "default-does-not-fit", ("x", "default"), None),
    ({"x": {"type": "string", "min": 1}}, "bound-does-not-apply", ("x", "min"), None),
    ({"x": {"type": "integer", "pattern": "a"}}, "bound-does-not-apply", ("x", "pattern"), None),
    ({"x": {"type": "string", "min_length": -1}}, "bad-bound", ("x", "min_length"), None),
    ({"x": {"type": "date", "max": "soon"}}, "bad-bound", ("x", "max"), None),
    ({"x": {"type": "integer", "min": 3, "max": 1}}, "bounds-crossed", ("x", "max"), None),
    ({"x": {"type": "decimal", "min": "10", "max": "9.5"}}, "bounds-crossed", ("x", "max"), None),
    ({"x": {"type": "string", "format": "mail"}}, "unknown-format", ("x", "format"), None),
    ({"x": {"type": "string", "pattern": "("}}, "bad-pattern", ("x", "pattern"), None),
    ({"x": {"type": "string", "pattern": "(?=a)"}}, "bad-pattern", ("x", "pattern"), None),
    ({"x": {"type": "string", "pattern": r"(a)\1"}}, "bad-pattern", ("x", "pattern"), None),
    ({"x": {"type": "string", "pattern": r"a\Z"}}, "bad-pattern", ("x", "pattern"), None),
    ({"x": {"type": "string", "pattern": "a{"}}, "bad-pattern", ("x", "pattern"), None),
]


@pytest.mark.parametrize(
    ("data", "code", "way", "stretch"), WRONG, ids=[f"{row[1]}-{n}" for n, row in enumerate(WRONG)]
)
def test_what_is_wrong_with_a_type(
    data: Any, code: str, way: tuple[str | int, ...], stretch: str | None
) -> None:
    _, findings = parse(data)
    assert [finding.code for finding in findings] == [code]
    place = findings[0].place
    assert place.address == (*PLACE.address, *way)
    if stretch is not None:
        text = data
        for step in way:
            text = text[step]
        assert text[place.start : place.end] == stretch


def test_what_is_broken_already_is_not_reported_again() -> None:
    for data in (
        "Broken",
        "list of Broken",
        {"one_of": ["Broken", "string"]},
        {"type": "Broken", "default": 3},
    ):
        assert not parse(data)[1]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("str", "string"),
        ("int", "integer"),
        ("Ordr", "Order"),
        ("bool", "boolean"),
        ("timestamp", "datetime"),
        ("dict", "map of …"),
        ("interval", "duration"),
        ("day", "date"),
        ("day", "duration"),
        ("hours", "duration"),
        ("hours", "integer"),
        ("5 days", "{type: duration, default: 5 days}"),
        ("string required", "list of T"),
        ("number of days", "list of T"),
    ],
)
def test_an_unknown_type_gets_a_suggestion(text: str, hint: str) -> None:
    assert f"`{hint}`" in parse(text)[1][0].hint


def test_records_may_mention_themselves() -> None:
    tree = Record("Tree")
    findings: list[Finding] = []
    parse_fields({"children": "list of Tree"}, PLACE, {"Tree": tree}, findings.append, tree)
    assert not findings
    assert show(tree.fields["children"].type) == "list of Tree"


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["type", "enum", "one_of", "default", "min", "max", "pattern", "format", "min_length", "x"]
            )
            | st.text(max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(PLAIN)
def test_any_data_at_all_is_read_without_an_exception(data: object) -> None:
    type_, _ = parse(data)
    assert show(type_)


def test_an_output_keeps_the_names_that_a_service_gives() -> None:
    findings: list[Finding] = []
    made = parse_type({"orderId": "string"}, Place(("output",)), {}, findings.append, "AskResult")
    assert not findings
    assert isinstance(made, Record)
    assert list(made.fields) == ["orderId"]
