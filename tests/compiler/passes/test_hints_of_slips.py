"""What is said of slips that look like another mistake: no hint is for one cause alone where there are two."""

from __future__ import annotations

import pytest

from wfc.compiler.passes import check_text

CALL = """\
wfc: 1
workflow: greet
start: Asked
end: [Greeted, Refused]
events:
  Asked: {name: string}
  Greeted: {text: string}
  Refused: {}
steps:
  call:
    kind: http
    accepts: Asked
    method: GET
    url: https://greet.example/
    output: {text: string}
    on_error:
      - {errors: [http.4xx], when: error.status == 404, event: Refused}
    emit: {event: Greeted, with: {text: "${{ result.text }}"}}
tests:
  - name: fine
    start: {name: Ada}
    mock: {call: {text: x}}
    expect: {end: Greeted, with: {text: x}}
"""
BASES = {"call": CALL}
EVENTS = CALL[CALL.index("events:") : CALL.index("steps:")]
TORN = EVENTS.replace("  Greeted: {text: string}\n", "")
MOCK = "{call: {text: x}}"
TOLD = "  Refused: {}\n  Told: {}\nsteps:\n  tell: {kind: transform, accepts: Told, emit: Refused}\n"
AT_ONCE = "it is a key of a step, beside its `kind`, or of a batch: `each: {"


@pytest.mark.parametrize("base", BASES)
def test_what_the_slips_are_made_in_is_right(base: str) -> None:
    assert not check_text(BASES[base].encode(), "spec.yaml").diagnostics


@pytest.mark.parametrize(
    ("base", "right", "wrong", "said"),
    [
        # a comma in place of a colon cuts no text behind a map, a list or quotes
        ("call", EVENTS, "events: {Asked: {name: string}, Greeted, {text: string}, Refused: {}}\n", [
            ("text-cut-by-comma", "write `Greeted: {…`: a colon stands between a key and its value")]),
        ("call", EVENTS, "events: {Asked: {name: string}, Greeted: {text: string}, Refused}\n", [
            ("text-cut-by-comma", "write `key: value`, or `[ ]` for a list")]),
        ("call", 'result.text }}"}', 'result.text }}", b}', [
            ("text-cut-by-comma", "write `key: value`, or `[ ]` for a list")]),
        ("call", "{name: Ada}", "{name: Ada, b}", [
            ("text-cut-by-comma", "put the text in quotes, or write `b: …` if that is another key")]),
        # the colon before the name
        ("call", EVENTS, f"{TORN}  :Greeted {{text: string}}\n", [("bad-name", "write `Greeted: {text: string}`")]),
        # the words with which an answer of a test begins are meant, too
        ("call", MOCK, "{call: {eror: http.500}}", [("unknown-entry", "did you mean `error`?")]),
        ("call", MOCK, "{call: {error:: http.500}}", [("unknown-entry", "did you mean `error`?")]),
        ("call", MOCK, "{call: {giv: {text: x}}}", [("unknown-entry", "did you mean `give`?")]),
        ("call", MOCK, "{call: {txt: x}}", [("unknown-entry", "did you mean `text`?")]),
        ("call", "with: {text: x}", "with: {txt: x}", [("unknown-entry", "did you mean `text`?")]),
        # no batch is meant where nothing is said of one
        ("call", "when: error.status == 404", "concurrency: 3", [("misplaced-key", "move it there")]),
        ("call", "when: error.status == 404", "concurrency: error.status == 404", [("unknown-key", AT_ONCE)]),
        ("call", "when: error.status == 404", "max: 3", [("unknown-key", "all that a batch needs stands within it")]),
        # what comes from outside
        ("call", "  Refused: {}\nsteps:\n", TOLD, [
            ("event-never-emitted", "let a step `emit: Told`, or accept another event; one that comes from outside")]),
    ],
)  # fmt: skip
def test_what_is_said_of_a_slip(base: str, right: str, wrong: str, said: list[tuple[str, str]]) -> None:
    assert BASES[base].count(right) == 1
    found = check_text(BASES[base].replace(right, wrong).encode(), "spec.yaml").diagnostics
    assert [each.code for each in found] == [code for code, _ in said]
    for each, (_, hint) in zip(found, said, strict=True):
        assert each.hint.startswith(hint), each.hint
