"""Declarations: types and events that mention each other, and what is left where parts are ill-shaped."""

from __future__ import annotations

import pytest

from wfc.compiler.types import UNKNOWN, Enumeration, ListOf, Optional, Record, show


def test_types_mention_each_other_in_any_order(resolved) -> None:
    result = resolved(
        types={
            "Folder": {"name": "string", "folders": "list of Folder", "owner": "Person"},
            "Person": {"mood": "Mood", "others": "People"},
            "People": {"type": "list of Person"},
            "Mood": {"enum": ["good", "bad"]},
            "Any": {"one_of": ["Folder", "Person"]},
        },
        events={"Asked": {"name": "string", "folder": "optional Folder", "any": "optional Any"}},
    )
    assert not result.found
    folder, person, mood = result.workflow.types
    assert folder.fields["folders"].type == ListOf(folder)
    assert folder.fields["owner"].type is person
    assert person.fields["others"].type == ListOf(person)
    assert person.fields["mood"].type == mood == Enumeration(("good", "bad"), "Mood")
    assert show(result.workflow.start.record.fields["any"].type) == "optional {one_of: [Folder, Person]}"


@pytest.mark.parametrize(
    "types",
    [
        {"Names": {"type": "list of Names"}},
        {"A": {"type": "list of B"}, "B": {"type": "optional A"}},
        {"A": {"one_of": ["string", "A"]}},
    ],
)
def test_a_type_that_is_made_of_itself(resolved, types) -> None:
    assert [code for code, _ in resolved(types=types).found] == ["type-of-itself"]


def test_an_event_may_be_a_fields_type(resolved) -> None:
    result = resolved(events={"Greeted": {"text": "string", "of": "optional Asked"}})
    assert not result.found
    of = result.workflow.end[0].record.fields["of"].type
    assert of == Optional(result.workflow.start.record)


def test_roles_and_order(resolved) -> None:
    result = resolved(events={"Between": {}})
    assert [(event.name, event.role) for event in result.workflow.events] == [
        ("Asked", "start"),
        ("Greeted", "end"),
        ("Between", "message"),
    ]
    assert result.workflow.whole


def test_start_and_end_must_differ(resolved) -> None:
    assert resolved(end=["Greeted", "Asked"]).found == [("start-event-ends", "Asked")]


def test_a_long_chain_of_types(resolved) -> None:
    types = {f"T{n}": {"type": f"list of T{n + 1}"} for n in range(40)} | {"T40": {"enum": ["a"]}}
    assert not resolved(types=types, events={"Asked": {"name": "string", "t": "optional T30"}}).found


@pytest.mark.parametrize(
    ("sections", "code"),
    [
        # each has one mistake, that the shape tells; nothing else may be said about it
        ({"events": {"Asked": {"name": "string"}, "Greeted": {"text": 7}}}, "wrong-type"),
        ({"events": {"Asked": {"name": "string"}, "Greeted": 7}}, "wrong-type"),
        ({"state": {"count": 7}, "steps": {"greet": {"kind": "transform", "accepts": "Asked",
          "save": {"count": "${{ state.count + 1 }}"}, "emit": {"event": "Greeted", "with": {"text": "x"}}}}},
          "wrong-type"),
        ({"state": 7, "steps": {"greet": {"kind": "transform", "accepts": "Asked",
          "save": {"count": 1}, "emit": {"event": "Greeted", "with": {"text": "x"}}}}}, "wrong-type"),
        ({"models": {"fast": {"us": "openai:b"}}, "steps": {"greet": {"kind": "llm", "accepts": "Asked",
          "model": "fast", "prompt": "x", "emit": "Greeted"}}}, "unknown-key"),
        ({"models": {"fast": 7}, "steps": {"greet": {"kind": "llm", "accepts": "Asked", "model": "fast",
          "prompt": "x", "emit": "Greeted"}}}, "wrong-type"),
        ({"tools": {"t": {"python": "a:b", "args": 7, "output": "string"}}, "steps": {"greet": {"kind": "tool",
          "accepts": "Asked", "tool": "t", "with": {"x": 1}, "emit": "Greeted"}}}, "wrong-type"),
        ({"tools": {"t": {"python": "a:b", "args": {}, "output": 7}}, "steps": {"greet": {"kind": "tool",
          "accepts": "Asked", "tool": "t", "emit": "Greeted"}}}, "wrong-type"),
        ({"types": {"Order": 7}, "events": {"Asked": {"name": "string", "o": "optional Order"}}}, "wrong-type"),
        ({"types": 7, "events": {"Asked": {"name": "string", "o": "optional Order"}}}, "wrong-type"),
        ({"steps": {"greet": {"kind": "transform", "accepts": "Asked",
          "emit": {"event": "Greeted", "with": 7}}}}, "wrong-type"),
        ({"steps": {"greet": {"kind": "llm", "accepts": "Asked", "model": "fast", "prompt": "x", "output": 7,
          "emit": {"event": "Greeted", "with": {"text": "${{ result.text }}"}}}},
          "models": {"fast": {"use": "openai:b"}}}, "wrong-type"),
        ({"steps": {"greet": {"kind": "transform", "accepts": 7,
          "emit": {"event": "Greeted", "with": {"text": "${{ event.nam }}"}}}}}, "wrong-type"),
        ({"retries": {"twice": {"max_attempts": 0}}, "models": {"fast": {"use": "openai:b"}}, "steps": {"greet": {
          "kind": "llm", "accepts": "Asked", "model": "fast", "prompt": "x", "retry": "twice", "emit": "Greeted"}}},
          "out-of-range"),
        ({"tests": [{"name": "x", "start": 7, "expect": {"end": "Greeted"}}]}, "wrong-type"),
    ],
)  # fmt: skip
def test_what_is_ill_shaped_is_said_once(resolved, sections, code) -> None:
    result = resolved(**sections)
    assert len(result.found) == 1, result.found
    assert result.findings[0].code == code


def test_a_step_that_is_left_out_makes_the_flow_incomplete(resolved) -> None:
    steps = {
        "greet": {"kind": "transform", "accepts": "Asked", "emit": "Between"},
        "other": {
            "kind": "dance",
            "accepts": "Between",
            "emit": {"event": "Greeted", "with": {"text": "x"}},
        },
    }
    result = resolved(steps=steps, events={"Between": {}})
    assert len(result.found) == 1
    assert result.workflow is not None
    assert not result.workflow.whole


def test_without_a_start_there_is_no_workflow(resolved) -> None:
    result = resolved(start="Nobody")
    assert result.workflow is None
    assert result.found == [("unknown-event", "Nobody")]


def test_a_field_of_unknown_type_takes_and_gives_anything(resolved) -> None:
    result = resolved(events={"Asked": {"name": "strng"}, "Greeted": {"text": "string"}})
    assert [code for code, _ in result.found] == ["unknown-type"]
    assert isinstance(result.workflow.start.record, Record)
    assert result.workflow.start.record.fields["name"].type == UNKNOWN
