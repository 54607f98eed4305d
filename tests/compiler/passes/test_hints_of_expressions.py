"""Expressions as other languages write them, and slips in them: who follows the hint comes nearer to what was meant."""

from __future__ import annotations

import pytest

from wfc.compiler.passes import check_text

JOINED = """\
wfc: 1
workflow: joined
start: Came
end: [Done, Late]
state:
  total: {type: integer, default: 0}
config:
  rate: {type: number, default: 1.5}
types:
  Line: {kind: string, price: number}
events:
  Came: {name: string, count: integer, lines: list of Line, at: datetime, note: optional string}
  Left: {text: string, n: integer, value: number}
  Right: {text: string, n: integer}
  Done: {text: string, n: number}
  Late: {}
steps:
  fork:
    kind: transform
    accepts: Came
    emit:
      all:
        - {event: Left, with: {text: "${{ event.name }}", n: "${{ event.count }}", value: 1.5}}
        - {event: Right, with: {text: "b", n: 2}}
  join:
    kind: transform
    accepts: {all: [Left, Right]}
    save: {total: "${{ state.total + 1 }}"}
    emit:
      - event: Late
        when: events.Left.n > 3
      - event: Done
        with: {text: "${{ events.Left.text }}", n: "${{ events.Right.n * config.rate }}"}
tests:
  - name: good
    start: {name: a, count: 1, lines: [], at: "2026-01-31T10:00:00Z"}
    expect: {end: Done, with: {n: 3}}
"""
ASKED = "events.Left.n > 3"
GIVEN = "${{ event.name }}"
COUNT = "count: 1,"
JOIN = "{all: [Left, Right]}"

