"""Values with expressions in them, held against the types that are wanted."""

from __future__ import annotations

import pytest

TYPES = {
    "Order": {"id": "string", "total": "number", "note": "optional string"},
    "Mood": {"enum": ["good", "bad"]},
}


def given(resolved, wanted: object, value: object, asked: object = None):
    return resolved(
        types=TYPES,
        events={
            "Asked": asked or {"name": "string", "order": "Order", "mood": "Mood"},
            "Greeted": {"value": wanted},
        },
        steps={
            "greet": {
                "kind": "transform",
                "accepts": "Asked",
                "emit": {"event": "Greeted", "with": {"value": value}},
            }
        },
    )


@pytest.mark.parametrize(
    ("wanted", "value"),
    [
        ("string", "Hello"),
        ("string", "Hello ${{ event.name }}"),
        ("string", "${{ event.name }}"),
        ("string", "a { b } c"),
        ("integer", 7),
        ("number", 7),
        ("number", "${{ event.name | length }}"),
        ("optional string", None),
        ("boolean", "${{ event.name == 'a' }}"),
        ("list of string", ["a", "${{ event.name }}"]),
        ("map of integer", {"a": 1, "b": "${{ event.name | length }}"}),
        ("Order", "${{ event.order }}"),
        ("Order", {"id": "${{ event.name }}", "total": 3}),
        ("list of Order", [{"id": "a", "total": 1}, "${{ event.order }}"]),
        ("any", {"deep": [{"er": "${{ event.order }}"}]}),
        ("Mood", "good"),
        ("Mood", "${{ event.mood }}"),
        ("string", "${{ event.mood }}"),
        ("date", "2026-03-29"),
        ("duration", "30s"),
        ("decimal", "1.50"),
        ({"one_of": ["Order", "string"]}, {"id": "a", "total": 1}),
        ({"one_of": ["Order", "string"]}, "text"),
        ({"one_of": ["string", "list of string"]}, ["a"]),
        ({"a": "string", "b": {"c": "integer"}}, {"a": "x", "b": {"c": 1}}),
    ],
)
def test_what_fits(resolved, wanted, value) -> None:
    assert not resolved_errors(given(resolved, wanted, value))


def resolved_errors(result) -> list[str]:
    return result.errors


@pytest.mark.parametrize(
    ("wanted", "value", "code", "at"),
    [
        ("string", 7, "wrong-value", "7"),
        ("integer", "Hello", "wrong-value", "Hello"),
        ("integer", "${{ event.name }}", "wrong-value", "${{ event.name }}"),
        ("string", None, "wrong-value", "null"),
        ("list of integer", [1, "b"], "wrong-value", "b"),
        ("list of string", "b", "wrong-value", "b"),
        ("string", {"a": 1}, "wrong-value", "a: 1"),
        ("string", [1], "wrong-value", "- 1"),
        ("Order", {"id": "a"}, "missing-entry", "id: a"),
        ("Order", {"id": "a", "total": 1, "totl": 2}, "unknown-entry", "totl"),
        ("Order", {"id": "a", "total": "b"}, "wrong-value", "b"),
        ("Mood", "god", "wrong-value", "god"),
        ("date", "29.3.2026", "wrong-value", "29.3.2026"),
        ("date", "${{ event.name }}", "wrong-value", "${{ event.name }}"),
        ("map of integer", {"a": "x"}, "wrong-value", "x"),
        ({"one_of": ["Order", "string"]}, {"id": "a", "totl": 1}, "unknown-entry", "totl"),
        ("Order", {"id": "a", "x": 1}, "unknown-entry", "x"),
    ],
)
def test_what_does_not(resolved, wanted, value, code, at) -> None:
    result = given(resolved, wanted, value)
    assert (code, at) in [(each, text.strip()) for each, text in result.found]
    assert {each for each, _ in result.found} <= {code, "unused-declaration", "missing-entry"}


def test_null_must_be_excluded_first(resolved) -> None:
    asked = {"name": "optional string"}
    result = given(resolved, "string", "${{ event.name }}", asked)
    assert ("wrong-value", "${{ event.name }}") in result.found
    assert "`default`" in result.findings[0].hint
    assert not given(resolved, "string", "${{ event.name | default('x') }}", asked).errors


