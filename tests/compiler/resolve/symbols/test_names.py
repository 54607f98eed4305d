"""Names: looked up, in one form and style, none twice, none that looks like another."""

from __future__ import annotations

import unicodedata

import pytest

from wfc.compiler.resolve.symbols.names import skeleton

MODELS = {"fast": {"use": "openai:gpt-4o-mini"}}


def step(**more: object) -> dict[str, object]:
    return {
        "greet": {
            "kind": "llm",
            "accepts": "Asked",
            "model": "fast",
            "prompt": "Greet ${{ event.name }}.",
            "emit": "Greeted",
            **more,
        }
    }


@pytest.mark.parametrize(
    ("sections", "code", "at", "hint"),
    [
        ({"start": "Askt"}, "unknown-event", "Askt", "`Asked`"),
        ({"end": ["Greeted", "Graeted"]}, "unknown-event", "Graeted", "`Greeted`"),
        ({"steps": step(accepts="Aksed")}, "unknown-event", "Aksed", "`Asked`"),
        ({"steps": step(emit="Greted")}, "unknown-event", "Greted", "`Greeted`"),
        ({"steps": step(emit=[{"event": "Greted"}])}, "unknown-event", "Greted", "`Greeted`"),
        ({"steps": step(model="fats")}, "unknown-model", "fats", "`fast`"),
        (
            {"steps": step(retry="standart"), "retries": {"standard": {"max_attempts": 2}}},
            "unknown-retry",
            "standart",
            "",
        ),
        (
            {"steps": step(save={"mod": "x"}), "state": {"mood": "optional string"}},
            "unknown-state-field",
            "mod",
            "`mood`",
        ),
        (
            {"models": {"fast": {"use": "openai:b", "api_key": "KEY"}}, "secrets": ["KEYS"]},
            "unknown-secret",
            "KEY",
            "`KEYS`",
        ),
        ({"models": {"fast": {"use": "openai:b", "fallback": ["fst"]}}}, "unknown-model", "fst", "`fast`"),
        ({"events": {"Greeted": {"text": "strin"}}}, "unknown-type", "strin", "`string`"),
    ],
)
def test_a_name_that_is_not_declared_is_the_only_finding(resolved, sections, code, at, hint) -> None:
    result = resolved(**{"models": MODELS, "steps": step(), **sections})
    assert result.found == [(code, at)]
    assert hint in result.findings[0].hint


def test_a_tool_is_looked_up(resolved) -> None:
    result = resolved(
        tools={"find_name": {"python": "names:find", "args": {"name": "string"}, "output": "string"}},
        steps={
            "greet": {
                "kind": "tool",
                "accepts": "Asked",
                "tool": "find_nam",
                "with": {"x": 1},
                "emit": "Greeted",
            }
        },
    )
    assert result.found == [("unknown-tool", "find_nam")]


def test_one_form_for_one_name(resolved) -> None:
    wide = "Ｇreeted"  # with a wide G, which Python reads as a plain one
    assert unicodedata.normalize("NFKC", wide) == "Greeted"
    result = resolved(steps=step(emit=wide), models=MODELS)
    assert not result.found
    assert result.step("greet").emit.entries[0].emission.event.name == "Greeted"


def test_names_in_any_script(resolved) -> None:
    result = resolved(
        start="工单",
        end="Straße",
        events={"工单": {"标题": "string"}, "Straße": {"größe": "integer"}, "Asked": {}, "Greeted": {}},
        steps={
            "zählen": {
                "kind": "transform",
                "accepts": "工单",
                "emit": {"event": "Straße", "with": {"größe": "${{ event.标题 | length }}"}},
            }
        },
    )
    assert not result.errors


