"""Replies of services: `response` where a tool or a `map` asks one, and entries of `on_error` that ask for a `body`."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from .test_requests import Service, run, service

__all__ = ["service"]

TOOL = """
start: Asked
end: Told
secrets: [TOKEN]
config: {url: {type: string, format: uri}}
tools:
  page:
    http: {method: GET, url: "${{ config.url }}/pages/${{ args.number }}", auth: {bearer: TOKEN}}
    args: {number: integer}
    output: {n: integer}
events: {Asked: {}, Told: {n: integer, seen: string, status: integer}}
steps:
  look:
    kind: tool
    accepts: Asked
    tool: page
    with: {number: 7}
    retry: {max_attempts: 2, delay: 1 ms}
    require: [{that: response.status == 200, say: only 200 counts}]
    stream: {after: "it was ${{ response.status }}"}
    emit:
      event: Told
      with:
        n: ${{ result.n }}
        seen: ${{ response.headers['x-seen'] | default('-') }}
        status: ${{ response.status }}
"""
MAP = """
start: Asked
end: Told
config: {url: {type: string, format: uri}}
tools:
  page:
    http: {method: GET, url: "${{ config.url }}/pages/${{ args.number }}"}
    args: {number: integer}
    output: {n: integer}
events: {Asked: {numbers: list of integer}, Told: {found: list of string}}
steps:
  look:
    kind: map
    accepts: Asked
    in: event.numbers
    as: number
    max: 9
    concurrency: 1
    do: DO
    require: [{that: response.status < 203, say: no}]
    give: "${{ number }}: ${{ response.status }} ${{ response.headers['x-seen'] | default('-') }} ${{ result.n }}"
    on_item_error: {give: "${{ number }}: ${{ error.name }}"}
    emit: {event: Told, with: {found: "${{ result }}"}}
"""


def test_a_tool_that_is_a_request_has_a_response(shown: Any, service: Service) -> None:
    workflow = shown.workflow(TOOL)
    service.answers = [(202, {}, '{"n": 1}'), (200, {"X-Seen": "now"}, '{"n": 2}')]
    told = run(workflow)
    assert (told.n, told.seen, told.status) == (2, "now", 200)


@pytest.mark.parametrize(
    "do",
    [
        '{kind: http, method: GET, url: "${{ config.url }}/pages/${{ number }}", output: {n: integer}}',
        '{kind: tool, tool: page, with: {number: "${{ number }}"}}',
    ],
    ids=["http", "tool"],
)
def test_each_request_of_a_map_has_its_own_response(shown: Any, service: Service, do: str) -> None:
    workflow = shown.workflow(MAP.replace("DO", do))
    service.answers = [
        (200, {"X-Seen": "a"}, '{"n": 1}'),
        (201, {}, '{"n": 2}'),
        (203, {"X-Seen": "c"}, '{"n": 3}'),
        (404, {}, '{"n": 4}'),
    ]
    assert run(workflow, numbers=[1, 2, 3, 4]).found == [
        "1: 200 a 1",
        "2: 201 - 2",
        "3: requirement",
        "4: http.404",
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "tool: page\n",
            'tool: {python: "stage:plain", output: {n: integer}}\n',
            ["unknown-name response"] * 4,
        ),
        ("response.status == 200", "response.state == 200", ["unknown-field state"]),
    ],
)
def test_only_what_sends_a_request_has_a_response(
    shown: Any, old: str, new: str, expected: list[str]
) -> None:
    assert old in TOOL
    found = [each for each in shown.findings(TOOL.replace(old, new)) if "unused" not in each]
    assert found == expected


# --- entries of `on_error` against a judge that is written without types

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


@pytest.mark.parametrize("number", range(12))
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