CONDITIONS: list[tuple[str, str, str]] = [
    # a condition of the join; the code and the hint of the finding
    # patterns between slashes, and with the sign for them
    ("events.Left.text =~ /^A/", "foreign-operator", 'write `| starts_with("A")`'),
    ('events.Left.text =~ "^A"', "foreign-operator", 'write `| starts_with("A")`'),
    ("events.Left.text ~ /A$/", "foreign-operator", 'write `| ends_with("A")`'),
    ("events.Left.text matches /a b/", "foreign-operator", 'write `| contains("a b")`'),
    ("events.Left.text =~ /^a-b$/", "foreign-operator", 'write `== "a-b"`'),
    ("events.Left.text =~ /^A/i", "foreign-operator", 'write `| lower | starts_with("a")`'),
    (r"events.Left.text =~ /^A\d+/", "foreign-operator", r'write `| matches("A\\d+.*")`'),
    ("events.Left.text =~ /a|b/", "foreign-operator", 'write `| matches(".*(a|b).*")`'),
    ("events.Left.text | matches(/^A/)", "foreign-operator", 'write `| starts_with("A")`'),
    ("events.Left.text !~ /^A/", "foreign-operator",
     'write `not (…)` around the value and `| starts_with("A")`'),
    ("/^A/.test(events.Left.text)", "foreign-operator", 'write `events.Left.text | starts_with("A")`'),
    ("events.Left.text =~ config.rate", "foreign-operator", "write `| matches(…)`"),
    ("events.Left.n / 2 and / 3", "unexpected-token", ""),
    # numbers with a comma
    ("events.Left.value > 0,5", "unexpected-token", "a fraction stands behind a point: `0.5`"),
    ("events.Left.n > 1,000", "unexpected-token", "write `1000`, or `1.000` if that is a fraction"),
    ("events.Left.n > 1.000,50", "unexpected-token", "a number has one point, before its fraction, and no commas"),
    ("events.Left.n in 1,2", "unexpected-token", "a list stands in square brackets: `[1, 2]`"),
    ("(events.Left.value * 0,5) > 1", "no-tuple", "a fraction stands behind a point: `0.5`"),
    # question marks
    ("events.Left.text is good?", "unexpected-token",
     'leave it out: `is` asks by itself; a text is compared by `== "good"`'),
    ("events.Left.text is empty?", "unexpected-token", "leave it out: `is` asks by itself"),
    ("(events.Left.n > 3)?", "unexpected-token", "leave it out: a condition asks by itself"),
    ("events.Left.text.empty?", "unexpected-token", "ask `is empty`"),
    ("events.Left.text.empty? and true", "unexpected-token", "ask `is empty`"),
    ("is good?", "unexpected-token", "what is asked about stands before it, such as `event.name is empty`"),
    # questions of other languages
    ('events.Left.text[?name == "x"]', "unexpected-token", "of a list `[one for one in LIST if …]` takes what fits"),
    ('events.Left.text[?(@.name == "x")]', "unexpected-token",
     "of a list `[one for one in LIST if …]` takes what fits"),
    ("events.Left.text is NOT NULL", "unexpected-token", "write `is not none`"),
    ("events.Left.text is NOT empty", "unexpected-token", "write `is not`"),
    ("= events.Left.n", "unexpected-token", "leave it out"),
    ('events.Left.text LIKE "%a"', "unexpected-token", 'write `| ends_with("a")`'),
    ('events.Left.text like "%a%"', "unexpected-token", 'write `| contains("a")`'),
    ('events.Left.text like "a_b"', "unexpected-token",
     'write `| matches("…")`, in which `.*` stands for any text and `.` for a letter, and not `%` and `_`'),
    ("(1 if events.Left.n > 5 EUR else 2) > 1", "unexpected-token",
     "a number stands without a unit; an operator is missing before it"),
    ("events.Left.n > 1 and < 9", "unexpected-token",
     "name what is compared once more: `x < …`, with its name for `x`"),
    ("events.Left.n.between(1, 2)", "method-call", "write `LOW <= x and x <= HIGH`"),
    # dots before names
    (".events.Left.n > 3", "unexpected-token", "leave out the `.` before `events`"),
    ("3 < .events.Left.n", "unexpected-token", "leave out the `.` before `events`"),
    # what holds the fields of an event elsewhere
    ("events['Left'].value.n > 3", "no-fields", "write `events['Left'].n`"),
    ("events.Right.value.n > 3", "unknown-field", "write `events.Right.n`"),
    ("events.Left.payload.n > 3", "unknown-field", "write `events.Left.n`"),
    ("events.Left.payload.m > 3", "unknown-field", "there are `text`, `n`, `value`"),
    ("events[0].n > 3", "no-parts", "a joined event has its name behind a dot: `events.Left`"),
    # names of other systems
    ("github.event.n > 3", "unknown-name",
     "what a run begins with is in `inputs`; what the join has accepted is `events`"),
    ("payload.m > 3", "unknown-name", "what the join has accepted is `events`"),
    ("ctx.state.total > 3", "unknown-name", "leave out `ctx.`"),
]  # fmt: skip

