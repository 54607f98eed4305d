"""What is said of slips that look like another mistake: no hint is for one cause alone where there are two."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from wfc.compiler.diagnostics import Severity
from wfc.compiler.passes import check_text

CALL = """\
wfc: 1
workflow: greet
start: Asked
end: [Greeted, Refused]
events:
  Asked: {name: string}
  Greeted: {text: string}
  Refused: {}
steps:
  call:
    kind: http
    accepts: Asked
    method: GET
    url: https://greet.example/
    output: {text: string}
    on_error:
      - {errors: [http.4xx], when: error.status == 404, event: Refused}
    emit: {event: Greeted, with: {text: "${{ result.text }}"}}
tests:
  - name: fine
    start: {name: Ada}
    mock: {call: {text: x}}
    expect: {end: Greeted, with: {text: x}}
"""
WHOLE = """\
wfc: 1
workflow: whole
start: Asked
end: [Greeted, Refused]
tools:
  add: {python: "sums:add", args: {a: number}, output: number, read_only: true}
events:
  Asked: {name: string, n: integer}
  Greeted: {text: string}
  Refused: {why: Greeted}
steps:
  call:
    kind: tool
    accepts: Asked
    tool: {python: "sums:say", output: string}
    emit:
      - {event: Greeted, when: event.n > 0, with: {text: "${{ result }}"}}
      - {event: Refused, with: {why: {text: x}}}
  sum: {kind: tool, accepts: Asked, tool: add, with: {a: 1}, emit: nothing}
"""
WAIT = """\
wfc: 1
workflow: greet
start: Asked
end: [Greeted, Refused]
secrets: [KEY]
models: {fast: {use: "openai:gpt-4o-mini", api_key: KEY}}
events:
  Asked: {name: string, n: integer}
  Told: {text: string}
  Greeted: {name: string}
  Refused: {why: string}
state: {one: {type: string, default: ""}}
steps:
  call: {kind: llm, model: fast, accepts: Asked, prompt: x, emit: {event: Told, with: {text: "${{ result }}"}}}
  ask: {kind: human, accepts: Asked, title: Who?, form: {one: {type: string, from: "['a']"}}, within: 2h,
    on_timeout: nothing, save: [one], emit: nothing}
  pause:
    kind: wait
    accepts: Told
    for: 3 min
    emit: [{event: Refused, when: inputs.n > 3, with: {why: x}}, {event: Greeted, with: {name: x}}]
tests:
  - name: fine
    start: {name: Ada, n: 3}
    mock: {call: x}
    expect: {end: Greeted}
"""
LOW = """\
wfc: 1
workflow: low
start: Asked
end: Greeted
config:
  most: integer
types:
  Order: {id: string}
events:
  Asked: {order: Order}
  Greeted: {}
steps:
  greet:
    kind: transform
    accepts: Asked
    emit: [{event: Greeted, when: config.most > 3 and event.order.id != ""}, {fail: too many}]
