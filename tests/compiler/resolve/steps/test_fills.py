"""Filling: `with`, then the result's field, then the whole result, then the accepted event's field."""

from __future__ import annotations

import pytest

MODELS = {"fast": {"use": "openai:gpt-4o-mini"}}


def spec(
    resolved, *, asked: object, greeted: object, output: object = None, emit: object = "Greeted", **sections
):
    step = {"kind": "llm", "accepts": "Asked", "model": "fast", "prompt": "Hello.", "emit": emit}
    if output is not None:
        step["output"] = output
    events = {"Asked": asked, "Greeted": greeted}
    return resolved(models=MODELS, events=events, steps={"greet": step}, **sections)


def fills(result) -> dict[str, tuple[str, str]]:
    emit = result.step("greet").emit.entries[-1].emission
    return {
        fill.field: (
            fill.how,
            fill.value.expression.text if fill.value.expression else repr(fill.value.constant),
        )
        for fill in emit.fills
    }


@pytest.mark.parametrize(
    ("asked", "output", "greeted", "emit", "expected"),
    [
        # with comes first
        (
            {"text": "string"},
            {"text": "string"},
            {"text": "string"},
            {"event": "Greeted", "with": {"text": "hi"}},
            {"text": ("with", "'hi'")},
        ),
        # then the result's field of that name, before the event's
        ({"text": "string"}, {"text": "string"}, {"text": "string"}, "Greeted",
         {"text": ("result field", "result.text")}),
        # then the whole result, for the one field that is open
        ({"id": "string"}, None, {"text": "string"}, "Greeted", {"text": ("whole result", "result")}),
        ({"id": "string"}, {"x": "string"}, {"id": "string", "r": "optional any"}, "Greeted",
         {"id": ("event field", "event.id")}),
        # a field of the event that does not fit is no other way to read it
        ({"score": "string"}, "integer", {"score": "number"}, "Greeted", {"score": ("whole result", "result")}),
        # an integer widens
        ({"name": "string"}, "integer", {"score": "number"}, "Greeted", {"score": ("whole result", "result")}),
        # two are open: the whole result is for neither
        (
            {"id": "string", "text": "string"},
            "string",
            {"id": "string", "text": "string"},
            "Greeted",
            {"id": ("event field", "event.id"), "text": ("event field", "event.text")},
        ),
        # `with` closes one of them
        (
            {"id": "string"},
            "string",
            {"id": "string", "text": "string"},
            {"event": "Greeted", "with": {"id": "${{ event.id }}"}},
            {"id": ("with", "event.id"), "text": ("whole result", "result")},
        ),
        # what `with` gives a field as a whole is for that field alone
        (
            {"id": "string"},
            "string",
            {"id": "string", "text": "string"},
            {"event": "Greeted", "with": {"text": "${{ result }}"}},
            {"id": ("event field", "event.id"), "text": ("with", "result")},
        ),
        # a part of it, or a text made with it, is not the whole
        (
            {"x": "string"},
            "string",
            {"id": "string", "text": "string"},
            {"event": "Greeted", "with": {"text": "about ${{ result }}"}},
            {"id": ("whole result", "result"), "text": ("with", "None")},
        ),
        # an optional field is filled from the event too
        ({"id": "string", "note": "string"}, {"id": "string"}, {"id": "string", "note": "optional string"}, "Greeted",
         {"id": ("result field", "result.id"), "note": ("event field", "event.note")}),
        # and one with a default
        ({"id": "string", "n": "integer"}, {"id": "string"}, {"id": "string", "n": {"type": "integer", "default": 1}},
         "Greeted", {"id": ("result field", "result.id"), "n": ("event field", "event.n")}),
        # an optional field takes an optional value by name
        ({"name": "string"}, {"note": "optional string"}, {"note": "optional string"}, "Greeted",
         {"note": ("result field", "result.note")}),
    ],
)  # fmt: skip
def test_each_field_is_filled_by_the_first_that_has_it(
    resolved, asked, output, greeted, emit, expected
) -> None:
    result = spec(resolved, asked=asked, output=output, greeted=greeted, emit=emit)
    assert {each.code for each in result.findings} <= {"unused-result"}
    assert fills(result) == expected


