"""What is said where two causes lie near each other: the one that is there, and not what it looks like."""

from __future__ import annotations

import pytest

from wfc.compiler.passes import check_text

SHOP = """\
wfc: 1
workflow: shop
start: Came
end: [Told, Late]
config:
  pause: {type: duration, default: PT5M}
  day: {type: date, default: "2026-01-31"}
  size: {type: integer, default: 3}
state:
  found: {type: list of string, default: [], merge: append}
  count: {type: integer, default: 0}
types:
  Line: {kind: string, price: number}
events:
  Came: {topic: string, due: date, patience: duration, price: decimal, lines: list of Line}
  Left: {}
  Right: {}
  LeftDone: {}
  RightDone: {}
  Asked: {}
  Told: {why: string, how: string, count: integer}
  Late: {why: string, name: optional string}
steps:
  split: {kind: transform, accepts: Came, emit: {all: [Left, Right]}}
  left: {kind: transform, accepts: Left, save: {found: [left]}, emit: LeftDone}
  right: {kind: transform, accepts: Right, save: {found: [right]}, emit: RightDone}
  both:
    kind: transform
    accepts: {all: [LeftDone, RightDone]}
    emit: Asked
  ask:
    kind: human
    accepts: Asked
    title: And now?
    form: {answer: string}
    within: 2h
    on_timeout: {event: Late, with: {why: nobody, name: you}}
    save: {count: "${{ state.count + (inputs.lines | length) }}"}
    emit:
      event: Told
      with:
        why: "${{ result.answer }}"
        how: by hand
        count: "${{ [line.price for line in inputs.lines if line.price > 3] | length }}"
tests:
  - name: fine
    start: {topic: a, due: "2026-01-31", patience: PT1S, price: "2.50", lines: [{kind: a, price: 2}]}
    mock:
      ask: {give: {answer: "large, and refused: http.422"}, after: 20s}
    expect: {end: Told, with: {why: "[large], and refused: http.422", how: "by hand", count: 0}, ran: {ask: 1}}
"""
BATCH = """\
wfc: 1
workflow: batch
start: Came
end: Told
events: {Came: {a: list of integer}, Told: {}, Paused: {}}
tools: {odd: {python: "sums:odd", args: {n: integer}, output: integer, read_only: true}}
steps:
  do:
    kind: map
    accepts: Came
    in: event.a
    as: number
    do: {kind: tool, tool: odd, with: {n: "${{ number + (3 + 4) }}"}}
    max: 4
    emit: Paused
  pause:
    kind: wait
    accepts: Paused
    for: 3 min
    emit: Told
  look: {kind: tool, tool: odd, accepts: Paused, with: {n: 3}, emit: nothing}
"""
GATHER = """\
wfc: 1
workflow: gather
start: Asked
end: Told
events: {Asked: {a: list of integer}, A: {n: integer}, B: {n: integer}, AllA: {}, AllB: {}, Told: {}}
steps:
  split:
    kind: transform
    accepts: Asked
    emit: {all: [{each: {in: event.a, as: n, event: A, max: 9}}, {each: {in: event.a, as: n, event: B, max: 9}}]}
  gather_a: {kind: transform, accepts: {each: A}, emit: AllA}
  gather_b: {kind: transform, accepts: {each: B}, emit: AllB}
  both: {kind: transform, accepts: {all: [AllA, AllB]}, emit: Told}
"""
BASES = {"shop": SHOP, "batch": BATCH, "gather": GATHER}
BOTH_WAYS = 'leave out the `"` at its end, or write it also where the text begins$'
LEAVE_OUT = 'leave out the `"` at its end$'
OPERATOR = "an operator is missing before `(`, such as `==` or `+`"
COUNT = "${{ [line.price for line in inputs.lines if line.price > 3] | length }}"
FOUND = "{type: list of string, default: [], merge: append}"
GIVEN = '{give: {answer: "large, and refused: http.422"}, after: 20s}'
TIMEOUT = "on_timeout: {event: Late, with: {why: nobody, name: you}}"
CUT = "if a comma cuts the text of `%s` here, write the quote at its end also where that text begins$"
IN_QUOTES = "put the text in quotes, or write `w: …` if that is another key$"
BEGIN = "write a map instead of a list: begin each entry with its name"
OF_B = "{each: {in: event.a, as: n, event: B, max: 9}}"
OF_COUNTS = "is a whole number, such as `5`$"

