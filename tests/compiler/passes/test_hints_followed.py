"""What is said of a mistake leads on: who follows a hint to the letter meets no finding without a way."""

from __future__ import annotations

import pytest

from wfc.compiler.passes import check_text

SPEC = """\
wfc: 1
workflow: base
start: Came
end: Done
config: {most: integer, wiki: string}
state:
  found: {type: string, default: ""}
types:
  Line: {id: string, price: number}
events:
  Came: {name: string, n: integer, mood: string, lines: list of Line}
  A: {v: integer, x: string}
  B: {v: integer}
  Done: {text: string}
tools:
  look:
    http: {method: GET, url: "${{ config.wiki }}/${{ args.title }}"}
    args: {title: string}
    output: {body: string}
steps:
  go:
    kind: transform
    accepts: Came
    max_runs: 3
    emit:
      - {event: A, when: event.n > 5, with: {v: 1, x: "${{ event.name }}"}}
      - event: B
        when: event.mood == "good"
        with: {v: 2}
      - {event: B, with: {v: 3}}
  join:
    kind: tool
    accepts: {any: [A, B]}
    tool: look
    with: {title: "${{ inputs.name }}"}
    emit:
      event: Done
      with: {text: "${{ result.body }}"}
"""
IN_BRACES = "event.n > 5"
IN_BLOCK = 'event.mood == "good"'
FIELD = '"${{ event.name }}"'
BODY = '"${{ result.body }}"'
STATE = 'state:\n  found: {type: string, default: ""}\n'
TOOL = "    tool: look"
HEAD = "    accepts: Came\n    max_runs: 3\n    emit:\n"
IN_PLACE = "    tool: {python: 'a:b', output: {body: string}}"
BY_TOOL = "the tool says itself what it gives"
BY_ITSELF = 'a condition stands by itself: leave out `"{% if` and `%}"`'
BARE = "`event.mood`, without the quotes and braces around it"
COMPARED = '`event.mood == "good"`, without the quotes and braces around the name'
ONCE = "an expression is written `${{ config.most }}`, in one pair"
SECOND = '"{{event.mood | format("%d.%m") == "b"}}"'


def test_what_the_mistakes_are_made_in_is_right() -> None:
    assert not check_text(SPEC.encode(), "spec.yaml").diagnostics


