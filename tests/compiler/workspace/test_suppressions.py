"""``# wfc: ignore[code] because …``: where it counts, what it cannot do, and what is left of it."""

from __future__ import annotations

import pytest

from wfc.compiler.passes import check_text
from wfc.compiler.workspace.compiled import Compiled

SPEC = """\
wfc: 1
workflow: greet
start: Asked
end: Greeted
events:
  Asked: {name: string}
  Greeted: {text: string}
  Forgotten: {name: string}
steps:
  greet:
    kind: transform
    accepts: Asked
    emit:
      - event: Greeted
        when: event.name == "x"
        with: {text: "Hello {{ name }}"}
      - event: Greeted
        with: {text: Hello}
"""
IGNORE = "# wfc: ignore[unused-event] because it comes later"


def check(text: str) -> Compiled:
    return check_text(text.encode(), "a.yaml")


def codes(checked: Compiled) -> list[str]:
    return [each.code for each in checked.diagnostics]


def test_the_spec_has_two_warnings() -> None:
    assert codes(check(SPEC)) == ["unused-event", "braces-without-dollar"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  Forgotten: {name: string}", f"  Forgotten: {{name: string}}  {IGNORE}"),
        ("  Forgotten: {name: string}", f"  {IGNORE}\n  Forgotten: {{name: string}}"),
        ("  Forgotten: {name: string}", f"{IGNORE}\n\n  # and so on\n  Forgotten: {{name: string}}"),
        ("  Forgotten: {name: string}", f"  Forgotten:  {IGNORE}\n    name: string"),
        ("\n", "\r\n"),
    ],
)
def test_a_comment_counts_on_the_line_or_on_a_line_of_its_own_above(old: str, new: str) -> None:
    text = SPEC.replace("  Forgotten: {name: string}", f"  Forgotten: {{name: string}} {IGNORE}")
    checked = check(text.replace(old, new) if old == "\n" else SPEC.replace(old, new))
    assert codes(checked) == ["braces-without-dollar"]
    assert [(each.code, each.suppressed) for each in checked.suppressed] == [
        ("unused-event", "it comes later")
    ]


@pytest.mark.parametrize(
    "new",
    [
        f"  Greeted: {{text: string}}  {IGNORE}\n  Forgotten: {{name: string}}",  # on another's line
        f"  Forgotten: {{name: string}}\n  {IGNORE}",  # below
    ],
)
def test_elsewhere_it_does_nothing_and_that_is_said(new: str) -> None:
    text = SPEC.replace("  Greeted: {text: string}\n", "") if "Greeted" in new else SPEC
    assert sorted(codes(check(text.replace("  Forgotten: {name: string}", new)))) == [
        "braces-without-dollar",
        "unused-event",
        "unused-suppression",
    ]


@pytest.mark.parametrize(
    "with_it",
    [
        '"Hello # wfc: ignore[unused-event] because {{ name }}"',
        "'a\n          # wfc: ignore[unused-event] because {{ name }}'",
        "|\n            # wfc: ignore[unused-event] because\n            {{ name }}",
    ],
)
def test_inside_a_text_it_is_text(with_it: str) -> None:
    text = SPEC.replace('{text: "Hello {{ name }}"}', f"\n          text: {with_it}")
    assert codes(check(text)) == ["unused-event", "braces-without-dollar"]


def test_on_the_line_of_a_blocks_beginning_it_is_a_comment() -> None:
    begins = "\n          text: |  # wfc: ignore[braces-without-dollar] because they are meant"
    block = f"{begins}\n            {{{{ name }}}}"
    assert "unused-suppression" in codes(check(SPEC.replace('{text: "Hello {{ name }}"}', block)))
    above = block.replace(
        "\n            {{", "\n            a\n            {{"
    )  # the finding is on a line of the block
    assert "braces-without-dollar" in codes(check(SPEC.replace('{text: "Hello {{ name }}"}', above)))


def test_it_may_stand_after_a_condition() -> None:
    text = SPEC.replace('== "x"', f'== "x"  {IGNORE}')
    assert "comment-after-condition" not in codes(check(text))


def test_two_codes_and_one_of_them_unused() -> None:
    comment = "# wfc: ignore[unused-event, unused-declaration] because"
    text = SPEC.replace("{name: string}\nsteps", f"{{name: string}} {comment} later\nsteps")
    checked = check(text)
    assert codes(checked) == ["unused-suppression", "braces-without-dollar"]
    fix = checked.diagnostics[0].fix
    assert fix is not None
    (edit,) = fix.edits
    assert text[: edit.start.offset] + text[edit.end.offset :] == text.replace(", unused-declaration", "")


def test_where_there_is_an_error_nothing_is_said_to_be_unused() -> None:
    """A rule that was not asked may have had something to say."""
    text = SPEC.replace("accepts: Asked", f"accepts: Aksed  {IGNORE}")
    assert "unused-suppression" not in codes(check(text))


def test_an_error_cannot_be_ignored() -> None:
    text = SPEC.replace("accepts: Asked", "accepts: Aksed  # wfc: ignore[unknown-event] because so")
    assert {"unknown-event", "error-suppressed"} <= set(codes(check(text)))