VALUES: list[tuple[str, str, str]] = [
    # a text of the step `fork`
    ("0,5 if event.count > 3 else 1,5", "unexpected-token", "a fraction stands behind a point: `0.5`"),
    ("1 if event.count > 3 else 0,5", "unexpected-token", "a fraction stands behind a point: `0.5`"),
    ("event.name[0,5]", "unexpected-token", "a part stands in brackets with a colon: `[0:5]`"),
    ("event.count | default(0,5)", "unexpected-argument", "a fraction stands behind a point: `0.5`"),
    # brackets that are not closed before a loop, or before another bracket
    ('[line.kind | replace("a", "b" for line in event.lines] | join', "unexpected-token", "add `)` before it"),
    ("[(line.kind | upper for line in event.lines] | join", "unexpected-token", "add `)` before it"),
    ("[line.kind for line in event.lines if (line.price > 3] | join", "unexpected-token", "add `)` before it"),
    ('[{"a": line.kind for line in event.lines] | json', "unclosed-braces", "a `{` is too many, or a `}` is missing"),
    ("(line.kind for line in event.lines) | join", "loop-without-brackets", "write `[… for … in …]`"),
    ("(event.name]", "unexpected-token", "write `)` in its place, or leave it out"),
    # functions that make values
    ("dict(a=1)", "method-call", 'write `{"a": 1}`'),
    ("dict(a=event.count, b=[1, 2])", "method-call", 'write `{"a": event.count, "b": [1, 2]}`'),
    ("dict()", "method-call", "write `{}`"),
    ("dict(event.lines)", "method-call", 'a record is written `{"NAME": VALUE}`'),
    ("list(event.lines)", "method-call", "a list is written `[A, B]`; what is a list stays one"),
    # filters for other values
    ("event | keys", "wrong-filter",
     "that is for a map, whose keys come from data; the fields of a record are known: `name`, `count`, `lines`, `at`, "
     "`note`"),
    ("event | join", "wrong-filter", "one of its fields may be meant: `name`, `count`, `lines`, `at`, `note`"),
    ("event.lines | join", "wrong-filter", 'take a field of each item first, such as `| pluck("kind")`'),
    ("event.lines | keys", "wrong-filter",
     "that is for a map; `event.lines` is a list, whose items are reached by `for`"),
    # moments as texts
    ('event.at | date("%Y")', "unexpected-argument", 'how a moment is written says `| format("%Y")`'),
    ('event.at | date: "%Y"', "unexpected-token", 'what a filter takes stands in brackets: `format("%Y")`'),
    ('event.at | date_format("%Y")', "unknown-filter", "write `format`"),
    ('event.at | time("%H")', "unknown-filter", 'the time of a moment is `| format("%H:%M")`'),
    # parts with a step
    ("event.name[::-1]", "no-slice-step", "a list in reverse order is `| reverse`; no filter reverses a text"),
    ("event.lines[0:3:2]", "no-slice-step",
     "to choose among the items of a list: `[one for one in LIST if loop.index % 2 == 1]`"),
    # a value in place of one that is always there
    ("event.name | default('x')", "default-never-used",
     "leave it out; for what is empty write `'x' if event.name is empty else event.name`"),
    ("event.name | default('')", "default-never-used", ""),
    ("event.name or 'x'", "not-a-condition", "write `event.name if event.name is not empty else 'x'`"),
    ("event.note or 'x'", "not-a-condition", "write `event.note | default('x')`"),
    ("event.name ?: 'x'", "foreign-operator", "write `| default(…)`"),
    # dots before names
    (".event.name", "unexpected-token", "leave out the `.` before `event`"),
    (".name", "unexpected-token", "a field stands behind the name of what holds it, as in `event.name`"),
    # names of other systems
    ("github.event.inputs.name", "unknown-name", "leave out `github.event.`"),
    ("github.event.name", "unknown-name", "leave out `github.`"),
    ("context.name", "unknown-name", "write `event.name`"),
    ("ctx.foo", "unknown-name",
     "what a run keeps is in `state`, what it begins with in `inputs`, what is set from outside in `config`; what the "
     "step has accepted is `event`"),
    ("data", "unknown-name", 'what the step has accepted is `event`; a text stands in quotes: `"data"`'),
]  # fmt: skip

SECTIONS = JOINED[JOINED.index("state:\n") : JOINED.index("types:\n")]
EXCHANGED = SECTIONS.replace("state:", "other:").replace("config:", "state:").replace("other:", "config:")
IF_THERE = "write `events.Left.n if events.Left is not none else …`, or ask `events.Left is not none` first"
FOR_ALL = "to wait for all of them write `accepts: {all: [Left, Right]}"
EVENTS = JOINED[JOINED.index("events:\n") : JOINED.index("steps:\n")]
LISTED = """\
events:
  - name: Came
    fields: {name: string, count: integer, lines: list of Line, at: datetime, note: optional string}
  - {name: Left, fields: {text: string, n: integer, value: number}}
  - {name: Right, fields: {text: string, n: integer}}
  - {name: Done, fields: {text: string, n: number}}
  - name: Late
"""
TYPED = "name: string,"
PATTERN = '{type: string, pattern: "[A-Z]{2}"}'

