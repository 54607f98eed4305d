"""What a newcomer writes, and the hint that leads to what was meant: one change of one spec, one finding each."""

from __future__ import annotations

import pytest

from wfc.compiler.pipeline import check_text

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
    ("for: 1 week", "for: 1h 30min", "bad-duration", "`90 min`"),
    ("for: 1 week", 'for: "${{ state.rounds }} days"', "bad-duration", "`until`"),
    ("for: 1 week", "for: 1\u00a0week", "bad-duration", "special blank"),
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
