"""What findings propose: nothing that is wrong as well, and no fix that only a person can finish."""

from __future__ import annotations

import itertools

import pytest

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.diagnostics.fixes import apply_fixes
from wfc.compiler.passes import check_text

SPEC = """\
wfc: 1
workflow: shown
start: Asked
end: Told
events: {{Asked: {{price: {type}}}, Told: {{}}}}
steps:
  go: {{kind: transform, accepts: Asked, emit: Told}}
tests:
  - {{name: once, start: {{{given}: {value}}}, expect: {{end: Told}}}}
"""
VALUES = {
    "true": "boolean",
    "[1]": "list of integer",
    "{a: 1}": "map of integer",
    "3": "integer",
    "some": "string",
    "'2020-01-01'": "date",
}
"""A value of each sort, and a type that has it."""


def found_in(text: str) -> tuple[Diagnostic, ...]:
    return check_text(text.encode(), "spec.yaml").diagnostics


def given(name: str, value: str, type_: str) -> str:
    """A spec whose test gives a value under a misspelt name."""
    return SPEC.format(given=name, value=value, type=type_)


@pytest.mark.parametrize(("value", "type_"), list(itertools.product(VALUES, VALUES.values())))
def test_a_field_that_cannot_hold_the_value_is_not_proposed(value: str, type_: str) -> None:
    plain = {"integer", "string", "date"}
    suits = VALUES[value] == type_ or {VALUES[value], type_} <= plain
    found = found_in(given("prive", value, type_))
    entry = next(each for each in found if each.code == "unknown-entry")
    assert (entry.hint == "did you mean `price`?") == suits
    assert (entry.fix is not None) == suits


@pytest.mark.parametrize("before", ["", "(", "( ", "((", "( ( "])
@pytest.mark.parametrize("after", ["", " ~ 'x'", " | upper", " ~ ('a' | upper)"])
def test_a_default_is_left_out_and_no_bracket_with_it(before: str, after: str) -> None:
    closing = before[::-1].replace("(", ")")
    words = f"{before}event.price | default('none'){closing}{after}"
    text = given("price", "some", "string")
    text = text.replace("Told: {}", "Told: {said: string}")
    text = text.replace("emit: Told", f'emit: {{event: Told, with: {{said: "${{{{ {words} }}}}"}}}}')
    (finding,) = found_in(text)
    assert finding.code == "default-never-used"
    assert apply_fixes(text, [finding], {"safe"}) == (text, [])
    mended, _ = apply_fixes(text, [finding], {"unsafe"})
    assert f"${{{{ {before}event.price{closing}{after} }}}}" in mended
    assert found_in(mended) == ()


@pytest.mark.parametrize("sign", ["?.price", " ?? 'none'"])
def test_what_a_person_has_to_fill_in_is_no_fix(sign: str) -> None:
    text = given("price", "some", "string")
    text = text.replace("emit: Told", f'save: {{}}, title: "${{{{ event{sign} }}}}", emit: Told')
    found = found_in(text)
    assert not [
        each for each in found if each.fix is not None and "…" in "".join(e.text for e in each.fix.edits)
    ]


def test_a_step_without_an_action_is_not_proposed_for_a_mock() -> None:
    text = given("price", "3", "integer").replace("start: {price", "mock: {goo: {}}, start: {price")
    (finding,) = found_in(text)
    assert (finding.code, finding.hint) == ("unknown-step", "declare it under `steps`")


@pytest.mark.parametrize("value", ["0", "1.5", "true"])
def test_no_number_in_quotes_is_proposed_for_an_address(value: str) -> None:
    text = given("price", "3", "integer").replace("kind: transform", f"kind: http, url: {value}")
    finding = next(each for each in found_in(text) if each.code == "wrong-type")
    assert finding.fix is None
    assert "https://" in finding.hint


@pytest.mark.parametrize("key", ["when", "that", "in", "keep", "until"])
def test_quotes_are_not_the_only_proposal_where_an_expression_stands_by_itself(key: str) -> None:
    (finding,) = found_in(f"wfc: 1\nsteps: {{go: {{{key}: ${{{{ event.n == 2 }}}}}}}}\n")
    assert finding.code == "expression-needs-quotes"
    assert finding.hint.endswith(f"where `{key}` is the language's own, leave out `${{{{` and `}}}}`")
    assert finding.fix is None


def test_who_writes_in_another_manner_has_not_slipped_twice() -> None:
    types = given("price", "3", "order_id").replace("steps:", "types: {OrderPaid: {paid: boolean}}\nsteps:")
    finding = next(each for each in found_in(types) if each.code == "unknown-type")
    assert finding.fix is None or finding.fix.applicability == "display"