HAND_ON = (
    "it may be null: give it a `default`, or hand it on as `optional string` and exclude null by a condition "
    "there"
)


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("${{ event.maybe }}", "it may be null: give it a `default`, or exclude null by a condition"),
        ("${{ event.map['a'] }}", "it may be null: give it a `default`, or exclude null by a condition"),
        ("${{ event.map[event.name] }}", HAND_ON),
        ("${{ event.list | first }}", HAND_ON),
        ("${{ event.list | first if event.maybe is none else 'a' }}", HAND_ON),
        ("${{ event.anything }}", "declare what it holds: its type is `any`"),
        ("${{ event.things['a'] }}", "declare what it holds: its type is `any`"),
        ("${{ event.name | from_json('any') }}", "declare what it holds: its type is `any`"),
    ],
)
def test_what_a_hint_advises_is_possible_there(resolved, value: str, hint: str) -> None:
    asked = {
        "name": "string",
        "maybe": "optional string",
        "map": "map of string",
        "list": "list of string",
        "anything": "any",
        "things": "map of any",
    }
    assert [each.hint for each in given(resolved, "string", value, asked).findings] == [hint]


def test_what_a_request_gives_is_declared_where_it_is_said(resolved) -> None:
    """`result` of a request without an `output`, and the body of its error."""
    greet = {
        "kind": "http",
        "accepts": "Asked",
        "method": "GET",
        "url": "https://a.example",
        "on_error": {"event": "Greeted", "with": {"text": "${{ error.body }}"}},
        "emit": {"event": "Greeted", "with": {"text": "${{ result }}"}},
    }
    assert sorted(each.hint for each in resolved(steps={"greet": greet}).findings) == [
        "declare the `output` of what it comes from",
        "say under `body` in this entry what the reply is made of, if it is that of a request",
    ]


def test_a_mistake_in_an_expression_is_not_also_a_wrong_value(resolved) -> None:
    result = given(resolved, "integer", "${{ event.nam }}")
    assert [code for code, _ in result.found if code != "unused-declaration"] == ["unknown-field"]


def test_a_field_that_there_is_none_of_still_has_its_expressions_read(resolved) -> None:
    result = resolved(
        steps={
            "greet": {
                "kind": "transform",
                "accepts": "Asked",
                "emit": {"event": "Greeted", "with": {"text": "x", "txt": "${{ event.nam }}"}},
            }
        }
    )
    assert sorted(result.found) == [("unknown-entry", "txt"), ("unknown-field", "nam")]


def test_a_misspelt_field_is_not_also_missed(resolved) -> None:
    emit = {"event": "Greeted", "with": {"txt": "hello"}}
    step = {"kind": "transform", "accepts": "Asked", "emit": emit}
    assert resolved(steps={"greet": step}).found == [("unknown-entry", "txt")]
    order = given(resolved, "Order", {"id": "a", "totl": 1})
    assert [code for code, _ in order.found if code != "unused-declaration"] == ["unknown-entry"]


def test_save_takes_values_of_the_states_types(resolved) -> None:
    def steps(save: object) -> dict[str, object]:
        return {
            "greet": {
                "kind": "transform",
                "accepts": "Asked",
                "save": save,
                "emit": {"event": "Greeted", "with": {"text": "x"}},
            }
        }

    state = {"count": {"type": "integer", "default": 0}, "names": {"type": "list of string", "default": []}}
    fine = resolved(
        state=state, steps=steps({"count": "${{ state.count + 1 }}", "names": ["${{ event.name }}"]})
    )
    assert not fine.found
    assert [save.field for save in fine.step("greet").save] == ["count", "names"]
    wrong = resolved(state=state, steps=steps({"count": "${{ event.name }}"}))
    assert wrong.found == [("wrong-value", "${{ event.name }}")]
    assert resolved(state=state, steps=steps(["count"])).found == [("no-result", "- count")]
    assert resolved(state={"count": "integer"}, steps=steps({"count": 1})).found == [
        ("state-without-default", "count")
    ]


def test_save_by_name_takes_the_results_fields(resolved) -> None:
    def result(output: object, save: object, state: object):
        step = {
            "kind": "llm",
            "accepts": "Asked",
            "model": "fast",
            "prompt": "x",
            "output": output,
            "save": save,
        }
        emit = {"event": "Greeted", "with": {"text": "x"}}
        return resolved(
            models={"fast": {"use": "openai:b"}}, state=state, steps={"greet": {**step, "emit": emit}}
        )

    fine = result({"mood": "string"}, ["mood"], {"mood": "optional string"})
    assert not fine.found
    assert fine.step("greet").save[0].value.expression.text == "result.mood"
    assert result({"mod": "string"}, ["mood"], {"mood": "optional string"}).found == [
        ("result-without-field", "mood")
    ]
    assert result("string", ["mood"], {"mood": "optional string"}).found == [("result-without-field", "mood")]
    assert result({"mood": "integer"}, ["mood"], {"mood": "optional string"}).found == [
        ("wrong-value", "mood")
    ]
    assert result({"mood": "string"}, ["mod"], {"mood": "optional string"}).found[0] == (
        "unknown-state-field",
        "mod",
    )
