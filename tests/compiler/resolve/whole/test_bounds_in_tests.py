"""Constants in a spec's tests are held against the bounds of their types, where they stand."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from wfc.compiler.passes import check_text
from wfc.runtime.values.outputs import problems

SPEC = """\
wfc: 1
workflow: bounded
start: Asked
end: Answered
config:
  most: {type: integer, max: 3, default: 2}
tools:
  look:
    python: "shop:look"
    args: {}
    output: {found: {type: integer, min: 3}, names: {type: list of string, min_length: 1}}
events:
  Asked:
    names: {type: list of string, max_length: 2}
    prices: {type: map of number, min_length: 1}
    code: {type: string, pattern: "[a-z]+", max_length: 3}
  Answered: {found: {type: integer, max: 9}, names: {type: list of string, max_length: 2}}
state:
  code: {type: string, pattern: "[a-z]*", default: ""}
steps:
  look:
    kind: tool
    accepts: Asked
    tool: look
    save: {code: "${{ event.code }}"}
    emit: {event: Answered, with: {names: [a, "${{ event.code }}"]}}
tests:
  - name: one
    config: {most: 3}
    start: {names: [a, b], prices: {a: 1}, code: abc}
    mock: {look: {found: 5, names: [a]}}
    expect: {end: Answered, with: {found: 9, names: [a, b]}, state: {code: abc}}
  - name: two
    like: one
    start: {code: xyz}
    expect: {end: Answered}
"""


def findings(spec: str) -> list[tuple[str, str]]:
    return [
        (spec[each.start.offset : each.end.offset], each.message)
        for each in check_text(spec.encode(), "trial.yaml").diagnostics
        if each.severity.word == "error"
    ]


def test_what_is_in_its_bounds_is_fine() -> None:
    assert findings(SPEC) == []


@pytest.mark.parametrize(
    ("right", "wrong", "marked", "message"),
    [
        (
            "names: [a, b], prices",
            "names: [a, b, c], prices",
            "[a, b, c]",
            "at most 2 items allowed, found 3",
        ),
        ("prices: {a: 1}", "prices: {}", "{}", "at least 1 item wanted, found 0"),
        ("code: abc}\n    mock", "code: abcd}\n    mock", "abcd", "at most 3 characters allowed, found 4"),
        ("code: abc}\n    mock", "code: AB}\n    mock", "AB", 'not as the pattern `"[a-z]+"` says'),
        ("code: xyz", "code: X", "X", "not as the pattern"),
        ("found: 5", "found: 2", "2", "at least 3 wanted, found 2"),
        ("found: 5, names: [a]", "found: 5, names: []", "[]", "at least 1 item wanted, found 0"),
        ("found: 9", "found: 10", "10", "at most 9 allowed, found 10"),
        (
            "found: 9, names: [a, b]",
            "found: 9, names: [a, b, c]",
            "[a, b, c]",
            "at most 2 items allowed, found 3",
        ),
        ("state: {code: abc}", "state: {code: a1}", "a1", "not as the pattern"),
        ("config: {most: 3}", "config: {most: 4}", "4", "at most 3 allowed, found 4"),
        (
            'names: [a, "${{',
            'names: [a, b, "${{',
            '[a, b, "${{ event.code }}"]',
            "at most 2 items allowed, found 3",
        ),
        ('default: ""', 'default: "A1"', '"A1"', "not as the pattern"),
    ],
)
def test_what_is_out_of_its_bounds_is_told_where_it_stands(
    right: str, wrong: str, marked: str, message: str
) -> None:
    assert SPEC.count(right) == 1
    found = findings(SPEC.replace(right, wrong))
    assert len(found) == 1
    assert found[0][0] == marked
    assert message in found[0][1]


@pytest.mark.parametrize(
    ("bounds", "value", "message"),
    [
        (Annotated[list[str], Field(max_length=2)], ["a"] * 3, "at most 2 items allowed"),
        (Annotated[list[str], Field(min_length=1)], [], "at least 1 item wanted"),
        (Annotated[str, Field(max_length=1)], "ab", "at most 1 character allowed"),
        (Annotated[str, Field(min_length=2)], "a", "at least 2 characters wanted"),
        (Annotated[int, Field(le=3)], 4, "at most 3 allowed"),
        (Annotated[int, Field(ge=3)], 2, "at least 3 wanted"),
        (Annotated[str, Field(pattern="^a$")], "b", "not as the pattern `^a$` says"),
    ],
)
def test_a_run_says_the_same_of_what_comes_from_outside(bounds: object, value: object, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(bounds).validate_python(value)
    assert problems(caught.value).startswith(message)