ELSEWHERE: list[tuple[str, str, str, str]] = [
    # what stands in the spec, what is written instead; the code and the hint of the finding
    (COUNT, 'count: "0.10",', "wrong-value",
     "this is no whole number; if one with a fraction is meant, declare it as a `decimal`, or a `number` without "
     "quotes"),
    (COUNT, "count: 0.5,", "wrong-value",
     "this is no whole number; if one with a fraction is meant, declare it as a `number`"),
    (COUNT, 'count: "5.0",', "wrong-value", "write `5`"),
    (COUNT, 'count: "5",', "wrong-value", "write it without quotes"),
    (COUNT, 'count: "1,000",', "wrong-value", "write `1000`"),
    (COUNT, 'count: "1.000.000",', "wrong-value", "write `1000000`"),
    (COUNT, 'count: "2,5",', "wrong-value",
     "this is no whole number; if one with a fraction is meant, declare it as a `number`, and write `2.5`"),
    ("with: {n: 3}", 'with: {n: "0,10"}', "wrong-value", "write `0.10`"),
    # fields of the config under `state`, and the other way round
    (SECTIONS, EXCHANGED, "exchanged-values", ""),
    ("n * config.rate", "n * state.rate", "unknown-field",
     "`rate` is declared under `config`: write `config.rate`, or declare it under `state`"),
    ("state.total + 1", "config.total + 1", "unknown-field",
     "`total` is declared under `state`: write `state.total`, or declare it under `config`"),
    ("save: {total:", "save: {rate:", "unknown-state-field",
     "`rate` is a field of `config`, in which nothing is saved; there is `total`"),
    # the first of several, where all are wanted
    (JOIN, "{any: [Left, Right]}", "may-be-null", f"{IF_THERE}; {FOR_ALL}`"),
    (JOIN, "{any: [Left, Right], count: 2}", "may-be-null", f"{IF_THERE}; {FOR_ALL}`"),
    (JOIN, "{any: [Left, Right], rest: cancel}", "may-be-null", IF_THERE),
    # one event twice in a join
    (JOIN, "{all: [Left, Right, Left]}", "accepted-twice",
     "leave one out, or name the event that is meant; several `Left`, sent out for the items of a list, are collected "
     "by `accepts: {each: Left}`"),
    # what is declared may be wrong as well as what is given
    ("  Done: {text: string, n: number}", "  Done: {text: string, n: integer}", "wrong-value",
     "`| round` and `| floor` make it whole; if the value is right, declare `n` of `Done` as `number`"),
    ("at: datetime", "at: date", "wrong-value", "if the value is right, declare `at` of `Came` as `datetime`"),
    ("start: {name: a,", "start: {name: a, weight: 3,", "unknown-entry",
     "there are `name`, `count`, `lines`, `at`, `note`; else declare `weight` in `Came`"),
    ("event: Late\n", "event: Late\n        with: {why: a}\n", "unknown-entry",
     "it has no fields: leave `why` out, or declare it in `Late`"),
    # an input that is declared under another event, or nowhere
    (EVENTS, EVENTS.replace(" count: integer,", "").replace("Late: {}", "Late: {count: integer}"), "misplaced-key",
     "move it there, with its type"),
    ("n: \"${{ event.count }}\"", "n: \"${{ event.total }}\"", "unknown-field",
     "there are `name`, `count`, `lines`, `at`, `note`; and there is `state.total`, or declare it in `Came`"),
    # sections as lists
    (EVENTS, LISTED, "wrong-type",
     "write a map instead of a list: begin each entry with its name, `Came:` in place of `- name: Came`, without "
     "`fields:`, for the fields stand directly under the name"),
    (EVENTS, "events: [Came, Left, Right, Done, Late]\n", "wrong-type",
     "write a map instead of a list: `events: {Came: {}, Left: {}, Right: {}, Done: {}, …}`, each name with its "
     "fields"),
    (EVENTS, EVENTS.replace("\n  ", "\n  - "), "wrong-type",
     "write a map instead of a list: begin each entry with its name and a colon, without `- ` and `[ ]`"),
    ("  Right: {text: string, n: integer}", "  Right: [{name: text, type: string}, {name: n, type: integer}]",
     "wrong-type", "write one map instead of a list, without `- ` and `[ ]`: `{text: string, n: integer}`"),
    # types as other languages write them
    (TYPED, "name: map of string to number,", "unknown-type", "write `map of number`"),
    (TYPED, "name: list of map of text to int,", "unknown-type", "write `list of map of integer`"),
    (TYPED, "name: map from string to numbers,", "unknown-type", "write `map of number`"),
    (TYPED, "name: map of Line to number,", "words-after-type",
     "the keys of a map are always texts, and are not said: write `map of number`"),
    (TYPED, "name: dictionary of int,", "unknown-type", "write `map of integer`"),
    (TYPED, "name: set of string,", "unknown-type", "write `list of string`"),
    (TYPED, "name: list of string or number,", "unknown-type", "write `{one_of: [list of string, number]}`"),
    (TYPED, "name: string | number | null,", "unknown-type", "write `{one_of: [optional string, number]}`"),
    # values, types and patterns at each other's place
    (TYPED, 'name: {enum: "[A-Z]{2}"},', "wrong-type", f"an `enum` lists its values; a form is said by `{PATTERN}`"),
    (TYPED, "name: {enum: string},", "wrong-type",
     "an `enum` lists its values, such as `[low, high]`; a type stands alone: `string`"),
    (TYPED, "name: {enum: Line},", "wrong-type", "write `[Line]`, or `Line` alone if that is a type"),
    (TYPED, 'name: {enum: "low, high"},', "wrong-type", "write each as an item: `[low, high]`"),
    (TYPED, "name: {one_of: [low, high]},", "unknown-type",
     "types stand here; if these are values, write `{enum: [low, high]}`"),
    (TYPED, 'name: {pattern: "[a-z]"},', "missing-key",
     'what bounds a value stands beside its type: `{type: string, pattern: "[a-z]"}`'),
    ("count: integer", "count: {min: 1, max: 9}", "missing-key",
     "what bounds a value stands beside its type: `{type: integer, min: 1, max: 9}`"),
    (TYPED, 'name: {type: string, regex: "[a-z]"},', "unknown-type-key", "write `pattern`"),
    (TYPED, "name: {type: string, enum: [a]},", "two-types-at-once", "leave out `type`: the values say what it is"),
    (TYPED, "name: {type: list of string, enum: [a]},", "two-types-at-once",
     "declare the `enum` under `types`, and write `list of NAME` here"),
]  # fmt: skip