@pytest.mark.parametrize(
    ("sections", "code", "at", "hint"),
    [
        ({"workflow": "Greet"}, "not-snake-case", "Greet", "`greet`"),
        ({"models": {"Fast": {"use": "openai:b"}}, "steps": step(model="Fast")}, "not-snake-case", "Fast", "`fast`"),
        ({"steps": {"greetAll": step()["greet"]}}, "not-snake-case", "greetAll", "`greet_all`"),
        ({"steps": {"greet-all": step()["greet"]}}, "bad-name", "greet-all", ""),
        ({"steps": {"2greet": step()["greet"]}}, "bad-name", "2greet", ""),
        ({"steps": {"_greet": step()["greet"]}}, "bad-name", "_greet", ""),
        ({"end": "greeted", "events": {"greeted": {"text": "string"}, "Greeted": {}}, "steps": step(emit="greeted")},
         "not-pascal-case", "greeted", "`Greeted`"),
        ({"types": {"order_line": {"id": "string"}}, "events": {"Asked": {"name": "string", "o": "order_line"}}},
         "not-pascal-case", "order_line", "`OrderLine`"),
    ],
)  # fmt: skip
def test_the_style_of_names(resolved, sections, code, at, hint) -> None:
    result = resolved(**{"models": MODELS, "steps": step(), **sections})
    assert (code, at) in result.found
    assert {each.code for each in result.findings} <= {code, "look-alike-names"}
    assert any(hint in each.hint for each in result.findings)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Order", "\u041erder"), ("HttpDone", "HTTPDone"), ("Ax", "\u0391x"), ("Paid", "Pa\u0456d")],
)
def test_names_that_look_alike_are_reported(resolved, one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)
    result = resolved(models=MODELS, steps=step(), events={one: {}, other: {}})
    assert result.found == [("look-alike-names", other)]
    assert len(result.findings[0].related) == 1


@pytest.mark.parametrize(("one", "other"), [("Order", "Orders"), ("Ölung", "Olung"), ("А1", "Б1")])
def test_names_that_differ_are_not(resolved, one: str, other: str) -> None:
    assert not resolved(models=MODELS, steps=step(), events={one: {}, other: {}}).found


def test_a_type_and_an_event_cannot_share_a_name(resolved) -> None:
    result = resolved(types={"Asked": {"enum": ["a"]}}, models=MODELS, steps=step())
    assert result.found == [("name-declared-twice", "Asked")]


def test_two_spellings_of_one_name_are_one(resolved) -> None:
    composed, parted = "Café", unicodedata.normalize("NFD", "Café")
    result = resolved(models=MODELS, steps=step(), events={composed: {}, parted: {}})
    assert [code for code, _ in result.found] == ["name-declared-twice"]


@pytest.mark.parametrize(
    ("sections", "at"),
    [
        ({"types": {"Order": {"id": "string"}}}, "Order"),
        ({"types": {"Mood": {"enum": ["a", "b"]}}}, "Mood"),
        ({"tools": {"find": {"python": "a:b", "args": {}}}}, "find"),
        ({"retries": {"standard": {"max_attempts": 2}}}, "standard"),
        ({"secrets": ["KEY"]}, "KEY"),
        ({"models": {**MODELS, "careful": {"use": "openai:b"}}}, "careful"),
    ],
)
def test_what_nothing_uses_is_a_warning(resolved, sections, at) -> None:
    result = resolved(**{"models": MODELS, "steps": step(), **sections})
    assert result.found == [("unused-declaration", at)]
    assert not result.errors


def test_a_model_used_as_a_fallback_is_used(resolved) -> None:
    models = {"fast": {"use": "openai:b", "fallback": ["careful"]}, "careful": {"use": "openai:c"}}
    result = resolved(models=models, steps=step())
    assert not result.found
    fast = result.workflow.models[0]
    assert [each.name for each in fast.fallback] == ["careful"]


def test_fallbacks_that_lead_back_are_reported_once(resolved) -> None:
    models = {
        "fast": {"use": "openai:b", "fallback": ["careful"]},
        "careful": {"use": "openai:c", "fallback": ["last"]},
        "last": {"use": "openai:d", "fallback": ["fast"]},
    }
    assert [code for code, _ in resolved(models=models, steps=step()).found] == ["fallback-loop"]


def test_class_names_are_made_unlike_all_others(resolved) -> None:
    result = resolved(
        workflow="asked",
        models=MODELS,
        events={"GreetResult": {"text": "string"}},
        steps=step(output={"text": "string", "who": {"name": "string"}}),
    )
    assert not result.found
    assert result.workflow.class_name == "AskedWorkflow"
    assert [record.name for record in result.workflow.outputs] == ["GreetResult2", "GreetResultWho"]
