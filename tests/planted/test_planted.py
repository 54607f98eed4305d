"""A misspelt name is one finding, exactly at its own place, in every field and however the spec is written."""

from __future__ import annotations

import re
from collections import Counter
from random import Random
from types import ModuleType
from typing import Any

import pytest

from wfc.compiler.passes import check_text

FIELDS = {
    *(
        "when",
        "that",
        "in",
        "keep",
        "key",
        "until",
        "with",
        "prompt",
        "texts",
        "system",
        "url",
    ),
    *(
        "headers",
        "query",
        "body",
        "title",
        "show",
        "assign",
        "prefill",
        "say",
        "fail",
        "save",
        "emit",
        "before",
        "after",
    ),
    *(
        "do",
        "give",
        "idempotency_key",
        "max_runs",
        "on_error",
        "on_timeout",
        "on_limit",
        "on_deadline",
        "restart",
    ),
    *("to_key", "per", "base_url", "each"),
}
"""Keys below which names are planted."""


def verdict(planting: ModuleType, each: Any) -> str:
    """What is wrong with what is said of a planted name; empty if nothing is."""
    found = planting.checked(each.bed, each.raw).diagnostics
    if len(found) != 1:
        return f"{len(found)} findings: {[(one.code, one.start, one.message) for one in found]}"
    one = found[0]
    if (one.start.offset, one.end.offset) != (each.start, each.end):
        return f"{one.code} at {one.start.offset} to {one.end.offset} and not at {each.start} to {each.end}"
    for position in (one.start, one.end):
        before = re.split(r"\r\n|\r|\n", each.text[: position.offset])
        if (position.line, position.column) != (len(before), len(before[-1]) + 1):
            return f"line {position.line}, column {position.column} for offset {position.offset}"
    suggested = re.search(r"`([^`]*)`", one.hint)
    if each.sure and (suggested is None or suggested[1] != each.right):
        return f"the hint says {one.hint!r}"
    return ""


def plant(planting: ModuleType, beds: list[Any], seed: str, count: int) -> Counter[str]:
    """So many names, one after the other; counts the styles that they were written in."""
    styles: Counter[str] = Counter()
    for number in range(count):
        chance = Random(f"{seed}/{number}")  # noqa: S311 - a reproducible choice
        each = planting.planted(chance.choice(beds), chance)
        wrong = verdict(planting, each)
        assert not wrong, (
            f"{each.where}, number {number} of seed {seed!r}, {each.style}: {wrong}\n{each.text}"
        )
        styles[each.style] += 1
        styles["sure"] += each.sure
    return styles


@pytest.mark.full
def test_names_are_planted_in_every_field(beds: list[Any]) -> None:
    steps = {step for bed in beds for site in bed.sites for step in site.address}
    assert steps >= FIELDS


@pytest.mark.parametrize("count", [80, pytest.param(400, marks=pytest.mark.full)])
def test_planted_names_are_found_at_their_place(
    planting: ModuleType, beds: list[Any], seed: str, count: int
) -> None:
    plant(planting, beds, seed, count)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["a", "b"])
def test_ten_thousand_planted_names_are_found_at_their_place(
    planting: ModuleType, beds: list[Any], seed: str, part: str
) -> None:
    styles = plant(planting, beds, f"{seed}/{part}", 10_000)
    print(dict(styles))
    assert min(styles[each] for each in ("plain", "'", '"', "|", ">")) > 1_000
    assert styles["sure"] > 4_000


ANCHORED = """\
wfc: 1
workflow: anchored
start: Asked
end: Told
events: {Asked: {text: string}, Told: {text: string, other: optional string}}
steps:
  tell:
    kind: transform
    accepts: Asked
    emit:
      - event: Told
        when: event.text == "a"
        with: &both {text: &said "${{ event.txet }}", other: *said}
      - {event: Told, with: *both}
"""


def test_a_name_in_a_text_that_aliases_repeat_is_found_once_where_it_is_written() -> None:
    (found,) = check_text(ANCHORED.encode(), "anchored.yaml").diagnostics
    assert found.code == "unknown-field"
    assert ANCHORED[found.start.offset : found.end.offset] == "txet"
    assert check_text(ANCHORED.replace("txet", "text").encode(), "anchored.yaml").diagnostics == ()


def test_a_name_in_a_text_that_is_right_at_one_place_is_found_at_the_other() -> None:
    text = ANCHORED.replace("txet", "text").replace(
        'when: event.text == "a"', "when: &when event.text == inputs.text"
    )
    text = text.replace("    emit:", '    save: {seen: "${{ event.text }}"}\n    emit:')
    text = text.replace("steps:", "state: {seen: {type: string, default: x}}\nkey: *when\nsteps:", 1)
    found = check_text(text.encode(), "anchored.yaml").diagnostics
    assert [each.code for each in found] == ["unknown-alias"]  # an anchor stands before what repeats it


# --- found before

PETS = """\
wfc: 1
workflow: pets
start: Asked
end: Told
types: {Cat: {lives: integer}, Dog: {tricks: integer}, Pet: {one_of: [Cat, Dog]}, Home: {pet: Pet}}
events: {Asked: {home: Home}, Told: {count: integer}}
steps:
  tell:
    kind: transform
    accepts: Asked
    emit:
      - event: Told
        when: event.home.pet is Cat
        with: {count: "${{ event.home.pet.lives }}"}
      - {event: Told, with: {count: "${{ event.home.pet.tricks }}"}}
"""


def test_after_a_condition_with_a_misspelt_name_nothing_is_sure_deep_down_either() -> None:
    assert check_text(PETS.encode(), "pets.yaml").diagnostics == ()
    for right, wrong in (("is Cat", "is Catt"), ("when: event", "when: evnt"), ("pet is", "pt is")):
        (found,) = check_text(PETS.replace(right, wrong).encode(), "pets.yaml").diagnostics
        assert found.start.line == 13


def test_a_name_that_is_neither_in_the_result_nor_in_the_state_is_one_mistake() -> None:
    text = PETS.replace(
        "kind: transform", 'kind: tool\n    tool: {python: "a:b", output: {seen: integer}}\n    save: [sene]'
    )
    text = text.replace("steps:", "state: {seen: {type: integer, default: 0}}\nsteps:", 1)
    assert check_text(text.replace("sene", "seen").encode(), "pets.yaml").diagnostics == ()
    (found,) = check_text(text.encode(), "pets.yaml").diagnostics
    assert (found.code, found.hint) == ("unknown-state-field", "did you mean `seen`?")