@pytest.mark.parametrize(
    ("old", "new", "code", "hint"),
    [
        # a step that is called like a key of one
        ("  go:\n    kind: transform\n", "  emit:\n", "missing-key", "`kind`: what the step does"),
        ("  go:\n    kind: transform\n", "  keep:\n", "missing-key", "`kind`: what the step does"),
        # expressions with quotes and braces around them
        (IN_BRACES, "'\"{% if \"price\" in event.name %}\"'", "unexpected-token", BY_ITSELF),
        (IN_BLOCK, "'\"{% if \"price\" in event.name %}\"'", "unexpected-token", BY_ITSELF),
        (IN_BLOCK, f"'{SECOND}'", "unexpected-token", 'leave out `"{{` and `}}"`'),
        (IN_BLOCK, SECOND, "syntax-error", "a text with `\"` in it stands in `'`, as a whole"),
        (IN_BRACES, SECOND, "syntax-error", "a text with `\"` in it stands in `'`, as a whole"),
        (IN_BLOCK, "'\"{% if event.n > 5 %}\"'", "not-a-condition", "stands without quotes and braces around it"),
        (IN_BLOCK, "\"'event.n > 5'\"", "not-a-condition", "a condition stands without quotes around it"),
        ("max_runs: 3", "max_runs: ${{ ${{ config.most }} }}", "wrong-value", ONCE),
        ("max_runs: 3", "max_runs: ${{ {{ config.most }} }}", "wrong-value", ONCE),
        # values with quotes and braces around them
        (IN_BLOCK, "f'{event.mood}' == \"good\"", "unexpected-token", BARE),
        (IN_BRACES, "f'{event.mood}' == \"good\"", "syntax-error", COMPARED),
        (IN_BLOCK, "'{event.mood}' == \"good\"", "syntax-error", COMPARED),
        (IN_BRACES, "'${{ event.mood }}' == \"good\"", "syntax-error", COMPARED),
        (IN_BRACES, "\"'{event.mood}' == 'good'\"", "not-comparable", "write `event.mood`, without quotes and braces"),
        (BODY, "\"${{ f'{result.body}' | upper }}\"", "unexpected-token", "write `result.body`, without the quotes"),
        (BODY, "'${{ f'{result.body}' | upper }}'", "syntax-error", "write `result.body`, without the quotes"),
        (BODY, "\"${{ f'{result.body} at last' }}\"", "unexpected-token", "values are put into a text by `~`"),
        # backticks
        (IN_BLOCK, "`event.n > 5`", "syntax-error", "leave the backticks out: what is asked stands by itself"),
        (IN_BRACES, "`event.n > 5`", "syntax-error", "leave the backticks out: what is asked stands by itself"),
        (IN_BRACES, '"`event.n > 5`"', "stray-character", "write `event.n > 5`, without the backticks"),
        (IN_BRACES, '`${event.mood}` == "good"', "syntax-error", "write `event.mood`, without the backticks and"),
        (BODY, '"${{ `${result.body}` }}"', "stray-character", "write `result.body`, without the backticks"),
        (BODY, '"${{ `fine` }}"', "stray-character", "texts stand in straight quotes"),
        (BODY, "`${result.body}`", "syntax-error", 'a value is put in by `"${{ result.body }}"`'),
        # which quotes
        (IN_BRACES, "event['mood'] == 'good'", "syntax-error", 'a text with a bracket in it stands in `"`'),
        (IN_BRACES, 'event["mood"] == "good"', "syntax-error", "a text with a bracket in it stands in `'`"),
        # what a tool gives
        (TOOL, f"{TOOL}\n    outputs: {{a: b}}", "unknown-key", BY_TOOL),
        (TOOL, f"{IN_PLACE}\n    outputs: {{a: b}}", "unknown-key", BY_TOOL),
        (TOOL, f"{IN_PLACE}\n    output_schema: {{a: string}}", "unknown-key", BY_TOOL),
        (TOOL, f"{TOOL}\n    output: {{body: string}}", "wrong-value", f"leave out the step's `output`: {BY_TOOL}"),
        (TOOL, f"{TOOL}\n    output: string", "wrong-value", f"leave out the step's `output`: {BY_TOOL}"),
        # names of other systems
        (BODY, '"${{ env.found }}"', "unknown-name", "write `state.found`; what the environment gives"),
        (BODY, '"${{ env.wiki }}"', "unknown-name", "write `config.wiki`"),
        (BODY, '"${{ env.other }}"', "unknown-name", "what the environment gives is declared under `config`"),
        (FIELD, '"${{ [github.event.id for line in event.lines] | first }}"', "unknown-name", "write `line.id`"),
        (FIELD, '"${{ github.event.id }}"', "unknown-name", "leave out `github.`; `event` has no field `id`"),
        ("${{ config.wiki }}", "${{ $.wiki }}", "stray-character", "or `config.name`; nothing is called `$`"),
        ("start: Came", "start: Came\nkey: $.name", "stray-character", "as in `inputs.name`"),
        (IN_BRACES, "$.n > 5", "stray-character", "as in `event.name`"),
        # a blank behind a dollar sign
        (BODY, '"order-$ {{ result.body }}"', "braces-without-dollar", "the blank between `$` and `{{`: `${{`;"),
        (BODY, '"order-$ {result.body}"', "expression-as-text", "and the braces: `${{ result.body }}`; if a"),
        # two bounds of a join
        ("{any: [A, B]}", "{any: [A, B], until: inputs.name, on_timeout: proceed, timeout: 30s}",
         "unknown-key", "`within: 30s`, also beside `until`: the earlier end counts"),
        ("{any: [A, B]}", "{any: [A, B], within: 2h, on_timeout: proceed, deadline: 3h}",
         "unknown-key", "until when it waits is said by `until`, and the earlier end"),
        # sections
        (STATE, "variables: {a: 1}\n", "unknown-key", "under `state`, what is set from outside under `config`"),
        (STATE, "vars: {found: string}\n", "unknown-key", "under `state`, what is set from outside under `config`"),
        (STATE, "context: {found: string}\n", "unknown-key", "write `state`"),
        # lines of a list, and beside it
        (HEAD, "    accepts: Came\n    emit:\n      - event: A\n        with: {v: 1}\n      max_runs: 3\n",
         "syntax-error", "mend its indentation, or begin it with `- `"),
        (HEAD, "    accepts: Came\n    emit:\n      - event: A\n        with: {v: 1}\n      event: B\n",
         "syntax-error", "begin it with `- `, or mend its indentation"),
        # questions that have one answer
        (IN_BLOCK, "event.n is not none", "never-null", "leave this question out"),
        (IN_BLOCK, "event.n is none", "never-null", "leave it out, with what only it leads to"),
        (IN_BLOCK, "event.n is empty", "never-empty", "leave it out, or compare it"),
        # steps where events are wanted
        (TOOL, f"{TOOL}\n    on_error: go", "unknown-event", "no step emits `Came`, which starts the run: let `go`"),
        # no single item of a list is wrong
        (FIELD, '"${{ [event.n, 3] | max }}"', "wrong-value", "declare `x` of `A` as `integer`"),
    ],
)  # fmt: skip
def test_hints_that_lead_on(old: str, new: str, code: str, hint: str) -> None:
    assert old in SPEC
    found = check_text(SPEC.replace(old, new, 1).encode(), "spec.yaml").diagnostics
    assert found[0].code == code
    assert hint in found[0].hint