OUTER = """\
wfc: 1
workflow: shown
start: Asked
end: Told
secrets: [KEY]
events: {Asked: {data: any}, Told: {said: string}, Heard: {}}
models: {fast: {use: "openai:gpt-4o", api_key: KEY}}
state: {kept: {type: any, default: 1}}
config: {given: any}
"""
STEP = "steps:\n  go: {kind: http, method: GET, url: https://desk.example/, accepts: Asked, %s}\n"
SAID = "emit: {event: Told, with: {said: '${{ %s }}'}}"
SOURCES = {
    "event.data": "the event's field",
    "inputs.data": "the start event's field",
    "state.kept": "the field of the state",
    "config.given": "the field of the config",
    "result": "`output`",
}


@pytest.mark.parametrize("path", SOURCES)
def test_what_is_of_any_type_is_declared_where_it_comes_from(path: str) -> None:
    found = found_in(OUTER + STEP % (SAID % f"{path}.name"))
    (finding,) = [each for each in found if each.code == "no-fields"]
    assert SOURCES[path] in finding.hint


def test_the_body_of_a_refusal_is_declared_with_the_entry() -> None:
    fails = (
        "on_error: {event: Told, with: {said: '${{ error.body.why }}'}}, emit: {event: Told, with: {said: a}}"
    )
    (finding,) = [each for each in found_in(OUTER + STEP % fails) if each.code == "no-fields"]
    assert "`body: {reason: string}`" in finding.hint


@pytest.mark.parametrize("name", ["options", "choices", "values"])
@pytest.mark.parametrize(
    ("given", "says"), [("event.data", "`from`"), ("[a, b]", "write `enum` in place of `type`")]
)
def test_choices_beside_a_type_are_one_finding(name: str, given: str, says: str) -> None:
    form = f"form: {{room: {{type: string, {name}: {given}}}}}, title: x, assign: ['user:a'], within: 1 h"
    ends = "on_timeout: Heard, emit: Heard"
    text = OUTER + f"steps:\n  go: {{kind: human, accepts: Asked, {form}, {ends}}}\n"
    (finding,) = [each for each in found_in(text) if "type" in each.code]
    assert finding.code == "unknown-type-key"
    assert says in finding.hint


PLAIN = {
    "settings": "models: {other: {use: 'openai:gpt-4o', api_key: KEY, settings: {user: '%s'}}}",
    "deep settings": "models: {other: {use: 'openai:gpt-4o', api_key: KEY, settings: {a: [{b: '%s'}]}}}",
    "topic of a trigger": "triggers: {news: {topic: '%s', with: {data: 1}}}",
    "header": "triggers: {a: {webhook: a, auth: {hmac: {secret: KEY, header: '%s'}}, with: {data: 1}}}",
    "topic of what is received": "receives: {Heard: {topic: '%s'}}",
    "to": "steps: {go: {kind: send, accepts: Asked, to: '%s', to_key: run.id, event: Heard, emit: Heard}}",
    "topic": "steps: {go: {kind: send, accepts: Asked, topic: '%s', event: Heard, emit: Heard}}",
    "version": "version: '%s'",
    "description": "description: '%s'",
}


def plain(name: str, words: str) -> str:
    """A spec with some words at a place of `PLAIN`."""
    outer = OUTER.replace("models: {fast", "agents: {} # {fast") if "models" in PLAIN[name] else OUTER
    step = "" if "steps" in PLAIN[name] else STEP % "emit: nothing"
    return outer + PLAIN[name] % words + "\n" + step


@pytest.mark.parametrize("name", PLAIN)
def test_an_expression_is_told_where_texts_are_plain(name: str) -> None:
    found = found_in(plain(name, "${{ run.id }}"))
    assert [each.code for each in found].count("expression-in-plain-text") == 1


@pytest.mark.parametrize("name", ["topic of a trigger", "header", "topic of what is received", "to", "topic"])
def test_no_name_of_what_is_outside_is_empty(name: str) -> None:
    found = found_in(plain(name, " "))
    assert [each.message for each in found if each.code == "bad-name"] == [
        "` ` cannot be a name: it is empty"
    ]


@pytest.mark.parametrize(
    ("written", "field", "says"),
    [
        ("texts.hello", "name", "a declared text is put into another by its name: `{% use NAME %}`"),
        ("prompts.hello", "name", "a declared text is put into another by its name: `{% use NAME %}`"),
        ("models.fast", "name", "no expression reads `models`: a step names its model under `model`"),
        ("tools.look", "name", "no expression reads `tools`: a step names its tool under `tool`"),
        ("texts", "texts", "write `event.texts`"),
        ("tools", "tools", "write `event.tools`"),
    ],
)
def test_a_section_is_no_name_unless_a_field_is_called_so(written: str, field: str, says: str) -> None:
    spec = (
        "wfc: 1\nworkflow: greet\nstart: Asked\nend: Done\n"
        f"events:\n  Asked: {{{field}: string}}\n  Done: {{text: string}}\n"
        "steps:\n  greet:\n    kind: transform\n    accepts: Asked\n"
        f"    emit: {{event: Done, with: {{text: '${{{{ {written} }}}}'}}}}\n"
    )
    (found,) = check_text(spec.encode(), "spec.yaml").diagnostics
    assert (found.code, found.hint, found.fix) == (
        "unknown-name",
        says,
        None if field == "name" else found.fix,
    )
