"""What a newcomer writes, and the hint that leads to what was meant: one change of one spec, one finding each."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from wfc.compiler.passes import check_text

HABITS: list[tuple[str, str, str, str]] = runpy.run_path(str(Path(__file__).with_name("habits.py")))["TABLE"]
SPEC = """\
wfc: 1
workflow: holiday
start: HolidayWanted
end: [HolidayGranted, HolidayRefused]
key: inputs.who
receives:
  Called: {key: who}
config:
  desk_url: {type: string, format: uri, default: "https://desk.example"}
models:
  fast: {use: "openai:gpt-4o-mini"}
state:
  rounds: {type: integer, default: 0}
  until: {type: date, default: "2026-01-31"}
events:
  HolidayWanted: {who: string, days: integer, cost: decimal}
  DaysKnown: {days_left: integer}
  Called: {who: string}
  CallMissed: {}
  AskLater: {}
  AskAgain: {}
  Rest: {text: string}
  HolidayGranted: {days: integer}
  HolidayRefused: {reason: string}
steps:
  ask_desk:
    kind: http
    accepts: HolidayWanted
    method: GET
    url: ${{ config.desk_url }}/days/${{ event.who }}
    output: {days_left: integer}
    timeout: 10s
    emit: DaysKnown
  decide:
    kind: human
    accepts: [DaysKnown, AskAgain]
    assign: ["group:managers"]
    title: May ${{ inputs.who }} have ${{ inputs.days }} days?
    form: {answer: {enum: [yes, no, later]}, sure: boolean}
    within: 2 days
    on_timeout: {event: HolidayRefused, with: {reason: nobody answered}}
    max_runs: 3
    on_limit: {event: HolidayRefused, with: {reason: put off three times}}
    save: {rounds: "${{ state.rounds + 1 }}"}
    emit:
      - event: AskLater
        when: result.answer == "later"
      - event: Rest
        when: result.answer == "yes" and result.sure
        with: {text: granted}
      - event: HolidayRefused
        with: {reason: refused}
  pause: {kind: wait, accepts: AskLater, for: 1 week, emit: AskAgain}
  rest:
    kind: llm
    accepts: Rest
    model: fast
    prompt: |
      Congratulate ${{ inputs.who }}.
      {% if inputs.days > 3 %}A long one.{% endif %}
    emit: CallMissed
  call:
    kind: wait
    accepts: CallMissed
    event: Called
    within: 1 day
    on_timeout: {event: HolidayGranted, with: {days: "${{ inputs.days }}"}}
    emit: {event: HolidayGranted, with: {days: "${{ inputs.days }}"}}
tests:
  - name: refused
    start: {who: Ada, days: 10, cost: "3.50"}
    mock: {ask_desk: {days_left: 5}, decide: {answer: no, sure: true}}
    expect: {end: HolidayRefused}
