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
FURTHER = (
    "it begins after {} spaces, and the line above after 0: one of the two is indented wrongly, "
    "or this line belongs under another key"
)
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
    ("    prompt: Greet\n", '    prompt: Greet ${{ event.title }"\n', "unclosed-text",
     'a `"` is missing or one too many, here or in a text before it'),
    ('contains("Ada")', "contains(Ada'')", "unexpected-token", "a text stands between its quotes: `'Ada'`"),
    ('contains("Ada")', 'contains(""Ada)', "unexpected-token", 'a text stands between its quotes: `"Ada"`'),
    ('contains("Ada")', "contains(Ada 'x')", "unexpected-token",
     "the arguments of a filter are separated by `,`; two values in one of them need an operator between"),
    ('event.title == "x"', '"event.title" == "x"', "syntax-error",
     """put all of it in quotes: `'event.title == "x"'`"""),
    ('event.title == "x"', '"A" == "x"', "syntax-error", """put all of it in quotes: `'"A" == "x"'`"""),
    ('event.title == "x"', "'\"event.title\" == \"x\"'", "not-comparable",
     "write `event.title` without quotes, if its value is meant"),
    # between braces
    ("event.names is empty", "event.names[0] > 3", "syntax-error",
     "a text with `]` in it stands in quotes, as a whole"),
    ("event.names is empty", "'a' > event.title", "syntax-error", "a text with `'` in it stands in `\"`, as a whole"),
    ("event.names is empty", "> 3", "syntax-error", "put the text in quotes"),
    ("[Told, Refused]", "[Told,, Refused]", "syntax-error", "write it, or leave out one of the two commas"),
    ("[Told, Refused]", "[, Told, Refused]", "syntax-error",
     "write it, close the `[` before it, or leave out the comma"),
    ("start: Asked", "start: ,", "syntax-error", "write it, or leave out the `,`"),
    ("start: Asked", "start: ]", "syntax-error", "a map opens with `{`, and a list with `[`"),
    ('tool: {python: "stage:look"}', 'tool: {python: "stage:look", output: ${{ x }}}', "expression-needs-quotes",
     'write `"${{ … }}"`; where `output` is the language\'s own, a type stands there, and no expression'),
    # what stands there already is hardly meant again
    ("real: [right]", "real: [right, righ]", "unknown-step", "there is `left`; or declare it under `steps`"),
    ("real: [right]", "real: [left, right, lef]", "unknown-step", "all steps are named here already"),
    ("{left: hello}", "{left: hello, leftt: a}", "unknown-step", "there is `right`; or declare it under `steps`"),
    ("{left: hello}", "{leftt: hello}", "unknown-step", "did you mean `left`?"),
    # a sign beside an expression, which makes a text of it
    ("${{ event.title }}", "${{ event.names }}}", "needs-json",
     'leave out the `}` beside the expression; for a text use `| join(", ")` or `| json`'),
    ("${{ event.title }}", "${{ event.names }}!", "needs-json", 'use `| join(", ")` or `| json`'),
    ("Heard: {}}\n", "Heard: {{a: string}}}\n", "key-not-text",
     "a map stands in one pair of braces: leave out one `{`, and its `}` if that is there"),
    ("event: Heard, when", "as: ${{ a }} of ${{ b }}, when", "expression-needs-quotes",
     'a name stands under `as`, and no expression; if `as` is a field of yours, write `"${{ … }}"`'),
    # a key that stands twice, of which only that with which an item begins may begin the next one
    ("    start: {names: [], title: a}\n", "    start: {names: [], title: a}\n" * 2, "duplicate-key", ""),
    ("    mock: {left", "    name: again\n    mock: {left", "duplicate-key",
     "if another item of the list begins here, begin it with `- `"),
    ("{name: twice,", "{name: twice, name: a,", "duplicate-key", ""),
    # a section that stands twice: either may be meant, so nothing is said of what the other one lacks
    ("models:", "defaults:", "duplicate-key", ""),
    ("steps:\n", "models: {}\nsteps:\n", "duplicate-key", ""),
    # two words that are as near
    ('kind: tool, accepts: Heard, tool: {python: "stage:look"}',
     'kind: http, accepts: Heard, url: "https://a.example", method: PST', "unknown-value",
     "did you mean `PUT` or `POST`?"),
    # a bracket in the place of something else
    ("    prompt: Greet\n", "    {: Greet\n", "syntax-error", "write `key: Greet`"),
    ("    prompt: Greet\n", "    {prompt: Greet\n", "syntax-error",
     "leave it out, or write a key and a colon before it"),
    ("[Told, Refused]", "[Told, ]Refused", "syntax-error", "the list ends too early: write `end: [A, B]`"),
    # a word of other systems, and what stands there
    ("    accepts: Asked\n", "    name: [Asked]\n", "unknown-key", "`accepts` is missing here"),
    ("    accepts: Asked\n", "    accepts: Asked\n    name: Left\n", "unknown-key",
     "the name is the key under which it stands; for more words there is `description`"),
    ("models:", "secrets: KEY]\nmodels:", "wrong-type", "write `[KEY]`"),
    # what is only like a word, and what it holds is none of that
    ("accepts: Heard,", "accepts: Heard, on_error: {errors: [tool], within: Told},", "unknown-key",
     "what can stand here too is `body`, `when`, `event`, `with`, `save`, `all`, `each`, `fail` and `restart`"),
    ("accepts: Heard,", "accepts: Heard, retries: {max_attempts: 2},", "unknown-key", "write `retry`"),
    # two letters away: another name, or one that is to be declared
    ('event.title == "x"', "event.title == status", "unknown-name",
     'did you mean `state`? a text stands in quotes: `"status"`'),
    ('event.title == "x"', 'evnt.title == "x"', "unknown-name", "did you mean `event`?"),
    ("models:", "types: {Deep: {a: {b: Deeper}}}\nmodels:", "unknown-type",
     "did you mean `Deep`? if not, declare it under `types`"),
    ("models:", "types: {Deep: {a: {b: srting}}}\nmodels:", "unknown-type", "did you mean `string`?"),
    ("{event: Heard", "{event: Hearddd", "unknown-event", "did you mean `Heard`? if not, declare it under `events`"),
    ("{event: Heard", "{event: Haerd", "unknown-event", "did you mean `Heard`?"),
    # a line of a text that stands as far left as its key
    ("prompt: Greet\n", "prompt: |\n      Greet\n    Do it well, and at once: now\n", "unknown-key",
     "a text stands behind its key; one of several lines below a `|`, indented further than the key"),
    # a comment behind an expression that is not closed, and a `#` within one
    ("prompt: Greet\n", "prompt: ${{ event.title }   # or another\n", "unclosed-braces",
     "close it with `}}` where the expression ends"),
    ("prompt: Greet\n", "prompt: ${{ event.title ~ ' # x' }}\n", "text-cut-by-comment",
     "put the whole value in quotes; a comment that is meant has a space after `#`"),
    # what follows from a value of an enumeration that is none
    ("title: string}", "title: {enum: [a, {}]}}", "bad-enum-value", "use texts or whole numbers"),
    # a quote and a bracket that have changed places
    ("prompt: Greet\n", 'prompt: "${{ event.title }"}\n', "syntax-error", "the quote stands behind the `}`"),
    ("prompt: Greet\n", 'prompt: "Hello" you\n', "syntax-error", "put all of it in quotes"),
    ('event.title == "x"', """'"{{ "2: a" in event.title }}"'""", "unexpected-token",
     "the text ends at the quote before it: within a text stand other quotes than around it"),
    # a line that stands as far left as the keys, or as far right as what belongs to them
    ("prompt: Greet\n", "prompt: |\nGreet them all\n", "syntax-error",
     "write `key: value`; a line of a text is indented further than the text's key"),
    ("end: [Told, Refused]\n", "end: Told\n\n    fast: {a: b}\n", "syntax-error",
     FURTHER.format(4)),
    ("end: [Told, Refused]\n", "end: Told\n\n  gather:\n", "syntax-error",
     FURTHER.format(2)),
    # a sign that stands before the quote
    ("title: x}, real", 'title: $"{{ x }}"}, real', "syntax-error",
     'write `"${{ x }}"`'),
    ('text: "${{ result }}"', 'text: $"{{ result }}"', "syntax-error", 'write `"${{ result }}"`'),
    # a bracket too many behind a key with a dot
    ("    mock: {left: hello}\n", "    mock:\n      left.right: [a]]\n", "syntax-error",
     "leave it out, or open it before"),
    # a word of other systems that stands alone, and one that holds no name
    ('event.title == "x"', "event.title == message", "unknown-name",
     'what the step has accepted is `event`, what its action gave is `result`; a text stands in quotes: `"message"`'),
    ("tests:\n", "name:\n", "unknown-key",
     "what can stand here too is `version`, `description`, `labels`, `imports`, `parts`, `secrets`, `config`, "
     "`deadline`, `types`, `state`, `tools`, `retries` …"),
    # a section of which no entry could be one of those
    ("models:", "heads: {webhook: heads, body: {other: string}}\nmodels:", "unknown-key",
     "what can stand here too is `version`, `description`, `labels`, `imports`, `parts`, `secrets`, `config`, "
     "`deadline`, `types`, `state`, `tools`, `retries` …"),
    ("events: {", "evnts: {", "unknown-key", "did you mean `events`?"),
    ("    accepts: Asked\n", "    if: {each: Asked}\n", "unknown-key",
     "a condition is the `when` of an entry of `emit`: `emit: [{event: A, when: …}, B]`; "
     "and `accepts` is missing here"),
    ("accepts: Heard,", "accepts: Heard, each: {a: 1},", "unknown-key",
     "for each item of a list there is the kind `map`, or `emit: {each: …}`"),
    ("title: string}", "title: {type: ${{ x }}}}", "expression-needs-quotes",
     'write `"${{ … }}"`; where `type` is the language\'s own, a type stands there, and no expression'),
    ("event.names is empty", "`event.names is empty`", "syntax-error",
     "leave the backticks out: what is asked stands by itself"),
    # what may not be left out
    ("event: Told\n", "event: null\n", "wrong-type", "write a value after the colon"),
    ("wfc: 1\n", "  wfc: 1\n", "syntax-error",
     "it begins after 0 spaces, and the first line after 2 spaces: one of the two is indented wrongly"),
    # ends that are there in part
    ("prompt: Greet\n", "prompt: \"Greet {% if event.title == 'a' %}Ada% endif %}\"\n", "statement-not-ended",
     "write `{% endif %}` in place of what stands there without its signs"),
    ("prompt: Greet\n", "prompt: \"Greet {% if event.title == 'a' %}Ada\"\n", "statement-not-ended",
     "add `{% endif %}`"),
    ("${{ result }}", "${{ result } at last", "unclosed-braces", "close it with `}}` where the expression ends"),
    ("${{ result }}", "${{ result at last", "unclosed-braces", "add `}}`"),
    ('"${{ result }}"}', '"${{ result }}"0}', "syntax-error",
     'close the quote where the text ends, or leave out what follows it; inside of double quotes write `\\"`'),
    # a word of other systems where a key is missing, too
    ("    accepts: Asked\n", "    each: Asked\n", "unknown-key",
     "for each item of a list there is the kind `map`, or `emit: {each: …}`; and `accepts` is missing here"),
    ("      - event: Refused\n", "      - default: Refused\n", "unknown-key",
     "the last entry needs no `when`: write `event`"),
    ('kind: tool, accepts: Heard, tool: {python: "stage:look"}',
     'kind: send, accepts: Heard, to: other, to_key: "1", default: Told', "unknown-key", "write `event`"),
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


@pytest.mark.parametrize(
    ("name", "applicability"), [("status", "display"), ("stat", "safe"), ("evnt", "safe")]
)
def test_a_name_two_letters_away_is_not_corrected_unasked(name: str, applicability: str) -> None:
    text = SPEC.replace('event.title == "x"', f'{name}.title == "x"', 1)
    (found,) = check_text(text.encode(), "spec.yaml").diagnostics
    assert found.fix is not None
    assert found.fix.applicability == applicability