ROWS: list[tuple[str, str, str, list[tuple[str, str]]]] = [
    # a quote ends a text and begins none
    ("shop", "patience: PT1S", 'patience: -PT1S"', [("wrong-value", BOTH_WAYS)]),
    ("shop", 'due: "2026-01-31"', 'due: 2026-01-31"', [("wrong-value", BOTH_WAYS)]),
    ("shop", 'due: "2026-01-31"', "due: 2026-01-31'", [("wrong-value", BOTH_WAYS.replace('"', "'"))]),
    ("shop", 'price: "2.50"', 'price: 2.50"', [
        ("wrong-value", 'write the `"` that stands at its end also where the text begins$')]),
    ("shop", "price: 2}", 'price: 2"}', [("wrong-value", LEAVE_OUT)]),
    ("shop", "price: 2}", 'price: x"}', [("wrong-value", "$")]),
    ("shop", "patience: PT1S", 'patience: soon"', [("wrong-value", "write how long, with a unit")]),
    ("shop", "default: PT5M", 'default: PT5M"', [("default-does-not-fit", BOTH_WAYS)]),
    ("shop", "default: 3", 'default: 3"', [("default-does-not-fit", LEAVE_OUT)]),
    ("shop", "default: 3", 'default: 3, max: 5"', [("bad-bound", LEAVE_OUT)]),
    ("shop", "within: 2h", 'within: 2h"', [("bad-duration", BOTH_WAYS)]),
    ("shop", "after: 20s", 'after: 20s"', [("bad-duration", BOTH_WAYS)]),
    ("shop", "ran: {ask: 1}", 'ran: {ask: 1"}', [("wrong-type", LEAVE_OUT)]),
    ("shop", "    mock:", '    clock: 2026-01-01T00:00:00Z"\n    mock:', [("clock-without-offset", BOTH_WAYS)]),
    ("shop", f'"{COUNT}"', '3"', [("wrong-value", LEAVE_OUT)]),
    ("batch", "max: 4", 'max: 4"', [("wrong-value", LEAVE_OUT)]),
    # a comma has cut a text that has lost its first quote
    ("shop", '"large, and refused: http.422"', 'large, and refused: http.422"', [("unknown-entry", CUT % "answer")]),
    ("shop", '"[large], and refused: http.422"', 'large, and refused: http.422"', [("unknown-entry", CUT % "why")]),
    ("shop", "why: nobody,", 'why: nobody, and so: on",', [("unknown-entry", CUT % "why")]),
    ("shop", "topic: a,", 'topic: a, b: c",', [("unknown-entry", CUT % "topic")]),
    # a key of the language in other capitals, whatever else the word may mean
    ("shop", "title: And", "Title: And", [("unknown-key", "did you mean `title`?$")]),
    ("shop", "title: And now?", "title: And now?\n    Title: Well?", [
        ("unknown-key", "`title` stands there already: keep one of them$")]),
    ("shop", "    emit:\n", "    Emit:\n", [("unknown-key", "did you mean `emit`?$")]),
    ("batch", "    emit: Told", "    Emit: Told", [("unknown-key", "did you mean `emit`?$")]),
    ("batch", "    for: 3 min", "    For: 3 min", [("unknown-key", "did you mean `for`?$")]),
    ("shop", "      event: Told", "      Event: Told", [("unknown-key", "did you mean `event`?$")]),
    # what could not be read is not judged
    ("shop", FOUND, "{type list of string, default: [], merge: append}", [
        ("text-cut-by-comma", "write `type: list of string`$")]),
    ("shop", FOUND, "{type: list of string, default: [], merge append}", [
        ("text-cut-by-comma", "write `merge: append`$")]),
    ("shop", GIVEN, '{give: {answer "x"}, after: 20s}', [("no-colon-in-braces", 'write `answer: "x"`$')]),
    ("shop", GIVEN, '[{give: {answer "x"}, after: 20s}]', [("no-colon-in-braces", 'write `answer: "x"`$')]),
    ("shop", GIVEN, "{error timeout, after: 20s}", [("text-cut-by-comma", "write `error: timeout`")]),
    ("shop", GIVEN, GIVEN.replace("give", "Give"), [("unknown-entry", "did you mean `give`?$")]),
    ("batch", "read_only: true", "read_only: yes", [("wrong-type", "write `true`$")]),
    # a type only where types stand, and a list only where lists do
    ("shop", 'how: "by hand", ', "how: card or none, w, ", [("text-cut-by-comma", IN_QUOTES)]),
    ("shop", "topic: a,", "topic: Ann, w or Cid,", [
        ("text-cut-by-comma", "put the text in quotes$")]),
    ("shop", "how: string", "how: card or none, w", [
        ("text-cut-by-comma", "a type is written `{enum: [card, none, w]}`$")]),
    ("shop", "{answer: string}", "{answer: card or none, w}", [
        ("text-cut-by-comma", "a type is written `{enum: [card, none, w]}`$")]),
    ("shop", "{kind: string,", "{kind string,", [("text-cut-by-comma", "write `kind: string`$")]),
    ("shop", "{topic: a,", "{topic a,", [("text-cut-by-comma", "write `topic: a`$")]),
    ("shop", "  Left: {}\n  Right: {}\n", "  Left: {}\n  Right: {one}\n", [("text-cut-by-comma", "braces make a map")]),
    ("shop", "{why: nobody, name: you}", "{why: nobody,1\\nfound, name: you}", [
        ("text-cut-by-comma", r"put the text in double quotes, in which `\n` begins a line$")]),
    ("shop", "{topic: a,", "{topic,", [("text-cut-by-comma", "write `topic: …`$")]),
    # numbers that are whole
    ("batch", "max: 4", "max: 0,5", [("wrong-value", f"`max` {OF_COUNTS}")]),
    ("batch", "max: 4", "max: four", [("wrong-value", f"`max` {OF_COUNTS}")]),
    ("shop", "within: 2h", "within: 2h\n    max_runs: 2,5", [("wrong-value", f"`max_runs` {OF_COUNTS}")]),
    ("shop", "ran: {ask: 1}", "ran: {ask: 1,000, left: 1}", [("number-cut-by-comma", "write `1000`$")]),
    ("shop", "ran: {ask: 1}", "ran: {ask: 5.000,00, left: 1}", [("number-cut-by-comma", "write `5000`$")]),
    ("shop", "ran: {ask: 1}", "ran: {ask: 1,5, left: 1}", [("number-cut-by-comma", "a whole number stands there$")]),
    ("shop", "count: 0}", "count: 1,000}", [("number-cut-by-comma", "write `1000`, or `1.000`$")]),
    ("shop", COUNT, "${{ state.count + 0.5 }}", [
        ("wrong-value",
         "`| round` and `| floor` make it whole; if the value is right, declare `count` of `Told` as `number`$")]),
    ("shop", COUNT, "${{ state.count + ('2 hours' | duration) }}", [
        ("no-arithmetic", "a number becomes a length of time by a unit, as in `3 * '1 day'`$")]),
    # entries of a map in the brackets of a list
    ("shop", "{why: nobody, name: you}", "[name: you, why: nobody]", [
        ("wrong-type", "write a map instead of a list: `{name: you, why: nobody}`$")]),
    ("shop", "{why: nobody, name: you}", "[name: you]", [
        ("wrong-type", "write a map instead of a list: `{name: you}`$")]),
    ("shop", "{why: nobody, name: you}", "[{name: why, value: x}]", [
        ("wrong-type", f"{BEGIN}, `why:` in place of `- name: why`$")]),
    ("shop", "ran: {ask: 1}", "ran: [ask: 1]", [("wrong-type", "write a map instead of a list: `{ask: 1}`$")]),
    ("shop", "  Line: {kind: string, price: number}", "  - name: Line", [
        ("wrong-type", f"{BEGIN}, `Line:` in place of `- name: Line`$")]),
    # a value before a bracket is not called
    ("shop", COUNT, "${{ [line (3) for line in inputs.lines] | length }}", [("method-call", f"{OPERATOR}$")]),
    ("shop", COUNT, "${{ [1 for one, line in inputs.lines if line (3)] | length }}", [("method-call", f"{OPERATOR}$")]),
    ("shop", COUNT, "${{ inputs.patience ('90 min' | duration) }}", [
        ("method-call", f"{OPERATOR}; if a call is meant: what changes a value is a filter after `|`, or a tool$")]),
    ("shop", COUNT, "${{ inputs.topic.frob(3) }}", [("method-call", "what changes a value is a filter")]),
    ("shop", COUNT, "${{ inputs.topic.upper () }}", [("method-call", "write `inputs.topic | upper`$")]),
    ("batch", "number + (", "number (", [("method-call", f"{OPERATOR}$")]),
    ("batch", "number + (", "integer (", [("method-call", "write `(3 + 4) | integer`$")]),
    ("shop", COUNT, "${{ 1 if state.count 3 else 4 }}", [("unexpected-token", "an operator is missing before it$")]),
    # a bracket that the text has opened itself; a key behind one that is closed
    ("shop", '"[large], and refused: http.422"', '"[large]', [
        ("syntax-error", "close the quote that opens here before the key `how`")]),
    ("shop", f"{TIMEOUT}\n    save", f"{TIMEOUT} save", [("syntax-error", "the key begins a line of its own")]),
    ("shop", "end: [Told, Late]\nconfig", "end: [Told, Late] config", [
        ("syntax-error", "the key begins a line of its own")]),
    ("shop", f"{TIMEOUT}\n    save", f"{TIMEOUT}, save", [
        ("syntax-error", "a bracket is closed too early, or a line break belongs in place of the `,`$")]),
    ("shop", "end: [Told, Late]", "end: [Told], Late", [
        ("syntax-error", "the list ends too early: write `end: [A, B]`$")]),
    ("shop", "title: And now?", "title: [Now] what: else?", [("syntax-error", "put all of it in quotes$")]),
    # what has been collected comes for no item any more
    ("gather", "event: B, max: 9}}]", f"event: B, max: 9}}}}, {OF_B}]", [
        ("join-overfills", "they come by split → B → gather_b → AllB: let it be sent once there$")]),
    # who is not asked again, but runs again
    ("shop", "    title: And", "    max_attempts: 3\n    title: And", [
        ("unknown-key", "a `human` has no action that could fail: leave it out; a person is reminded by `remind`; ")]),
]  # fmt: skip