"""
BASES = {"low": LOW, "call": CALL, "whole": WHOLE, "wait": WAIT}
EVENTS = CALL[CALL.index("events:") : CALL.index("steps:")]
TORN = EVENTS.replace("  Greeted: {text: string}\n", "")
TOOLS = WHOLE[WHOLE.index("tools:") : WHOLE.index("  Asked: {")]
FIRST = WHOLE[WHOLE.index("{event: Greeted") :].split("\n", maxsplit=1)[0]
MOCK = "{call: {text: x}}"
TOLD = "  Refused: {}\n  Told: {}\nsteps:\n  tell: {kind: transform, accepts: Told, emit: Refused}\n"
AT_ONCE = "it is a key of a step, beside its `kind`, or of a batch: `each: {"


@pytest.mark.parametrize("base", BASES)
def test_what_the_slips_are_made_in_is_right(base: str) -> None:
    assert not check_text(BASES[base].encode(), "spec.yaml").diagnostics


@pytest.mark.parametrize(
    ("base", "right", "wrong", "said"),
    [
        # a comma in place of a colon cuts no text behind a map, a list or quotes
        ("call", EVENTS, "events: {Asked: {name: string}, Greeted, {text: string}, Refused: {}}\n", [
            ("text-cut-by-comma", "write `Greeted: {…`: a colon stands between a key and its value")]),
        ("call", EVENTS, "events: {Asked: {name: string}, Greeted: {text: string}, Refused}\n", [
            ("text-cut-by-comma", "write `Refused: …`$")]),
        ("call", 'result.text }}"}', 'result.text }}", b}', [
            ("text-cut-by-comma", "write `b: …`$")]),
        ("call", "{name: Ada}", "{name: Ada, b}", [
            ("text-cut-by-comma", "put the text in quotes, or write `b: …` if that is another key")]),
        # the colon before the name
        ("call", EVENTS, f"{TORN}  :Greeted {{text: string}}\n", [("bad-name", "write `Greeted: {text: string}`")]),
        # the words with which an answer of a test begins are meant, too
        ("call", MOCK, "{call: {eror: http.500}}", [("unknown-entry", "did you mean `error`?")]),
        ("call", MOCK, "{call: {error:: http.500}}", [("unknown-entry", "did you mean `error`?")]),
        ("call", MOCK, "{call: {giv: {text: x}}}", [("unknown-entry", "did you mean `give`?")]),
        ("call", MOCK, "{call: {txt: x}}", [("unknown-entry", "did you mean `text`?")]),
        ("call", "with: {text: x}", "with: {txt: x}", [("unknown-entry", "did you mean `text`?")]),
        # no batch is meant where nothing is said of one
        ("call", "when: error.status == 404", "concurrency: 3", [("misplaced-key", "move it there")]),
        ("call", "when: error.status == 404", "concurrency: error.status == 404", [("unknown-key", AT_ONCE)]),
        ("call", "when: error.status == 404", "max: 3", [("unknown-key", "all that a batch needs stands within it")]),
        # an event, and no list, stands behind `each`
        ("whole", FIRST, "{each: Greeted}", [
            ("wrong-type", "write `each: {in: …, as: …, event: Greeted, max: …}`")]),
        ("whole", FIRST, "{each: event.names}", [
            ("wrong-type", "write `each: {in: event.names, as: …, event: …, max: …}`")]),
        # several expressions are one only with a sign between them
        ("whole", "why: {text: x}", 'why: "${{ event.name }} ${{ event.n }}"', [("wrong-value", "")]),
        ("whole", "why: {text: x}", 'why: "${{ event.n }} + ${{ event.n }}"', [
            ("wrong-value", "all of it stands in the braces: write `${{ event.n + event.n }}`")]),
        # a text is no list of what is given
        ("whole", "{python: \"sums:say\"", "{with: \"sums:say\"", [
            ("unknown-key", "what can stand here too is `python`")]),
        ("whole", "args: {a: number}", "params: {a: number}", [("unknown-key", "write `args`")]),
        # a colon at the end of a line, in place of a bracket
        ("whole", "{text: string}", "{text: string:", [
            ("text-cut-by-colon", "leave it out, or write the bracket that is missing")]),
        # no expression stands where a type does
        ("whole", "{text: string}", "{text: {{ result }}}", [("key-not-text", "a type stands here, such as `string`")]),
        # neither is a length of time `trues`, nor a secret a model
        ("wait", "for: 3 min", "for: true", [("wrong-type", "write how long, with a unit, such as `30s`")]),
        ("wait", "for: 3 min", "for: 3", [("wrong-type", "write a unit, such as `3s`")]),
        ("wait", "openai:gpt-4o-mini", "KEY", [("model-without-provider", "`KEY` is a secret, which stands under")]),
        ("wait", "openai:gpt-4o-mini", "small", [("model-without-provider", "write its provider before it")]),
        # a key that has lost its colon among what looks like a list; an event is no condition
        ("wait", "accepts: Asked, title", "accepts: Asked, emit, title", [
            ("text-cut-by-comma", "write `emit: …` if that is another key, else a list, `accepts: […, emit]`")]),
        ("wait", "emit: {event: Told", "emit: {why: Told", [
            ("unknown-key", "what can stand here too is `when`, `event`")]),
        ("wait", "when: inputs.n > 3", "wen: inputs.n > 3", [("unknown-key", "did you mean `when`?")]),
        # in a condition a text is put together otherwise than by braces
        ("wait", "when: inputs.n > 3", "when: \"${{ inputs.n }}-again\"", [
            ("stray-character", "this is an expression already: a value stands in it by its name, and a text")]),
        ("wait", "when: inputs.n > 3", "when: \"${{ inputs.n }} > 3\"", [
            ("stray-character", "this is an expression already: leave out `${{` and `}}`")]),
        ("wait", "from: \"['a']\"", "from: 2026-01-01", [
            ("no-list-of-choices", "where there may be several, declare a `list of …`$")]),
        ("wait", "mock: {call: x}", "mock: {call: {{ x }}}", [
            ("key-not-text", "a map stands in one pair of braces: leave one pair out; a test gives values")]),
        # a list that has lost its bracket; two entries that have become one
        ("call", "text: x}}\n    expect", "text: 1, 2, 3]}}\n    expect", [
            ("number-cut-by-comma", "a list stands in brackets: `text: [1, 2, …]`$")]),
        ("call", "text: x}}\n    expect", "text: 1,000}}\n    expect", [
            ("number-cut-by-comma", "write `1000`, or `1.000`$")]),
        ("call", "text: x}}\n    expect", "text: \"x\"more other: \"y\"}}\n    expect", [
            ("syntax-error", "close the quote where the text ends, and write a `,` before the key `other`$")]),
        ("call", "text: x}}\n    expect", "text: \"x\"y\"}}\n    expect", [
            ("syntax-error", "a text with `\"` in it stands in `'`: `'x\"y'`$")]),
        ("call", "text: x}}\n    expect", "text: \"\"{% use y %}\"}}\n    expect", [
            ("syntax-error", "two quotes stand side by side before this")]),
        # brackets in the place of a colon or a key
        ("call", EVENTS, f"{TORN}  Greeted}} {{text: string}}\n", [("bad-name", "write `Greeted: {text: string}`$")]),
        ("call", "  Refused: {}\n", "  }: {}\n", [("syntax-error", "leave it out, or open it before$")]),
        ("whole", "args: {a: number}", "args: {a: {{ number }}}", [
            ("key-not-text", "a type stands here, such as `string`, and no expression$")]),
        # what asks nothing has no consequences; a bracket may stand in a text
        ("wait", "when: inputs.n > 3", "when: \"(inputs.n is status) + [3] == 3\"", [
            ("unknown-test", "there are `none`, `empty`")]),
        ("wait", "${{ result }}", "${{ result | default('a)' }}", [
            ("unclosed-bracket", "add `)`, or close the quote before the `)` that stands in a text$")]),
        ("wait", "${{ result }}", "${{ result | default('a' }}", [("unclosed-bracket", "add `)`$")]),
        # an event stands there, or what says which event is sent
        ("wait", "emit: {event: Told", "emit: {catch: Told", [("unknown-key", "write `event`$")]),
        ("wait", "emit: {event: Told", "emit: {evnt: Told", [("unknown-key", "did you mean `event`?$")]),
        ("wait", "emit: {event: Told", "args: {event: Told", [("unknown-key", "write `emit`$")]),
        # declarations of a section that stands empty, and the name of a step above the steps
        ("whole", TOOLS, "tools:\nevents:\n  add: {python: \"sums:add\", args: {a: number}, read_only: true}\n", [
            ("misplaced-key", "move it there$")]),
        # another word for a section that is there; a map that is no condition
        ("whole", "events:\n", "tasks: []\nevents:\n", [("unknown-key", "what can stand here too is")]),
        ("whole", "events:\n", "tets: []\nevents:\n", [("unknown-key", "did you mean `tests` or `texts`?")]),
        ("wait", "with: {why: x}", "case: {why: x}", [("unknown-key", "what can stand here too is `with`")]),
        ("wait", "emit: {event: Told, with: {text: \"$", "emit: {event: Told, with: {text: $\"", [
            ("syntax-error", "write `\"${{ result }}\"`$")]),
        # a type is no prose, a `#` no part of an expression, and a line may stand too low
        ("whole", "{name: string, n: integer}", "{name: string, n list of integer}", [
            ("text-cut-by-comma", "put the text in quotes, or write `n: list of integer` if that is another key")]),
        ("wait", "    for: 3 min\n", "    for: ${{ #inputs.n }}\n", [("text-cut-by-comment", "leave the `#` out")]),
        ("wait", "    for: 3 min\n", "    for: 3 #min\n", [("text-cut-by-comment", "put the whole value in quotes")]),
        ("low", "types:\n  Order: {id: string}\n", "  Order: {id: string}\ntypes:\n", [
            ("misplaced-key", "move the line `types:` above `Order`$")]),
        # what comes from outside
        ("call", "  Refused: {}\nsteps:\n", TOLD, [
            ("event-never-emitted", "let a step `emit: Told`, or accept another event; one that comes from outside")]),
    ],
)  # fmt: skip
def test_what_is_said_of_a_slip(base: str, right: str, wrong: str, said: list[tuple[str, str]]) -> None:
    assert BASES[base].count(right) == 1
    found = check_text(BASES[base].replace(right, wrong).encode(), "spec.yaml").diagnostics
    assert [each.code for each in found] == [code for code, _ in said]
    for each, (_, hint) in zip(found, said, strict=True):
        assert f"{each.hint}$".startswith(hint), each.hint


def test_a_key_of_the_spec_that_has_slipped_into_a_step_makes_no_other_kind_of_it() -> None:
    text = WAIT.replace("workflow: greet\n", "").replace("kind: wait\n", "kind: wait\n    workflow: greet\n")
    (found,) = check_text(text.encode(), "spec.yaml").diagnostics
    assert found.code == "misplaced-key"
    assert "seems to belong at the top" in found.message


NAMELESS = """\
wfc: 1
workflow: nameless
start: Asked
end: Greeted
events:
  Asked: {}