@pytest.mark.parametrize(
    ("asked", "output", "greeted", "emit"),
    [
        ({"text": "string"}, "string", {"text": "string"}, "Greeted"),
        ({"score": "integer"}, "integer", {"score": "number"}, "Greeted"),
        ({"id": "string"}, "string", {"id": "string", "n": "integer"}, {"event": "Greeted", "with": {"n": 1}}),
    ],
)  # fmt: skip
def test_a_field_that_the_whole_result_and_the_event_would_fill_is_asked_for(
    resolved, asked, output, greeted, emit
) -> None:
    result = spec(resolved, asked=asked, output=output, greeted=greeted, emit=emit)
    assert result.found == [("unclear-whole", "Greeted")]


@pytest.mark.parametrize(
    ("emit", "asked", "hint"),
    [
        ("Greeted", "string", "write `with: {text: …}`"),
        ({"event": "Greeted", "with": {"more": "x"}}, "string", "add `text: …` to `with`"),
        ("Greeted", "integer", "write `with: {text: …}`, or change"),
        ({"event": "Greeted", "with": {"more": "x"}}, "integer", "add `text: …` to `with`, or change"),
    ],
)
def test_a_field_that_is_to_be_given_is_added_where_others_are(resolved, emit, asked, hint) -> None:
    named = "text" if asked == "integer" else "name"
    greeted = {"text": "string", "more": "optional string"}
    result = spec(resolved, asked={named: asked}, output={"mood": "string"}, greeted=greeted, emit=emit)
    assert [each.hint.startswith(hint) for each in result.findings] == [True], result.findings


@pytest.mark.parametrize(
    ("asked", "output", "greeted", "words"),
    [
        ({"name": "string"}, {"mood": "string"}, {"text": "string"}, ["`text`", "`result`", "`event`"]),
        ({"name": "string"}, "integer", {"text": "string"}, ["`text`", "integer"]),
        ({"name": "string"}, "string", {"text": "string", "more": "string"}, ["`text` and `more`"]),
        ({"name": "string"}, {"type": "any"}, {"text": "string"}, ["any, which fills nothing"]),
        ({"name": "string"}, {"one_of": ["string", "integer"]}, {"text": "string"}, ["`text`"]),
    ],
)
def test_a_required_field_that_nothing_fills(resolved, asked, output, greeted, words) -> None:
    result = spec(resolved, asked=asked, output=output, greeted=greeted)
    assert result.found == [("unfilled-field", "Greeted")]
    assert all(each in result.findings[0].message for each in words)


@pytest.mark.parametrize(
    ("asked", "output", "greeted"),
    [
        ({"name": "string"}, {"text": "integer"}, {"text": "string"}),
        ({"name": "string"}, {"text": "integer"}, {"text": "optional string"}),  # for optional fields too
        ({"name": "string"}, {"text": "optional string"}, {"text": "string"}),
        ({"text": "integer"}, {"mood": "string"}, {"text": "string"}),
        ({"text": "optional string"}, {"mood": "string"}, {"text": "string"}),
    ],
)
def test_a_name_that_matches_with_another_type_is_an_error(resolved, asked, output, greeted) -> None:
    result = spec(resolved, asked=asked, output=output, greeted=greeted)
    assert result.found == [("wrong-fill", "Greeted")]


def test_a_condition_that_excludes_null_lets_a_value_in(resolved) -> None:
    result = spec(
        resolved,
        asked={"note": "optional string"},
        output={"mood": "string"},
        greeted={"note": "string"},
        emit=[
            {"event": "Greeted", "when": 'result.mood == "a"', "with": {"note": "x"}},
            {"event": "Greeted", "when": "event.note is none", "with": {"note": "y"}},
            "Greeted",
        ],
    )
    assert not result.found
    assert fills(result) == {"note": ("event field", "event.note")}


def test_a_result_that_may_be_null_is_narrowed_by_the_entries_before(resolved) -> None:
    result = spec(
        resolved,
        asked={"name": "string"},
        output="optional Found",
        types={"Found": {"text": "string"}},
        greeted={"text": "string"},
        emit=[{"event": "Greeted", "when": "result is none", "with": {"text": "x"}}, "Greeted"],
    )
    assert not result.found
    assert fills(result) == {"text": ("result field", "result.text")}


