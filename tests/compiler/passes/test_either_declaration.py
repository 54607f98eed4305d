"""Hints where the value, its place or the declaration may be wrong: each is named, and what is certain alone."""

from __future__ import annotations

import pytest

from wfc.compiler.passes import check_text

SPEC = """\
wfc: 1
workflow: asked
start: Asked
end: [Told, Refused]
config:
  tries: {type: integer, default: 2}
  factor: {type: number, default: 2}
tools:
  look:
    python: "lib:look"
    args: {name: string, share: {enum: [a, b]}}
    output: string
    read_only: true
events:
  Asked: {name: string, n: integer, mood: string, flag: boolean, ns: list of integer, share: {enum: [a, b]}, maybe: optional string}
  Told: {text: string, n: integer}
  Refused: {}
steps:
  look:
    kind: tool
    accepts: Asked
    tool: look
    with: {name: "${{ event.name }}", share: "${{ event.share }}"}
    retry: {max_attempts: "${{ config.tries }}", backoff: "${{ config.factor }}"}
    emit:
      - event: Refused
        when: event.mood == "good"
      - event: Told
        with: {text: "${{ event.name }}", n: "${{ event.n }}"}
"""  # noqa: E501
TOLD = '{text: "${{ event.name }}", n: "${{ event.n }}"}'
WHEN = 'event.mood == "good"'
ARGS = "args: {name: string, share: {enum: [a, b]}}"
TWO = "Told: {text: string, n: integer}"
BLOCK = """
          n: 1
          text: """
WAIT = """\
wfc: 1
workflow: heard
start: Asked
end: [Told, Late]
receives: {Word: {topic: news}}
events: {Asked: {}, Ready: {}, Word: {n: integer}, Heard: {n: integer}, Told: {n: integer}, Late: {}}
steps:
  begin: {kind: transform, accepts: Asked, emit: Ready}
  hear: {kind: wait, accepts: Asked, event: Word, within: 1 day, on_timeout: Late, emit: Heard}
  tell: {kind: transform, accepts: {all: [Ready, Heard]}, emit: Told}
"""
REQUEST = """\
wfc: 1
workflow: request
start: Asked
end: Told
config: {base: {type: string, default: "https://a.example"}}
events: {Asked: {}, Told: {n: integer}}
steps:
  ask:
    kind: http
    accepts: Asked
    method: GET
    url: ${{ config.base }}/messages
    emit: {event: Told, with: {n: "${{ response.headers | length }}"}}
"""
SEARCH = """\
wfc: 1
workflow: search
start: Asked
end: Answered
knowledge: {books: {files: "./books/*.md"}}
events: {Asked: {q: string}, Answered: {texts: list of string}}
steps:
  search:
    kind: retrieve
    accepts: Asked
    knowledge: books
    query: ${{ event.q }}
    top: 2
    that: >
      "oil" in passage.text
      or "gas" in passage.text
    emit: {event: Answered, with: {texts: "${{ result | pluck('text') }}"}}
"""
OWN = "if the value is right, declare "
NO_COLON = "write `found: "