%s  Greeted: {}
steps:
    kind: transform
    accepts: Asked
    emit: Greeted
"""


@pytest.mark.parametrize("above", ["", "  greet:\n", "  greet: 3\n"])
def test_a_name_of_a_step_that_stands_above_the_steps_is_told(above: str) -> None:
    *_, last = check_text((NAMELESS % above).encode(), "spec.yaml").diagnostics
    assert last.hint.startswith("write the step's name above its keys, and indent them below it")
    assert last.hint.endswith("; `greet` stands empty under `events`") == (above == "  greet:\n")


SECTIONS = ("models", "tools", "agents", "knowledge", "retries")
LANGUAGE = sorted((Path(__file__).parents[3] / "docs/language").glob("*.yaml"))
WITH_FILES = {"described_tools.yaml"}
"""What says where the files are that declare its tools."""


def with_section() -> Iterator[tuple[str, str]]:
    """Sections that follow another one, whose line alone is taken away."""
    for path in [each for each in LANGUAGE if each.name not in WITH_FILES]:
        text = path.read_text(encoding="utf-8")
        for section in SECTIONS:
            if re.search(rf"^  .*\n+{section}:\n", text, re.MULTILINE):
                yield path.name, section


@pytest.mark.parametrize(("name", "section"), list(with_section()))
def test_a_section_that_has_lost_its_line_is_one_finding(name: str, section: str) -> None:
    text = next(each for each in LANGUAGE if each.name == name).read_text(encoding="utf-8")
    first = re.search(rf"^{section}:\n(?: *#.*\n)*  (\w+):", text, re.MULTILINE)
    assert first is not None
    for line, hint in (("", f"write `{section}:` above `{first[1]}`"), ("use:\n", f"write `{section}`")):
        broken = re.sub(rf"^{section}:\n", line, text, count=1, flags=re.MULTILINE)
        found = [
            each
            for each in check_text(broken.encode(), "spec.yaml").diagnostics
            if each.severity is Severity.ERROR
        ]
        assert [each.hint for each in found] == [hint], found
