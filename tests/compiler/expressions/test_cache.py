"""The cache of expressions gives what was read before only where it means the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from wfc.compiler.expressions import ExpressionCache
from wfc.compiler.passes import check_text

SPECS = Path(__file__).parents[3] / "specs"
SPEC = """\
wfc: 1
workflow: twice
start: A
end: Done
state: {{count: {{type: integer, default: 0}}}}
events:
  A: {{value: {first}, other: integer}}
  B: {{value: {second}, other: integer}}
  Done: {{text: string}}
steps:
  one: {{kind: transform, accepts: A, save: {{count: "${{{{ event.other }}}}"}}, emit: {entries}}}
  two: {{kind: transform, accepts: B, emit: {entries}}}
"""


def findings(first: str, second: str, entries: str) -> list[tuple[str, int]]:
    text = SPEC.format(first=first, second=second, entries=entries)
    return [(each.code, each.start.line) for each in check_text(text.encode(), "twice.yaml").diagnostics]


def emitting(condition: str, value: str) -> str:
    return f"[{{event: Done, when: '{condition}', with: {{text: '{value}'}}}}, {{event: Done, with: {{text: x}}}}]"


TEXT = "${{ event.value }}"


def both(code: str) -> list[tuple[str, int]]:
    return [(code, 11), (code, 12)]


@pytest.mark.parametrize(
    ("first", "second", "condition", "value", "expected"),
    [
        ("integer", "string", "event.value > 3", "a", [("not-ordered", 12)]),
        ("string", "integer", "event.value > 3", "a", [("not-ordered", 11)]),
        ("string", "optional string", "event.other > 3", TEXT, [("wrong-value", 12)]),
        ("optional string", "string", "event.other > 3", TEXT, [("wrong-value", 11)]),
        ("optional string", "optional string", "event.value is not none", TEXT, []),
        ("optional string", "optional string", "event.value is none", TEXT, both("wrong-value")),
        ("{enum: [a, b]}", "{enum: [b, c]}", 'event.value == "a"', TEXT, [("no-such-value", 12)]),
        ("{enum: [a, b]}", "{enum: [a, b]}", 'event.value == "b"', TEXT, []),
        ("string", "{x: string}", "event.other > 3", "v ${{ event.value }}", [("needs-json", 12)]),
        ("string", "string", "event.other > 3", "v {{ event.value }}", both("braces-without-dollar")),
        ("string", "string", 'event.valu == ""', "a", both("unknown-field")),
    ],
)
def test_a_text_is_judged_by_the_types_of_each_place(
    first: str, second: str, condition: str, value: str, expected: list[tuple[str, int]]
) -> None:
    entries = emitting(condition, value)
    told = [each for each in findings(first, second, entries) if each[0] not in ABOUT_FLOW]
    assert told == expected


ABOUT_FLOW = {"event-never-emitted", "unreachable-step"}


def test_what_comes_again_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from wfc.compiler.expressions.syntax import template_parser

    read: list[str] = []
    reading = template_parser.read_expression

    def noting(text: str, *more: object, **others: object) -> object:
        read.append(text)
        return reading(text, *more, **others)

    monkeypatch.setattr(template_parser, "read_expression", noting)
    text = "${{ event.value + 1 }}"
    entries = "".join(
        f"      - {{event: Done, when: event.value == {number}, with: {{value: '{text}'}}}}\n"
        for number in range(9)
    )
    spec = (
        "wfc: 1\nworkflow: again\nstart: A\nend: Done\nevents: {A: {value: integer}, Done: {value: integer}}\n"
        f"steps:\n  one:\n    kind: transform\n    accepts: A\n    emit:\n{entries}      - Done\n"
    )
    assert not check_text(spec.encode(), "again.yaml").diagnostics
    assert read == [text] * 2  # and seven times not: what comes a second time is kept


def test_without_the_cache_the_same_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The specs of the repository, as they are and with a field of every event made optional."""
    specs = sorted(path for path in SPECS.rglob("*.yaml"))
    assert len(specs) > 20
    texts = [path.read_bytes() for path in specs]
    texts += [text.replace(b": string", b": optional string", 3) for text in texts]
    remembered = [check_text(text, "spec.yaml").diagnostics for text in texts]
    monkeypatch.setattr(ExpressionCache, "get", lambda *_: None)
    assert [check_text(text, "spec.yaml").diagnostics for text in texts] == remembered
