"""How findings look."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfc.compiler.diagnostics import Diagnostic, Position, Related, Severity
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.diagnostics.render import render
from wfc.compiler.diagnostics.text import MOST_SHOWN, frame, summary


def position(text: str, offset: int) -> Position:
    line = text.count("\n", 0, offset)
    return Position(line + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1, offset)


def finding(text: str, start: int, end: int, **parts: object) -> Diagnostic:
    fields = {"code": "some-code", "message": "it is wrong", "severity": Severity.ERROR, **parts}
    return Diagnostic("a.yaml", position(text, start), position(text, end), **fields)  # type: ignore[arg-type]


TEXT = "wfc: 1\nstart: Aksed\nend: Done\n"


def test_full_shows_the_line_the_stretch_related_places_and_the_hint() -> None:
    shown = finding(
        TEXT,
        14,
        19,
        hint="did you mean `Asked`?",
        related=(Related(position(TEXT, 20), "the end is declared here", "a.yaml"),),
    )
    assert render([shown], {"a.yaml": TEXT}) == (
        "a.yaml:2:8: error: it is wrong [some-code]\n"
        "   2 | start: Aksed\n"
        "     |        ^^^^^\n"
        "     = 3:1: the end is declared here\n"
        "     = did you mean `Asked`?\n"
        "\n"
    )


def test_concise_is_one_line_each() -> None:
    shown = [finding(TEXT, 14, 19), finding(TEXT, 20, 23, severity=Severity.WARNING)]
    assert render(shown, {"a.yaml": TEXT}, form="concise") == (
        "a.yaml:2:8: error: it is wrong [some-code]\na.yaml:3:1: warning: it is wrong [some-code]\n"
    )


def test_json_has_the_promised_keys_and_no_others() -> None:
    (record,) = json.loads(render([finding(TEXT, 14, 19, hint="h")], {}, form="json"))
    assert record == {
        "code": "some-code",
        "severity": "error",
        "message": "it is wrong",
        "hint": "h",
        "path": "a.yaml",
        "start": {"line": 2, "column": 8, "offset": 14},
        "end": {"line": 2, "column": 13, "offset": 19},
        "fix": None,
        "suppressed": None,
    }


def test_no_findings_are_an_empty_list_in_json_and_nothing_else_elsewhere() -> None:
    assert render([], {}, form="json") == "[]\n"
    assert render([], {}) == ""


def test_the_hundred_and_first_is_counted_only_and_json_has_all() -> None:
    many = [finding(TEXT, 14, 19)] * (MOST_SHOWN + 7)
    lines = render(many, {}, form="concise").splitlines()
    assert len(lines) == MOST_SHOWN + 1
    assert lines[-1] == "and 7 more"
    assert len(json.loads(render(many, {}, form="json"))) == MOST_SHOWN + 7


@pytest.mark.parametrize(
    ("errors", "warnings", "words"),
    [
        (0, 0, "no findings"),
        (1, 0, "1 error"),
        (2, 1, "2 errors and 1 warning"),
        (0, 3, "3 warnings"),
    ],
)
def test_summary_counts(errors: int, warnings: int, words: str) -> None:
    found = [finding(TEXT, 0, 3)] * errors + [finding(TEXT, 0, 3, severity=Severity.WARNING)] * warnings
    assert summary(found) == words


@pytest.mark.parametrize(
    ("text", "start", "end", "line", "caret"),
    [
        ("a: b", 3, 4, "a: b", "   ^"),
        ("a: b", 4, 4, "a: b", "    ^"),  # the end of a line
        ("", 0, 0, "", "^"),
        ("a: |\n  x\n  y\n", 7, 13, "  x", "  ^"),  # over several lines: to the end of the first
        ("\ta: b", 4, 5, "    a: b", "       ^"),
        ("工单: 错", 4, 5, "工单: 错", "      ^^"),  # wide characters take two cells
        ("e\u0301: b", 4, 5, "e\u0301: b", "   ^"),  # combining ones take none
        ("a: \x1b[31mb", 3, 8, "a: \\x1b[31mb", "   ^^^^^^^^"),  # written out, never sent to the terminal
        ("a: \u202eb", 3, 5, "a: \\u202eb", "   ^^^^^^^"),
        ("a: b\r\nc: d", 3, 4, "a: b", "   ^"),
    ],
)
def test_the_marks_are_under_the_stretch(text: str, start: int, end: int, line: str, caret: str) -> None:
    assert frame(text, position(text, start), position(text, end)) == (line, caret)


def test_a_long_line_is_cut_around_the_stretch() -> None:
    text = "x" * 5000 + "WRONG" + "y" * 5000
    line, caret = frame(text, position(text, 5000), position(text, 5005))
    assert len(line) < 130
    begin = caret.index("^")
    assert line[begin : begin + caret.count("^")] == "WRONG"
    assert line.startswith("… ")
    assert line.endswith(" …")


@given(st.text())
def test_nothing_printed_steers_a_terminal(text: str) -> None:
    assert printable(text).isprintable()


@given(st.text(), st.data())
def test_any_place_in_any_text_can_be_shown(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    out = render([finding(text, start, end, message=text, hint=text)], {"a.yaml": text})
    assert all(line.isprintable() for line in out.split("\n"))
    assert "^" in out or not text
