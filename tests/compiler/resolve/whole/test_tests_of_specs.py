"""The spec's own tests: their names and values."""

from __future__ import annotations

import pytest

SPEC = """
wfc: 1
workflow: shop
start: Asked
end: [Sold, Refused]
types:
  Order: {id: string, total: decimal}
  Mood: {enum: [good, bad]}
models:
  fast: {use: "openai:gpt-4o-mini"}
events:
  Asked: {name: string, note: optional string, orders: {type: list of Order, default: []}}
  Found: {order: Order}
  Sold: {id: string, when: optional date}
  Refused: {reason: string}
state:
  mood: {type: Mood, default: good}
steps:
  find:
    kind: llm
    accepts: Asked
    model: fast
    prompt: Find.
    output: Order
    emit: Found
  choose:
    kind: transform
    accepts: Found
    save: {mood: bad}
    emit:
      - event: Refused
        when: event.order.id == ""
        with: {reason: none}
      - event: Sold
        with: {id: "${{ event.order.id }}"}
tests:
  - name: one
"""


def case(resolved, body: str):
    return resolved(SPEC + "\n".join(f"    {line}" for line in body.strip().splitlines()) + "\n")


@pytest.mark.parametrize(
    "body",
    [
        "start: {name: Ada}\nexpect: {end: Sold}",
        "start: {name: Ada, note: null, orders: [{id: a, total: '1.5'}]}\nexpect: {end: Sold, with: {id: a}}",
        "start: {name: Ada}\nmock: {find: {id: a, total: '1.5'}}\nexpect: {end: Sold}",
        "start: {name: Ada}\nmock: {find: [{id: a, total: 1}, {error: http.503}]}\nexpect: {fails: http.503}",
        "start: {name: Ada}\nmock: {find: {error: model.refused}}\nexpect: {fails: model}",
        "start: {name: Ada}\nreal: [find]\nexpect: {ran: {find: 1, choose: 1}, emitted: []}",
        "start: {name: Ada}\nexpect: {emitted: [Asked, Found, Sold], state: {mood: bad}, streamed: [anything]}",
        "start: {name: Ada}\nclock: '2026-03-29T01:30:00+01:00'\nexpect: {end: Sold, with: {when: 2026-03-29}}",
        "start: {name: Ada}\nexpect: {fails: limit}",
        "start: {name: Ada}\nexpect: {fails: too many drafts}",
        "start: {name: Ada}\nexpect: {streamed: [a text, {event: Sold, with: {id: a}}]}",
        "start: {name: '${{ not an expression'}\nexpect: {end: Sold}",
    ],
)
def test_what_a_test_may_say(resolved, body) -> None:
    assert not case(resolved, body).found


@pytest.mark.parametrize(
    ("body", "code", "at"),
    [
        ("start: {nme: Ada, name: A}\nexpect: {end: Sold}", "unknown-entry", "nme"),
        ("start: {}\nexpect: {end: Sold}", "missing-entry", "{}"),
        ("start: {name: 7}\nexpect: {end: Sold}", "wrong-value", "7"),
        ("start: {name: A, orders: [{id: a, total: much}]}\nexpect: {end: Sold}", "wrong-value", "much"),
        ("start: {name: A}\nexpect: {end: Sld}", "unknown-event", "Sld"),
        ("start: {name: A}\nexpect: {end: Found}", "event-is-no-end", "Found"),
        ("start: {name: A}\nexpect: {with: {id: a}}", "with-which-end", "with"),
        ("start: {name: A}\nexpect: {end: Sold, with: {idd: a}}", "unknown-entry", "idd"),
        ("start: {name: A}\nexpect: {end: Sold, with: {id: 7}}", "wrong-value", "7"),
        ("start: {name: A}\nexpect: {end: Sold, with: {when: soon}}", "wrong-value", "soon"),
        ("start: {name: A}\nmock: {fnd: x}\nexpect: {end: Sold}", "unknown-step", "fnd"),
        ("start: {name: A}\nmock: {choose: x}\nexpect: {end: Sold}", "step-without-action", "choose"),
        ("start: {name: A}\nreal: [choose]\nexpect: {end: Sold}", "step-without-action", "choose"),
        ("start: {name: A}\nreal: [fnd]\nexpect: {end: Sold}", "unknown-step", "fnd"),
        ("start: {name: A}\nmock: {find: {id: a}}\nexpect: {end: Sold}", "missing-entry", "{id: a}"),
        ("start: {name: A}\nmock: {find: [{id: a, total: 1}, {id: 2, total: 1}]}\nexpect: {}", "wrong-value", "2"),
        ("start: {name: A}\nmock: {find: {error: htp}}\nexpect: {end: Sold}", "unknown-error", "htp"),
        ("start: {name: A}\nexpect: {ran: {fnd: 1}}", "unknown-step", "fnd"),
        ("start: {name: A}\nexpect: {ran: {fnd: 0}}", "unknown-step", "fnd"),
        ("start: {name: A}\nexpect: {emitted: [Foud]}", "unknown-event", "Foud"),
        ("start: {name: A}\nexpect: {state: {mod: bad}}", "unknown-state-field", "mod"),
        ("start: {name: A}\nexpect: {state: {mood: so}}", "wrong-value", "so"),
        ("start: {name: A}\nexpect: {fails: htp.503}", "unknown-error", "htp.503"),
        ("start: {name: A}\nexpect: {fails: timeot}", "unknown-error", "timeot"),
        ("start: {name: A}\nexpect: {streamed: [{event: Foud}]}", "unknown-event", "Foud"),
        ("start: {name: A}\nexpect: {streamed: [{event: Sold, with: {idd: a}}]}", "unknown-entry", "idd"),
        ("start: {name: A}\nclock: '2026-03-29T01:30:00'\nexpect: {end: Sold}", "clock-without-offset",
         "'2026-03-29T01:30:00'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_found_at_its_own_place(resolved, body, code, at) -> None:
    assert case(resolved, body).found == [(code, at)]


def test_two_tests_of_one_name(resolved) -> None:
    body = "start: {name: A}\nexpect: {end: Sold}"
    result = resolved(
        SPEC
        + "\n".join(f"    {line}" for line in body.splitlines())
        + "\n  - {name: one, start: {name: A}, expect: {end: Sold}}\n"
    )
    assert result.found == [("test-name-twice", "one")]
    assert not result.errors


def test_what_is_kept_of_a_test(resolved) -> None:
    mock = "{find: [{id: a, total: 1}, {error: http.503}]}"
    body = f"start: {{name: Ada}}\nmock: {mock}\nexpect: {{end: Sold, ran: {{find: 2}}}}"
    (test,) = case(resolved, body).workflow.tests
    assert test.start == {"name": "Ada"}
    assert [(each.value, each.error) for each in test.mock["find"]] == [
        ({"id": "a", "total": 1}, None),
        (None, "http.503"),
    ]
    assert test.expect == {"end": "Sold", "ran": {"find": 2}}