def found_in(right: str, wrong: str) -> list[tuple[str, str]]:
    assert right in JOINED
    text = JOINED.replace(right, wrong, 1)
    return [(each.code, each.hint) for each in check_text(text.encode(), "spec.yaml").diagnostics]


def test_what_the_mistakes_are_made_in_is_right() -> None:
    assert not check_text(JOINED.encode(), "spec.yaml").diagnostics


@pytest.mark.parametrize(("written", "code", "hint"), CONDITIONS, ids=[row[0] for row in CONDITIONS])
def test_a_condition_leads_to_what_was_meant(written: str, code: str, hint: str) -> None:
    assert found_in(ASKED, "'" + written.replace("'", "''") + "'") == [(code, hint)]


@pytest.mark.parametrize(("written", "code", "hint"), VALUES, ids=[row[0] for row in VALUES])
def test_a_value_leads_to_what_was_meant(written: str, code: str, hint: str) -> None:
    quoted = "'${{ " + written.replace("'", "''") + " }}'"
    assert found_in(f'"{GIVEN}"', quoted) == [(code, hint)]


@pytest.mark.parametrize(
    ("right", "wrong", "code", "hint"), ELSEWHERE, ids=[f"{row[0]}: {row[1]}" for row in ELSEWHERE]
)
def test_a_mistake_leads_to_what_was_meant(right: str, wrong: str, code: str, hint: str) -> None:
    assert found_in(right, wrong) == [(code, hint)]
