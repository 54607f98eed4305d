"""Values exchanged with each other, and mistakes that only look like it."""

from __future__ import annotations

import pytest

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.passes import check_text

SPEC = """\
wfc: 1
workflow: shown
start: Asked
end: Told
tools:
  look: {python: "shop:look", args: {name: string}, output: {price: integer}}
events:
  Asked: {name: string, guests: integer}
  Found: {price: integer}
  Told: {text: string}
steps:
  find:
    kind: tool
    accepts: Asked
    tool: look
    args: {name: "${{ event.name }}"}
    timeout: 10s
    emit: Found
  tell:
    kind: transform
    accepts: Found
    emit: {event: Told, with: {text: "${{ event.price * inputs.guests }} for all"}}
tests:
  - name: told
    start: {name: soup, guests: 2}
    mock: {find: {price: 3}}
    expect: {end: Told}
"""


def findings(*changes: tuple[str, str]) -> tuple[Diagnostic, ...]:
    text = SPEC
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return check_text(text.encode(), "spec.yaml").diagnostics


def written(found: Diagnostic) -> str:
    """What is marked, by line and column, and the places of the notes."""
    return " ".join(
        f"{each.line}:{each.column}" for each in (found.start, *(each.position for each in found.related))
    )


def test_the_spec_is_right() -> None:
    assert not findings()


@pytest.mark.parametrize(
    ("changes", "code", "places"),
    [
        ([("name: string, guests: integer", "name: integer, guests: string")], "exchanged-values", "8:11 8:26"),
        ([("name: soup, guests: 2", "name: 2, guests: soup")], "exchanged-values", "25:13 25:22"),
        ([("kind: tool\n    accepts: Asked", "kind: Asked\n    accepts: tool")], "unknown-kind", "13:11 14:5"),
        ([("timeout: 10s\n    emit: Found", "timeout: Found\n    emit: 10s")], "exchanged-values", "17:5 18:5"),
        (
            [("  find:\n", "  tell:\n"), ("  tell:\n    kind: tr", "  find:\n    kind: tr")],
            "exchanged-values",
            "12:3 19:3",
        ),
        ([("start: Asked\nend: Told", "start: Told\nend: Asked")], "exchanged-values", "3:1 4:1"),
    ],
)  # fmt: skip
def test_both_places_of_an_exchange_are_named(changes: list[tuple[str, str]], code: str, places: str) -> None:
    text = SPEC
    for old, new in changes:
        text = text.replace(old, new, 1)
    (found,) = check_text(text.encode(), "spec.yaml").diagnostics
    assert found.code == code
    assert written(found) == places


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        (("guests: 2", 'guests: "2"'), ["wrong-value"]),
        (("timeout: 10s", "timeout: soon"), ["bad-duration"]),
        (("mock: {find: {price: 3}}", "mock: {find: {price: 3}, tell: {}}"), ["step-without-action"]),
        (("name: string, guests: integer", "name: string, guests: string"), ["no-arithmetic", "wrong-value"]),
        (("kind: transform", "kind: Found"), ["unknown-kind"]),
    ],
)
def test_other_mistakes_are_no_exchange(change: tuple[str, str], codes: list[str]) -> None:
    found = findings(change)
    assert [each.code for each in found] == codes
    assert not any("exchanged" in note.words for each in found for note in each.related)


def test_a_fix_exchanges_the_values() -> None:
    (found,) = findings(("name: string, guests: integer", "name: integer, guests: string"))
    assert found.fix is not None
    assert [(each.start.column, each.text) for each in found.fix.edits] == [(16, " string"), (33, " integer")]
