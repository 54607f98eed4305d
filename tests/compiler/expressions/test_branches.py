"""What the compiler accepts never puts null where a value is wanted, nor a value of the wrong one of several types."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from branches import mistakes, random_step, spec_of

from wfc.compiler.diagnostics import Severity
from wfc.compiler.passes import check_text


@pytest.mark.parametrize("steps", [100, pytest.param(900, marks=pytest.mark.full)])
def test_what_is_accepted_goes_well_for_all_data(seed: str, steps: int) -> None:
    chance = random.Random(f"{seed} branches")  # noqa: S311
    seen: Counter[str] = Counter()
    for _ in range(steps):
        step = random_step(chance)
        spec = spec_of(step)
        found = check_text(spec.encode(), "branches.yaml").diagnostics
        refused = any(each.severity is Severity.ERROR for each in found)
        wrong = next(mistakes(step), None)
        assert refused or wrong is None, f"{wrong}\n{spec}"
        seen[f"{'refused' if refused else 'accepted'}, {'good' if wrong is None else 'wrong'}"] += 1
    assert seen["accepted, good"] > steps / 30, seen
    assert seen["refused, wrong"] > steps / 4.5, seen


def codes(emit: str, events: str = "Charged: {amount: integer}") -> list[str]:
    spec = f"""
wfc: 1
workflow: shop
start: Asked
end: [Free, Charged]
events:
  Asked: {{kind: {{enum: [gift, sale]}}, amount: optional integer, other: optional integer}}
  Free: {{}}
  {events}
steps:
  look:
    kind: transform
    accepts: Asked
    emit:
{emit}
"""
    return [each.code for each in check_text(spec.encode(), "shop.yaml").diagnostics]


def test_a_condition_that_is_partly_decided_already_hides_nothing() -> None:
    """After `kind == "gift"` the first half of the second condition always holds, so that the other is never asked."""
    entries = """
      - {event: Free, when: event.kind == "gift"}
      - event: Charged
        when: event.kind == "sale" or event.amount is none
        with: {amount: "${{ event.amount }}"}
      - Free
"""
    assert codes(entries) == ["wrong-value"]


def test_the_way_that_a_choice_never_takes_hides_nothing() -> None:
    entries = """
      - {event: Free, when: event.kind == "gift"}
      - event: Charged
        with: {amount: "${{ event.amount if event.kind == 'sale' else event.other }}"}
"""
    assert codes(entries) == ["wrong-value"]
    assert codes(entries.replace("event.amount if", "1 if")) == []


def test_what_nothing_reaches_is_not_said_to_be_null() -> None:
    entries = """
      - {event: Free, when: event.kind == "gift"}
      - {event: Free, when: event.kind == "sale" or event.amount > 3}
"""
    assert codes(entries, "Charged: {}") == ["unreachable-end"]
