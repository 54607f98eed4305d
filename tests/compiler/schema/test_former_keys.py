"""Keys of an earlier form of the language: one finding each, and a fix that says the same in today's form."""

from __future__ import annotations

import pytest
import yaml

from wfc.compiler.diagnostics import Diagnostic, Severity
from wfc.compiler.diagnostics.fixes import fix_until_stable
from wfc.compiler.passes import compile_text

SPEC = """\
wfc: 1
workflow: greet
start: Asked
end: Greeted
models:
  small: {{use: "openai:gpt-4o-mini"{model}}}
events:
  Asked: {{names: {{type: list of string{bounds}}}}}
  Greeted: {{text: string}}
steps:
  greet:
    kind: llm
    model: small
    accepts: Asked
    prompt: Greet them.
    retry: {{max_attempts: 3{retry}}}
    emit: {{event: Greeted, with: {{text: "${{{{ result }}}}"}}}}
  shout: {{kind: transform, accepts: Asked, emit: nothing}}
tests:
  - name: one
    start: {{names: [a]}}
    mock: {{greet: hi}}
    expect: {{{expect}}}
"""
PLAIN = {"model": "", "bounds": "", "retry": "", "expect": "end: Greeted"}


def findings(text: str) -> tuple[Diagnostic, ...]:
    return compile_text(text.encode(), "greet.yaml").diagnostics


@pytest.mark.parametrize(
    ("where", "former", "today"),
    [
        ("model", ", seed: 3", ", settings: {seed: 3}"),
        ("model", ", top_p: 0.5, seed: 3", ", settings: {seed: 3, top_p: 0.5}"),
        ("model", ", settings: {openai_user: me}, seed: 3", ", settings: {seed: 3, openai_user: me}"),
        ("bounds", ", min_items: 1", ", min_length: 1"),
        ("bounds", ", max_items: 9, min_items: 1", ", max_length: 9, min_length: 1"),
        ("retry", ", total_timeout: 1 min", ", within: 1 min"),
        ("expect", "never_ran: [shout]", "ran: {shout: 0}"),
        ("expect", "never_ran: shout", "ran: {shout: 0}"),
        ("expect", "ran: {greet: 1}, never_ran: [shout]", "ran: {shout: 0, greet: 1}"),
    ],
)
def test_a_former_key_is_told_and_mended(where: str, former: str, today: str) -> None:
    before = SPEC.format(**{**PLAIN, where: former})
    found = findings(before)
    assert {each.code for each in found} == {"former-key"}
    assert all(each.fix is not None or len(found) > 1 for each in found)
    fixed = fix_until_stable(before, found, findings)
    assert findings(fixed.text) == ()
    assert yaml.safe_load(fixed.text) == yaml.safe_load(SPEC.format(**{**PLAIN, where: today}))


@pytest.mark.parametrize(
    ("where", "former", "code"),
    [
        ("model", ", seed: many", "former-key"),
        ("model", ", settings: {seed: 1}, seed: 3", "former-key"),
        ("retry", ", within: 1 min, total_timeout: 2 min", "former-key"),
        ("expect", "ran: {shout: 1}, never_ran: [shout]", "former-key"),
        ("expect", "never_ran: []", "former-key"),
        ("expect", "never_ran: {shout: 1}", "former-key"),
    ],
)
def test_what_has_no_safe_fix_is_told_once(where: str, former: str, code: str) -> None:
    before = SPEC.format(**{**PLAIN, where: former})
    found = findings(before)
    assert [each.code for each in found] == [code], found
    assert fix_until_stable(before, found, findings).text == before


CALLS = """\
wfc: 1
workflow: calls
start: Asked
end: Told
events: {{Asked: {{name: string}}, Told: {{texts: list of string}}}}
steps:
  one:
    kind: tool
    accepts: Asked
    tool: {{python: "letters:invite", args: {{name: string}}, output: string}}
    {key}: {{name: "${{{{ event.name }}}}"}}
    emit: {{event: Told, with: {{texts: ["${{{{ result }}}}"]}}}}
  each:
    kind: map
    accepts: Asked
    in: "[event.name]"
    as: name
    max: 1
    do:
      {{kind: tool, tool: {{python: "letters:invite", output: string}}, {key}: {{name: "${{{{ name }}}}"}}}}
    emit: {{event: Told, with: {{texts: "${{{{ result }}}}"}}}}
"""


def test_what_a_step_gives_to_its_tool_stood_under_args() -> None:
    before, today = CALLS.format(key="args"), CALLS.format(key="with")
    found = findings(before)
    assert [each.code for each in found if each.severity is Severity.ERROR] == ["former-key"] * 2
    fixed = fix_until_stable(before, [each for each in found if each.fix], findings)
    assert fixed.text == today
    assert compile_text(fixed.text.encode(), "greet.yaml").python is not None


def test_args_beside_with_and_args_of_other_kinds_are_told_once() -> None:
    both = CALLS.format(key="with").replace("    with: {name", "    args: {}\n    with: {name", 1)
    assert [each.code for each in findings(both) if each.severity is Severity.ERROR] == ["former-key"]
    other = CALLS.format(key="with").replace("    kind: tool\n", "    kind: transform\n", 1)
    other = other.replace("    tool: {python", "    args: {}\n    # tool: {python", 1).replace(
        "    with: {name", "    # with: {name", 1
    )
    assert "former-key" not in [each.code for each in findings(other)]


def test_a_record_may_have_a_field_of_that_name() -> None:
    spec = (
        SPEC.format(**PLAIN)
        .replace("names: {type: list of string}", "names: {list: string, type: string, min_items: integer}")
        .replace("[a]", "{list: a, type: b, min_items: 3}")
    )
    assert findings(spec) == ()
