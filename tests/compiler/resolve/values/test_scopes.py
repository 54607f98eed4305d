"""What may be mentioned where."""

from __future__ import annotations

import pytest

STEPS = """
wfc: 1
workflow: scopes
start: Asked
end: Greeted
config: {base: {type: string, default: x}}
state: {count: {type: integer, default: 0}}
tools:
  call: {http: {method: GET, url: "${{ config.base }}/${{ args.city }}%(tool)s"}, args: {city: string}, output: string}
events:
  Asked: {name: string, parts: list of string}
  Again: {name: string, note: string}
  Part: {part: string}
  Done: {part: string, title: string}
  Other: {part: string, size: integer}
  Greeted: {text: optional string}
steps:
  ask:
    kind: http
    accepts: [Asked, Again]
    method: GET
    url: ${{ config.base }}/%(url)s
    max_runs: ${{ %(max_runs)s }}
    on_limit: {event: Greeted, with: {text: "${{ %(on_limit)s }}"}}
    on_error:
      - event: Greeted
        when: %(on_error)s
    idempotency_key: a-${{ %(key)s }}
    stream: {before: "b ${{ %(before)s }}", after: "a ${{ %(after)s }}"}
    output: {mood: string}
    require: [{that: "%(require)s", say: no}]
    save: {count: "${{ %(save)s }}"}
    emit:
      - event: Greeted
        when: %(when)s
      - each: {in: inputs.parts, as: item, event: Part, with: {part: "${{ %(each)s }}"}, max: 9}
  one:
    kind: transform
    accepts: Part
    emit: {event: Done, with: {title: x}}
  two:
    kind: tool
    accepts: Part
    tool: call
    with: {city: "${{ event.part }}"}
    emit: {event: Other, with: {part: "${{ event.part }}", size: "${{ result | length }}"}}
  both:
    kind: transform
    accepts: {any: [Done, Other]}
    emit: {event: Greeted, with: {text: "${{ %(join)s }}"}}
"""

FINE = {
    "tool": "/${{ args.city }}",
    "url": "${{ event.name }}/${{ inputs.name }}/${{ state.count }}/${{ run.id }}",
    "max_runs": "inputs.parts | length",
    "on_limit": "event.name",
    "on_error": 'error.name == "http" and error.status is not none and event.name != ""',
    "key": "run.id",
    "before": "event.name",
    "after": "result.mood",
    "require": "result.mood != '' and response.status == 200",
    "save": "state.count + 1",
    "when": 'result.mood == "a" and response.status == 200 and config.base == "x"',
    "each": "item",
    "join": "events.title",
}


def places(resolved, **replaced: str):
    text = STEPS
    for name, content in {**FINE, **replaced}.items():
        text = text.replace(f"%({name})s", content)
    return resolved(text)


def test_every_place_sees_what_it_should(resolved) -> None:
    assert not places(resolved).found


@pytest.mark.parametrize(
    ("place", "text", "code", "at"),
    [
        ("tool", "/${{ event.name }}", "unknown-name", "event"),
        ("tool", "/${{ inputs.name }}", "unknown-name", "inputs"),
        ("tool", "/${{ args.cty }}", "unknown-field", "cty"),
        ("url", "${{ result.mood }}", "unknown-name", "result"),
        ("url", "${{ response.status }}", "unknown-name", "response"),
        ("url", "${{ error.name }}", "unknown-name", "error"),
        ("url", "${{ secrets.KEY }}", "unknown-name", "secrets"),
        ("url", "${{ events.name }}", "unknown-name", "events"),
        ("max_runs", "state.count", "unknown-name", "state"),
        ("max_runs", "event.name | length", "unknown-name", "event"),
        ("max_runs", "run.attempt", "unknown-name", "run"),
        ("on_limit", "result.mood", "unknown-name", "result"),
        ("on_limit", "error.name", "unknown-name", "error"),
        ("on_error", 'result.mood == "a"', "unknown-name", "result"),
        ("key", "result.mood", "unknown-name", "result"),
        ("before", "result.mood", "unknown-name", "result"),
        ("after", "error.name", "unknown-name", "error"),
        ("require", "error.name == 'a'", "unknown-name", "error"),
        ("save", "args.city", "unknown-name", "args"),
        ("when", "event.note == 'a'", "only-some-have", "note"),
        ("each", "itm", "unknown-name", "itm"),
        ("join", "event.part", "unknown-name", "event"),
        ("join", "events.part", "unknown-field", "part"),  # two of the events have it
        ("join", "events.Done.part", "may-be-null", "events.Done"),
    ],
)
def test_and_nothing_else(resolved, place: str, text: str, code: str, at: str) -> None:
    result = places(resolved, **{place: text})
    assert [each for each, _ in result.found] == [code]
    assert at in result.found[0][1]