@pytest.mark.parametrize("base", BASES)
def test_what_the_mistakes_are_made_in_is_right(base: str) -> None:
    assert not check_text(BASES[base].encode(), "spec.yaml").diagnostics


@pytest.mark.parametrize(
    ("base", "right", "wrong", "said"), ROWS, ids=[f"{row[0]}: {row[2]}" for row in ROWS]
)
def test_the_cause_that_is_there_is_told(
    base: str, right: str, wrong: str, said: list[tuple[str, str]]
) -> None:
    """A hint begins as expected, and ends where `$` stands behind that."""
    assert BASES[base].count(right) == 1
    found = check_text(BASES[base].replace(right, wrong).encode(), "spec.yaml").diagnostics
    assert [each.code for each in found] == [code for code, _ in said], found
    for each, (_, hint) in zip(found, said, strict=True):
        assert f"{each.hint}$".startswith(hint), each.hint


def test_a_key_that_lacks_its_line_break_is_where_the_finding_stands() -> None:
    text = SHOP.replace(f"{TIMEOUT}\n    save", f"{TIMEOUT}  save")
    (found,) = check_text(text.encode(), "spec.yaml").diagnostics
    assert found.message == "a line break is missing before `save:`"
    assert text[found.start.offset : found.end.offset] == "save"
