"""Entries of `on_error` that ask for a `body`, against a judge that is written without types."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

BODIES: dict[str, Any] = {
    "string": lambda body: isinstance(body, str),
    "integer": lambda body: isinstance(body, int) and not isinstance(body, bool),
    "list of integer": lambda body: isinstance(body, list) and all(BODIES["integer"](each) for each in body),
    "{a: string}": lambda body: isinstance(body, dict) and isinstance(body.get("a"), str),
    "{a: optional integer}": lambda body: (
        isinstance(body, dict) and (body.get("a") is None or BODIES["integer"](body["a"]))
    ),
    "{b: {a: string}}": lambda body: isinstance(body, dict) and BODIES["{a: string}"](body.get("b")),
    "optional string": lambda body: body is None or isinstance(body, str),
    "any": lambda body: True,
}
ERRORS = {
    "": lambda error: True,
    "http": lambda error: True,
    "http.4xx": lambda error: 400 <= error < 500,
    "http.409": lambda error: error == 409,
}
REPLIES: list[Any] = [
    None, "x", 7, True, [1, 2], [1, "x"], [], {}, {"a": "x"}, {"a": 7}, {"a": None}, {"b": {"a": "x"}},
    {"b": 1, "a": "y"},
]  # fmt: skip


@pytest.mark.parametrize(
    "number", [*range(4), *(pytest.param(each, marks=pytest.mark.full) for each in range(4, 12))]
)
def test_the_first_entry_that_fits_is_taken(shown: Any, number: int) -> None:
    chance = random.Random(f"replies {number}")  # noqa: S311
    entries = [
        (chance.choice(list(ERRORS)), chance.choice(list(BODIES)), chance.choice([None, None, "409", "500"]))
        for _ in range(chance.randint(1, 6))
    ]
    written = []
    for place, (errors, body, when) in enumerate(entries):
        parts = [f"body: {body}", f"fail: 'entry {place}'"]
        parts += [f"errors: [{errors}]"] * bool(errors) + [f"when: error.status == {when}"] * bool(when)
        written.append(f"{{{', '.join(parts)}}}")
    cases = []
    for index, (status, reply) in enumerate(
        [(status, reply) for status in (409, 404, 500) for reply in REPLIES]
    ):
        fitting = (
            place
            for place, (errors, body, when) in enumerate(entries)
            if ERRORS[errors](status) and BODIES[body](reply) and (when is None or int(when) == status)
        )
        taken = next(fitting, None)
        fails = f"http.{status}" if taken is None else f"entry {taken}"
        answer = f"{{error: http.{status}, body: {json.dumps(reply)}}}"
        cases.append(f"  - {{name: case {index}, mock: {{ask: {answer}}}, expect: {{fails: {fails}}}}}")
    shown.tests(
        "start: Asked\nend: Told\nevents: {Asked: {}, Told: {}}\nsteps:\n  ask:\n    kind: http\n    accepts: Asked\n"
        f"    method: GET\n    url: https://a.example\n    on_error: [{', '.join(written)}]\n    emit: Told\ntests:\n"
        + "\n".join(cases)
    )