"""

TABLE = [
    # what stands there; what a newcomer writes instead; the one code; a part of the hint
    ("/days/${{ event.who }}", "/days/${event.who}", "expression-as-text", "${{ event.who }}"),
    ("May ${{ inputs.who }}", "May $inputs.who", "expression-as-text", "${{ inputs.who }}"),
    ("May ${{ inputs.who }}", "May {inputs.who}", "expression-as-text", "${{ inputs.who }}"),
    ("reason: refused", "reason: result.answer", "expression-as-text", "${{ result.answer }}"),
    ("      {% if inputs", "      ${% if inputs", "dollar-before-statement", "leave the `$` out"),
    ('"openai:gpt-4o-mini"', "gpt-4o-mini", "model-without-provider", '"openai:gpt-4o-mini"'),
    ('result.answer == "later"', 'answer == "later"', "unknown-name", "write `result.answer`"),
    ("key: inputs.who", "key: who", "unknown-name", "write `inputs.who`"),
    ("and result.sure", "and result.sure == yes", "unknown-name", "write `result.sure`"),
    ("and result.sure", "and inputs.days > '3'", "not-ordered", "write `3` without quotes"),
    ("and result.sure", "and inputs.cost > 3.5", "not-ordered", 'write `"3.5"`'),
    ("and result.sure", 'and inputs.cost > "3,50"', "not-ordered", 'write `"3.50"`'),
    ('result.answer == "later"', 'result.answer "later"', "unexpected-token", "an operator is missing"),
    ("  Called: {key: who}\n", "  CallMissed: {}\n", "not-received", ""),
    (
        "    expect:",
        "    deliver: [{event: HolidayRefused, with: {reason: a}}]\n    expect:",
        "never-from-outside",
        "",
    ),
    ("workflow: holiday", "workflow: Holiday request", "bad-name", "write `holiday_request`"),
    ("    output: {days_left: integer}\n", "", "unfilled-field", "`output: {days_left: integer}`"),
    (
        "    emit: DaysKnown",
        "    emit: [DaysKnown, AskAgain]",
        "entry-never-taken",
        "`{all: [DaysKnown, AskAgain]}`",
    ),
    ("sure: boolean", "sure: yes", "unknown-type", "write `boolean`"),
    ("expect: {end: HolidayRefused}", "expect: {event: HolidayRefused}", "unknown-key", "write `end`"),
    ("expect: {end: HolidayRefused}", "expect: HolidayRefused", "wrong-type", "write `{end: …}`"),
    ("max_runs: 3", "max_runs: three", "wrong-value", ""),
    ("max_runs: 3", "max_runs: 0", "out-of-range", ""),
    ("{days_left: 5}", "{error: 503}", "unknown-error", "write `http.503`"),
    ("{days_left: 5}", "{error: broken}", "unknown-error", "`timeout`"),
    ("{days_left: 5}", "5", "wrong-value", ""),
    ('"2026-01-31"', "31.01.2026", "default-does-not-fit", "write `2026-01-31`"),
    ("for: 1 week", "for: 1h30m", "bad-duration", "`1h 30 min`"),
    ("for: 1 week", 'for: "${{ state.rounds }} days"', "wrong-value", "a length is computed as in"),
    ("for: 1 week", "for: 1\u00a0week", "bad-duration", "special blank"),
    # names and expressions
    (
        'rounds: "${{ state.rounds + 1 }}"',
        "rounds: state.rounds + 1",
        "wrong-value",
        "`${{ state.rounds + 1 }}`",
    ),
    ("reason: refused", "reason: inputs.who ~ '!'", "expression-as-text", "${{ inputs.who ~ '!' }}"),
    (
        "have ${{ inputs.days }}",
        "have ${{ ask_desk.days_left }}",
        "unknown-name",
        "write `event.days_left`, where `event is DaysKnown`",
    ),
    ("timeout: 10s", 'headers: {X-Key: "${{ secrets.KEY }}"}', "unknown-name", "`{secret: KEY}`"),
    (
        "timeout: 10s",
        'headers: {Authorization: "Bearer ${{ secrets.KEY }}"}',
        "unknown-name",
        "`auth: {bearer: KEY}`",
    ),
    ("{rounds: ", "{state.rounds: ", "unknown-state-field", "write `rounds`"),
    (
        '{rounds: "${{ state.rounds + 1 }}"}',
        "rounds = state.rounds + 1",
        "wrong-type",
        '`{rounds: "${{ state.rounds + 1 }}"}`',
    ),
    # choices
    (
        "emit: DaysKnown",
        "emit: DaysKnown if result.days_left > 3 else AskAgain",
        "unknown-event",
        "`emit: [{event: DaysKnown, when: result.days_left > 3}, AskAgain]`",
    ),
    (
        "emit: DaysKnown",
        "emit: {if: result.days_left > 3, then: DaysKnown, else: AskAgain}",
        "choice-written-otherwise",
        "`[{event: DaysKnown, when: result.days_left > 3}, AskAgain]`",
    ),
    (
        "emit: DaysKnown",
        "emit: [{DaysKnown: result.days_left > 3}, AskAgain]",
        "choice-written-otherwise",
        "`[{event: DaysKnown, when: result.days_left > 3}, AskAgain]`",
    ),
    (
        "emit: DaysKnown",
        "emit: {DaysKnown: {days_left: 3}}",
        "choice-written-otherwise",
        "`{event: DaysKnown, with: {…}}`",
    ),
    (
        'when: result.answer == "later"',
        "when: [result.sure, inputs.days > 3]",
        "wrong-type",
        "`result.sure and inputs.days > 3`",
    ),
    # types and kinds
    ("days: integer, cost", "days: integer(0..10), cost", "unknown-type", "{type: integer, min: 0, max: 10}"),
    ("days: integer, cost", "days: string(50), cost", "unknown-type", "{type: string, max_length: 50}"),
    ("days: integer, cost", "days: list[integer], cost", "syntax-error", "write `list of integer`"),
    ("kind: wait", "kind: sleepy", "unknown-kind", "write `wait`"),
    # what YAML cannot read
    ("wfc: 1\n", "version: 1\n", "missing-key", "write `wfc: 1`"),
    ("wfc: 1\n", "wfc 1\n", "syntax-error", "write `wfc: 1`"),
    ("    method: GET", "    method GET", "syntax-error", "write `method: GET`"),
    ("    method: GET", "    method = GET", "syntax-error", "write `method: GET`"),
    ("    method: GET", "    method:GET", "syntax-error", "write `method: GET`"),
    ("    kind: http", "    kind http", "syntax-error", "write `kind: http`"),
    ("    form: {", "    form {", "syntax-error", "write `form: …`"),
    ("  decide:", "  decide", "syntax-error", "write `decide:`"),
    ("    method: GET", "    // how\n    method: GET", "syntax-error", "a comment begins with `#`"),
    ("timeout: 10s", "timeout: 10s // soon", "bad-duration", "write `10s  # soon`"),
    (
        "    timeout: 10s",
        "      timeout: 10s",
        "syntax-error",
        "after 6 spaces, and the line above after 4: one of the two",
    ),
    ("    timeout: 10s", "   timeout: 10s", "syntax-error", "after 3 spaces, and the line above it after 4"),
    ("  - name: refused", "  -name: refused", "syntax-error", "write `- name: refused`"),
    ("reason: refused", 'reason: "he said "no""', "syntax-error", "`'he said \"no\"'`"),
    ("reason: refused", "reason: 'it's too long'", "syntax-error", '`"it\'s too long"`'),
    (
        'when: result.answer == "later"',
        'when: "result.answer == "later""',
        "syntax-error",
        "`'result.answer == \"later\"'`",
    ),
]


def test_the_spec_is_right() -> None:
    assert not check_text(SPEC.encode(), "spec.yaml").diagnostics


@pytest.mark.parametrize(("old", "new", "code", "hint"), TABLE, ids=[row[1].strip() for row in TABLE])
def test_a_mistake_leads_to_what_is_meant(old: str, new: str, code: str, hint: str) -> None:
    assert SPEC.count(old) >= 1
    text = SPEC.replace(old, new, 1)
    (found,) = check_text(text.encode(), "spec.yaml").diagnostics
    assert found.code == code
    assert hint in found.hint


@pytest.mark.parametrize(("old", "new", "code", "says"), HABITS, ids=[row[1].strip() for row in HABITS])
def test_a_habit_from_elsewhere_leads_to_how_it_is_here(old: str, new: str, code: str, says: str) -> None:
    text = SPEC.replace(old, new, 1)
    (found,) = check_text(text.encode(), "spec.yaml").diagnostics
    assert found.code == code
    assert found.hint.startswith(says)


def test_what_is_declared_nowhere_is_told_once() -> None:
    text = SPEC.replace("emit: AskAgain}", "emit: AskOnce}").replace(
        "[DaysKnown, AskAgain]", "[DaysKnown, AskOnce]"
    )
    found = check_text(text.replace("  AskAgain: {}\n", "").encode(), "spec.yaml").diagnostics
    assert [each.code for each in found] == ["unknown-event"]
    assert found[0].hint.startswith("declare it under `events`: `AskOnce: {}`")
    assert [note.words for note in found[0].related] == ["and here"]


def test_a_slip_that_is_made_twice_is_mended_twice() -> None:
    text = SPEC.replace("{reason: string}", "{reason: strng}").replace("{text: string}", "{text: strng}")
    (found,) = check_text(text.encode(), "spec.yaml").diagnostics
    assert found.hint == "did you mean `string`?"
    assert found.fix is not None
    assert len(found.fix.edits) == 2


STARVING = """\
wfc: 1
workflow: shown
start: Asked
end: Told
tools:
  look: {python: "shop:look", read_only: true}
events: {Asked: {}, Here: {}, There: {}, Told: {}}
steps:
  here: {kind: tool, accepts: Asked, tool: look, on_error: [nothing], emit: Here}
  there: {kind: tool, accepts: Asked, tool: look, on_error: [nothing], emit: There}
  both: {kind: transform, accepts: {any: [Here, There], rest: cancel}, emit: Told}
"""


def test_a_branch_that_ends_may_let_its_join_go_on() -> None:
    (found,) = check_text(STARVING.encode(), "spec.yaml").diagnostics
    assert found.code == "run-without-end"
    assert "or give `both` a time-out (`within: 20s` with `on_timeout: proceed`)" in found.hint
