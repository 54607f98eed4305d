"""Values and declarations at each other's place: told as that where nothing else explains all, else as one way."""

from __future__ import annotations

import pytest

from wfc.compiler.diagnostics import Severity
from wfc.compiler.passes import check_text

DUE = """\
wfc: 1
workflow: due
start: Asked
end: [Greeted, Ignored]
events:
  Asked: {}
  Greeted: {due: date}
  Ignored: {}
steps:
  greet:
    kind: transform
    accepts: Asked
    emit:
      - event: Greeted
        when: event.due > "2026-01-01"
      - Ignored
"""
NUMBERS = """\
wfc: 1
workflow: numbers
start: Asked
end: Told
events:
  Asked: {n: integer}
  Told: {n: {one_of: [string, integer]}}
steps:
  go:
    kind: transform
    accepts: Asked
    emit: {event: Told, with: {n: "${{ event.n | integer }}"}}
tests:
  - {name: a text of digits, start: {n: "7"}, expect: {end: Told}}
  - {name: a word, start: {n: seven}, expect: {end: Told}}
"""
SHOP = """\
wfc: 1
workflow: shop
description: What is in the shop and what it costs.
start: Asked
end: [Told, Failed]
on_error: {event: Failed, with: {why: "${{ error.name }}"}}
on_deadline: Failed
on_cancel: Failed
deadline: 1h
config:
  patience: {type: duration, default: 5s}
  most: {type: integer, default: 3}
  address: {type: string, format: uri, default: "https://shop.example"}
types:
  Cup: {name: string}
events:
  Asked: {name: string}
  Found: {cups: list of Cup}
  Told: {code: string}
  Failed: {why: {type: string, default: ""}}
state:
  seen: {type: integer, default: 0}
retries:
  calm: {max_attempts: "${{ config.most }}", delay: "${{ config.patience }}", max_delay: "${{ config.patience }}"}
tools:
  voucher: {python: "shop:voucher", args: {name: string, amount: integer}, output: {code: string}}
defaults: {timeout: 20s}
steps:
  look:
    kind: http
    accepts: Asked
    method: GET
    url: ${{ config.address }}/cups
    query: {name: "${{ event.name }}", many: "3"}
    output: {cups: list of Cup}
    retry: {max_attempts: 3, delay: 1s}
    save: {seen: 1}
    emit: Found
  give:
    kind: tool
    accepts: Found
    tool: voucher
    with: {name: "${{ event.cups[0].name }}", amount: "${{ state.seen }}"}
    retry: calm
    emit: {event: Told, with: {code: "${{ result.code }}"}}
"""


def told(spec: str) -> list[tuple[str, str]]:
    found = check_text(spec.encode(), "spec.yaml").diagnostics
    return [(each.code, each.hint) for each in found if each.severity is Severity.ERROR]


@pytest.mark.parametrize(
    ("spec", "one", "other"),
    [
        pytest.param(DUE, "Asked", "Greeted", id="no fields"),
        pytest.param(NUMBERS, "Asked", "Told", id="tests"),
    ],
)
def test_an_exchange_is_one_way_where_one_of_the_two_may_lack_something(
    spec: str, one: str, other: str
) -> None:
    found = told(spec)
    assert len(found) > 1
    assert all(hint.endswith(f"`{one}` and `{other}` may have each other's content") for _, hint in found)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            "description: What is in the shop and what it costs.",
            'on_error: {event: Failed, with: {why: "${{ error.name }}"}}',
            id="many keys at the top",
        ),
        pytest.param(
            'query: {name: "${{ event.name }}", many: "3"}',
            "retry: {max_attempts: 3, delay: 1s}",
            id="keys of a step",
        ),
        pytest.param(
            "args: {name: string, amount: integer}", "output: {code: string}", id="records of a tool"
        ),
        pytest.param(
            "patience: {type: duration, default: 5s}",
            "most: {type: integer, default: 3}",
            id="fields of config",
        ),
    ],
)
def test_an_exchange_is_told_as_that_where_nothing_less_explains_all(one: str, other: str) -> None:
    (key, value), (other_key, other_value) = one.split(": ", 1), other.split(": ", 1)
    assert told(SHOP) == []
    wrong = SHOP.replace(one, f"{key}: {other_value}").replace(other, f"{other_key}: {value}")
    assert [code for code, _ in told(wrong)] == ["exchanged-values"]