CASES: list[tuple[str, list[tuple[str, str]], str, str]] = [
    # the spec, its changes, the code of the first finding, and its hint
    # values at each other's place, or types
    (SPEC, [("tries: {type: integer", "tries: {type: number"), ("factor: {type: number", "factor: {type: integer")],
     "wrong-value",
     f"{OWN}`tries` of `config` as `integer`; `max_attempts` and `backoff` may have each other's value, or `tries` and "
     "`factor` of `config` may have each other's type"),
    (SPEC, [("tries: {type: integer", "tries: {type: number")], "wrong-value",
     f"{OWN}`tries` of `config` as `integer`"),
    # of values with the names of their places, the types alone
    (SPEC, [(ARGS, "args: {name: {enum: [a, b]}, share: string}")], "wrong-value",
     "`name` and `share` of `Asked` may have each other's type, or `name` and `share` of the `args` of `look` may have "
     "each other's type"),
    (SPEC, [(ARGS, "args: {maybe: string, name: optional string}"),
            ('share: "${{ event.share }}"', 'maybe: "${{ event.maybe }}"')], "wrong-value",
     "it may be null: give it a `default`, or exclude null by a condition; `name` and `maybe` of the `args` of `look` "
     "may have each other's type"),
    (SPEC, [(ARGS, "args: {name: {enum: [a, b]}, share: string}"), ('name: "${{ event.name }}"', "name: social")],
     "wrong-value",
     "`name` and `share` may have each other's value, or `name` and `share` of the `args` of `look` may have each "
     "other's type"),
    # the content of a tool among its arguments
    (SPEC, [("tool: look\n", "tool: {given: 1}\n"),
            ('with: {name: "${{ event.name }}", share: "${{ event.share }}"}',
             'with: {python: "lib:look", output: string}')],
     "unknown-key",
     "what can stand here too is `python`, `args`, `output`, `secrets`, `read_only`, `description`, `http`, `openapi`, "
     "`only`, `auth`, `headers`, `base_url` …; `tool` and `with` may have each other's value"),
    # the field that takes a value, or the one that it comes from
    (SPEC, [("Asked: {name: string", "Asked: {name: {type: date, min: 2026-01-31}"),
            ('with: {name: "${{ event.name }}"', "with: {name: x")], "wrong-value",
     f"{OWN}`text` of `Told` as `date`, or declare `name` of `Asked` as `string`"),
    # an expression in other brackets
    (SPEC, [("${{ event.n }}", "[[event.n]]")], "wrong-value", "an expression is written `${{ event.n }}`"),
    (SPEC, [("${{ event.n }}", "[event.n]")], "wrong-value", "an expression is written `${{ event.n }}`"),
    (SPEC, [("${{ event.n }}", "<event.n>")], "wrong-value", "an expression is written `${{ event.n }}`"),
    (SPEC, [("${{ event.n }}", "(event.n + 1) * (event.n)")], "wrong-value",
     "an expression is written `${{ (event.n + 1) * (event.n) }}`"),
    (SPEC, [(TWO, "Told: {text: string, n: list of integer}"), ("${{ event.n }}", "[[event.n]]")], "wrong-value",
     "an expression is written `${{ [event.n] }}`"),
    (SPEC, [(TWO, "Told: {text: string, n: list of integer}"), ("${{ event.n }}", "[event.ns]")], "wrong-value",
     "an expression is written `${{ event.ns }}`"),
    (SPEC, [(TOLD, f"{BLOCK}[[event.name]]/x")], "syntax-error",
     "a value is put in by `${{ event.name }}`; a text with brackets stands in quotes, as a whole"),
    (SPEC, [(TOLD, "{n: 1, text: [[event.name]]/x}")], "syntax-error",
     "a value is put in by `${{ event.name }}`; a text with brackets stands in quotes, as a whole"),
    (REQUEST, [("${{ config.base }}/messages", '"[[config.base]]/messages"')], "bad-url",
     "a value is put in by `${{ config.base }}`"),
    (REQUEST, [("${{ config.base }}/messages", '"<config.base>/messages"')], "bad-url",
     "a value is put in by `${{ config.base }}`"),
    # what follows on an object of another language
    (SPEC, [(WHEN, "github.event.attempt > 1")], "unknown-name", "write `run.attempt`"),
    (SPEC, [(WHEN, "github.event.n > 1")], "unknown-name", "leave out `github.`"),
    (SPEC, [(WHEN, 'this.event.action == "x"')], "unknown-name",
     "leave out `this.`; `event` has no field `action`"),
    (SPEC, [(WHEN, "ctx.config.n > 1")], "unknown-name",
     "leave out `ctx.`; `config` has no field `n`, and there is `event.n`"),
    (REQUEST, [("response.headers", "context.headers")], "unknown-name", "write `response.headers`"),
    (REQUEST, [("response.headers", "resp.headers")], "unknown-name", "write `response.headers`"),
    # a condition goes on behind the braces
    (SPEC, [(WHEN, '{event.mood} == "good"')], "text-cut-by-comma",
     """an expression stands here as it is: leave out the braces, `when: event.mood == "good"`; in a field of yours """
     """called `when` write `'${{ event.mood == "good" }}'`"""),
    (SPEC, [(WHEN, "{event.flag} and {event.n} > 2  # or so")], "text-cut-by-comma",
     "an expression stands here as it is: leave out the braces, `when: event.flag and event.n > 2`; "
     "in a field of yours "
     'called `when` write `"${{ event.flag and event.n > 2 }}"`'),
    (SPEC, [(f"event: Refused\n        when: {WHEN}", "{event: Refused, when: {event.flag} == false, save: {}}")],
     "text-cut-by-comma",
     "an expression stands here as it is: leave out the braces, `when: event.flag == false`; in a field of yours "
     'called `when` write `"${{ event.flag == false }}"`'),
    (SPEC, [(f"event: Refused\n        when: {WHEN}", "{event: Refused, when: {event.flag} and {event.n} > 2}")],
     "syntax-error",
     "an expression stands here as it is: leave out the braces; in a field of yours called `when` "
     "write `\"${{ … }}\"`"),
    # a key without its colon, before other expressions
    (SPEC, [(TOLD, """{found = "${{ event.n }}", text: "${{ [one['a'] for one in event.ns] | json }}"}""")],
     "no-colon-in-braces", f'{NO_COLON}"${{{{ event.n }}}}"`'),
    (SPEC, [(TOLD, """{found "${{ event.n }}", text: "${{ [one['a'] for one in event.ns] | json }}"}""")],
     "no-colon-in-braces", f'{NO_COLON}"${{{{ event.n }}}}"`'),
    (SPEC, [(TOLD, """{a: 'x', found = '${{ event.n }}', text: '${{ [one["a"] for one in event.ns] | json }}'}""")],
     "no-colon-in-braces", f"{NO_COLON}'${{{{ event.n }}}}'`"),
    (SPEC, [(TOLD, """{found: "${{ event.n }}", text: ${{ [one["a"] for one in event.ns] | json }}}""")],
     "expression-needs-quotes", 'write `"${{ … }}"`'),
    # what comes from outside
    (WAIT, [("receives: {Word: {topic: news}}", "Word: {topic: news}")], "misplaced-key",
     "write `receives:` above it, and indent it below that line, with all that belongs to it"),
    (WAIT, [("receives: {Word: {topic: news}}", "receives:\n  Heard: {}\nWord: {topic: news}"),
            ("event: Word, within", "event: [Word, Heard], within")], "misplaced-key",
     "move it there, with all that belongs to it: indent it as far as the other keys there"),
    # joins
    (WAIT, [("{all:", "{any:")], "wrong-fill",
     "it may be null: give it a `default`, or exclude null by a condition; to wait for all of them write `accepts: "
     "{all: [Ready, Heard]}`"),
    (WAIT, [("Heard]}", "Heard], min: 2}")], "unknown-key", "leave it out: `all` waits for each of them"),
    (WAIT, [("Heard]}", "Heard], min: 1}")], "unknown-key",
     "so many of several events are `{any: [A, B, C], count: 2}`, and of a batch `{each: A, count: 2}`"),
    # fields of what is a value itself
    (SPEC, [("${{ event.name }}\", n", "${{ event['name'].value }}\", n")], "no-fields",
     "it is the value itself: leave out `.value`"),
    (SPEC, [("${{ event.name }}\", n", '${{ event.name.first_name }}", n')], "no-fields",
     "leave out `.first_name`, or declare `name` as a record that has `first_name`"),
    (SPEC, [("${{ event.name }}\", n", "${{ '{event.name}'.text }}\", n")], "no-fields",
     "write `event.name.text`, without quotes"),
    (SPEC, [("${{ event.name }}\", n", '${{ event.ns.value }}", n')], "no-fields",
     "the whole list is `event.ns`, without `.value`; its items are reached by `[0]`, `| first` or "
     "`[one for one in …]`"),
    (SPEC, [("${{ event.name }}\", n", '${{ result.kind }}", n')], "no-fields",
     "`result` is the text itself: write `result`, or declare by `output` what fields it has"),
    (SPEC, [("${{ event.name }}\", n", '${{ run.now.year }}", n')], "no-fields", ""),
    # keys in a text above them
    (SEARCH, [("    emit:", "      emit:")], "missing-key",
     "`emit`: how the step leaves; the text of `that` goes on with `emit:`; a key begins further "
     "left than such a text"),
    (SEARCH + "    emit: Answered\n", [("    emit:", "      emit:")], "unexpected-token",
     "if `emit` is the next key, its line begins further left: here it belongs to the expression"),
    # a value in the place of a type
    (REQUEST, [('base: {type: string, default: "https://a.example"}', "base: b"),
            ("${{ config.base }}", "https://a.b")],
     "unknown-type", 'a value is given as the `default` of a type: `{type: string, default: "b"}`'),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "changes", "code", "hint"), CASES)
def test_the_hint_is_right_for_each_cause(
    spec: str, changes: list[tuple[str, str]], code: str, hint: str
) -> None:
    assert not check_text(spec.encode(), "spec.yaml").diagnostics or "emit: Answered\n" in spec
    for old, new in changes:
        assert old in spec
        spec = spec.replace(old, new, 1)
    first = check_text(spec.encode(), "spec.yaml").diagnostics[0]
    assert first.code == code
    assert first.hint == hint or (code == "unknown-type" and first.hint.endswith(hint))