def test_of_several_accepted_events_each_must_have_the_field(resolved) -> None:
    def steps(greeting: str) -> dict[str, object]:
        return {
            "ask": {
                "kind": "transform",
                "accepts": "Asked",
                "emit": {"event": "Again", "with": {"other": "x"}},
            },
            "greet": {"kind": "transform", "accepts": ["Asked", "Again"], "emit": greeting},
        }

    events = {"Asked": {"name": "string"}, "Again": {"name": "optional string", "other": "string"}}
    result = resolved(events={**events, "Greeted": {"name": "optional string"}}, steps=steps("Greeted"))
    assert not result.found
    result = resolved(events={**events, "Greeted": {"other": "string"}}, steps=steps("Greeted"))
    assert result.found == [("unfilled-field", "Greeted")]
    assert "only `Again` has it" in result.findings[0].message


JOIN = """
wfc: 1
workflow: join
start: Asked
end: Greeted
events:
  Asked: {name: string}
  NameFound: {name: string, score: integer}
  TitleFound: {title: string, score: integer}
  Greeted: {%s}
steps:
  find_name:
    kind: transform
    accepts: Asked
    emit: {event: NameFound, with: {score: 1}}
  find_title:
    kind: transform
    accepts: Asked
    emit: {event: TitleFound, with: {title: Dr., score: 2}}
  greet:
    kind: transform
    accepts: %s
    emit: Greeted
"""


def test_a_join_fills_from_what_one_of_its_events_alone_has(resolved) -> None:
    result = resolved(JOIN % ("name: string, title: string", "{all: [NameFound, TitleFound]}"))
    assert not result.found
    assert fills(result) == {"name": ("event field", "events.name"), "title": ("event field", "events.title")}


def test_but_not_from_what_two_have(resolved) -> None:
    result = resolved(JOIN % ("score: integer", "{all: [NameFound, TitleFound]}"))
    assert result.found == [("unfilled-field", "Greeted")]


@pytest.mark.parametrize(
    "accepts",
    [
        "{any: [NameFound, TitleFound]}",
        "{any: [NameFound, TitleFound], count: 1}",
        "{all: [NameFound, TitleFound], within: 20s, on_timeout: proceed}",
    ],
)
def test_and_not_from_what_may_be_absent(resolved, accepts) -> None:
    assert resolved(JOIN % ("name: string", accepts)).found == [("wrong-fill", "Greeted")]
    assert resolved(JOIN % ("name: optional string", accepts)).found == []


def batch(resolved, *, chapter: str, with_: str = ""):
    return resolved(f"""
wfc: 1
workflow: batch
start: Asked
end: Greeted
types:
  Part: {{title: string, size: integer}}
events:
  Asked: {{parts: list of Part, title: string}}
  Chapter: {{{chapter}}}
  Greeted: {{}}
steps:
  greet:
    kind: transform
    accepts: Asked
    emit:
      - each: {{in: event.parts, as: part, event: Chapter{with_}, max: 9}}
  collect:
    kind: transform
    accepts: {{each: Chapter}}
    emit: Greeted
""")


@pytest.mark.parametrize(
    ("chapter", "with_", "expected"),
    [
        ("title: string", "", {"title": ("item field", "part.title")}),
        ("part: Part", "", {"part": ("whole item", "part")}),
        ("whole: Part", "", {"whole": ("whole item", "part")}),
        ("part: Part, title: string", "", {"part": ("whole item", "part"), "title": ("item field", "part.title")}),
        ("title: string", ", with: {title: x}", {"title": ("with", "'x'")}),
        ("size: number, parts: list of Part", "",
         {"size": ("item field", "part.size"), "parts": ("event field", "event.parts")}),
    ],
)  # fmt: skip
def test_in_an_each_the_item_fills_first(resolved, chapter, with_, expected) -> None:
    result = batch(resolved, chapter=chapter, with_=with_)
    assert not result.found
    emit = result.step("greet").emit.entries[0].emission.emit
    assert {
        fill.field: (
            fill.how,
            fill.value.expression.text if fill.value.expression else repr(fill.value.constant),
        )
        for fill in emit.fills
    } == expected


@pytest.mark.parametrize("key", ["on_error", "on_limit"])
def test_without_a_result_only_with_and_the_event_fill(resolved, key) -> None:
    entry = {"event": "Greeted"}
    step = {
        "kind": "llm",
        "accepts": "Asked",
        "model": "fast",
        "prompt": "Hello.",
        "max_runs": 3,
        "emit": "Greeted",
        key: [entry] if key == "on_error" else entry,
    }
    result = resolved(models=MODELS, steps={"greet": step})
    assert result.found == [("unfilled-field", "Greeted")]
    assert "result" not in result.findings[0].message
