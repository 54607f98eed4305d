"""What is said where several slips lead to one text: all that may be meant, or what is seen, and no single guess."""

from __future__ import annotations

import pytest

from wfc.compiler.passes import check_text

SPEC = """\
wfc: 1
workflow: shown
start: Asked
end: [Told, Refused]
events: {Asked: {names: list of string, title: string}, Told: {text: string}, Refused: {}, Heard: {}}
models: {fast: {use: "openai:gpt-4o-mini"}}
defaults: {model: fast, timeout: 3s}
steps:
  left:
    kind: llm
    accepts: Asked
    prompt: Greet
    emit:
      - event: Refused
        when: event.names | contains("Ada")
      - event: Told
        when: event.title == "x"
        with: {text: "${{ event.title }}"}
      - {event: Heard, when: event.names is empty}
      - {event: Told, with: {text: "${{ result }}"}}
  right: {kind: tool, accepts: Heard, tool: {python: "stage:look"}, emit: {event: Told, with: {text: x}}}
tests:
  - name: once
    start: {names: [], title: a}
    mock: {left: hello}
    expect: {end: Told}
  - {name: twice, start: {names: [], title: x}, real: [right], expect: {end: Told}}
"""
TABLE = [
    # what stands there, what is written instead, the one code, the hint
    # a name that was put in twice, or two of them that have grown together
    ("Told: {text", "ToldTold: {text", "misspelt-declaration", "did you mean `Told`?"),
    ("timeout: 3s", "timeouttimeout: 3s", "unknown-key", "did you mean `timeout`?"),
    ("title: string}", "title: stringstring}", "unknown-type", "did you mean `string`?"),
    ("real: [right]", "real: [leftright ,]", "unknown-step", "there are `left`, `right`; or declare it under `steps`"),
    # a short word that has little in common with another
    ("event.names is empty", "event.names is now", "unknown-test",
     "there are `none`, `empty`, `string`, `integer`, `number`, `boolean`, `list`, `map` …"),
    # a section that says the rest, beside a key that is none
    ("timeout: 3s", "zzz: 3s", "unknown-key", "what can stand here too is `retry` and `timeout`"),
    # quotes
    ('== "x"', '== "x""', "unclosed-text", 'a `"` is missing or one too many, here or in a text before it'),
    ('== "x"', '== """', "unclosed-text", 'a `"` is missing or one too many, here or in a text before it'),
    ('== "x"', '== "x', "unclosed-text", 'add `"`'),
    ('contains("Ada")', "contains(Ada'')", "unexpected-token", "a text stands between its quotes: `'Ada'`"),
    ('contains("Ada")', 'contains(""Ada)', "unexpected-token", 'a text stands between its quotes: `"Ada"`'),
    ('contains("Ada")', "contains(Ada 'x')", "unexpected-token", "an operator is missing before it, such as `==`"),
    ('event.title == "x"', '"event.title" == "x"', "syntax-error",
     """put all of it in quotes: `'event.title == "x"'`"""),
    ('event.title == "x"', '"A" == "x"', "syntax-error", """put all of it in quotes: `'"A" == "x"'`"""),
    ('event.title == "x"', "'\"event.title\" == \"x\"'", "not-comparable",
     "write `event.title` without quotes, if its value is meant"),
    # between braces
    ("event.names is empty", "event.names[0] > 3", "syntax-error",
     "a text with `]` in it stands in quotes, as a whole"),
    ("event.names is empty", "'a' > event.title", "syntax-error", "a text with `'` in it stands in quotes, as a whole"),
    ("event.names is empty", "> 3", "syntax-error", "put the text in quotes"),
    ("[Told, Refused]", "[Told,, Refused]", "syntax-error", "write it, or leave out one of the two commas"),
    ("[Told, Refused]", "[, Told, Refused]", "syntax-error", "write it, or leave out the comma"),
    ("Heard: {}}\n", "Heard: {{a: string}}}\n", "key-not-text",
     "a map stands in one pair of braces: leave out one `{`, and its `}` if that is there"),
    ("event: Heard, when", "as: ${{ a }} of ${{ b }}, when", "expression-needs-quotes",
     'write `"${{ … }}"`; where `as` is the language\'s own, a name stands there, and no expression'),
    # a key that stands twice, of which only that with which an item begins may begin the next one
    ("    start: {names: [], title: a}\n", "    start: {names: [], title: a}\n" * 2, "duplicate-key", ""),
    ("    mock: {left", "    name: again\n    mock: {left", "duplicate-key",
     "if another item of the list begins here, begin it with `- `"),
    # one test, or tests by their names
    (SPEC[SPEC.index("  - name: once\n"):], "  start: {names: []}\n  expect: {end: Refused}\n", "wrong-type",
     "begin it with `- `: it is one entry of a list"),
    (SPEC[SPEC.index("  - name: once\n"):], "  once: {start: {names: []}, expect: {end: Refused}}\n", "wrong-type",
     "write a list instead of a map: `- name: once`, with the rest of it below"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "code", "hint"), TABLE, ids=[each[1][:40] for each in TABLE])
def test_the_hint_fits_whoever_wrote_it(right: str, wrong: str, code: str, hint: str) -> None:
    assert SPEC.count(right) >= 1
    found = check_text(SPEC.replace(right, wrong, 1).encode(), "spec.yaml").diagnostics
    assert [(each.code, each.hint) for each in found] == [(code, hint)]


def test_the_spec_itself_is_right() -> None:
    assert check_text(SPEC.encode(), "spec.yaml").diagnostics == ()
