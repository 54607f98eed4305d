"""Fixes applied: in every style of scalar, without touching anything else, and to the end."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfc.compiler.diagnostics import Diagnostic, Position, Repair, Severity, TextEdit
from wfc.compiler.diagnostics.fixes import apply_fixes, fix_until_stable
from wfc.compiler.passes import check_text

ROOT = Path(__file__).parents[3]


def mended(text: str, *, unsafe: bool = False) -> str:
    def check(changed: str) -> tuple[Diagnostic, ...]:
        return check_text(changed.encode(), "a.yaml").diagnostics

    return fix_until_stable(text, check(text), check, unsafe=unsafe).text


SPEC = """\
wfc: 1
workflow: greet   # a comment
start: Asked
end: Greeted
models:
  fast: {use: "openai:gpt-4o-mini"}
events:
  Asked: {name: string, note: optional string}
  Greeted: {text: string}
steps:
  greet:
    kind: llm
    accepts: Asked
    model: fast
    prompt: PROMPT
    emit: Greeted
"""


@pytest.mark.parametrize(
    "prompt",
    [
        "Greet ${{ event.nmae }}.",
        "'It''s ${{ event.nmae }}, it''s'",
        '"A \\"quoted\\" \\u00e9 ${{ event.nmae }} tab\\t"',
        '"folded\n      over ${{ event.nmae }}\n\n      lines"',
        "plain\n      over ${{ event.nmae }}\n      lines",
        "|\n      Literal ${{ event.nmae }}\n\n        deeper\n",
        "|2-\n      Indented ${{ event.nmae }}",
        ">\n      Folded\n      ${{ event.nmae }}\n\n      and on\n",
        ">+\n      kept ${{ event.nmae }}\n\n",
        "&anchor Anchored ${{ event.nmae }}",
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_name_is_corrected_in_every_style_and_nothing_else_changes(prompt: str, newline: str) -> None:
    text = SPEC.replace("PROMPT", prompt).replace("\n", newline)
    assert mended(text) == text.replace("nmae", "name")


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("model: fast", 'model: "fats"'),
        ("model: fast", "model: 'fats'"),
        ("model: fast", "model: fats  # cheap"),
        ("    model: fast", "    modle: fast"),
        ("    model: fast", '    "modle": fast'),
        ("accepts: Asked", "accepts: [Aksed]"),
        ("accepts: Asked", "accepts:\n      - Aksed # why"),
        ("kind: llm", "kind: LLM"),
        ("name: string,", "name: strnig,"),
        ("name: string,", "name: str,"),
        ("optional string", "optional optional string"),
        ("end: Greeted", "end: greeted"),
        ("accepts: Asked", "accepts: [Asked, Asked]"),
        ("accepts: Asked", "accepts:\n      - Asked\n      - Asked   # again\n"),
        ("PROMPT", "Hello: ${{ event.name }}"),
        ("PROMPT", "${{ event.name || 'x' }}".replace("||", "+")),
        ("    model: fast", "    model: fast\n    timeout: 30 sec"),
    ],
)
def test_what_is_safe_leaves_no_finding(wrong: str, right: str) -> None:
    text = SPEC.replace(wrong, right).replace("PROMPT", "Hi")
    after = mended(text)
    assert not check_text(after.encode(), "a.yaml").diagnostics, after
    assert "# a comment" in after


@pytest.mark.parametrize(
    ("extra", "gone"),
    [
        ("retries:\n  standard: {max_attempts: 3}   # none\n", True),
        ("retries:\n  # why\n  a: {max_attempts: 3}\n", True),
        ("types:\n  A: {x: string}\n  B: {y: string} # used\n", True),
        ("types: {A: {x: string}, B: {y: string}}\n", True),
        ("types: {A: {x: string}, # not B\n  B: {y: string}}\n", False),
        ("secrets: [A, B]\n", True),
        ("secrets:\n  - A\n  - B\n", True),
    ],
)
def test_what_nothing_uses_is_removed_with_its_lines(extra: str, gone: bool) -> None:
    """But for one with a comment between braces, which would be lost."""
    text = SPEC.replace("PROMPT", "Hi")
    after = mended(extra + text, unsafe=True)
    assert (after == text) == gone, after
    assert bool(check_text(after.encode(), "a.yaml").diagnostics) != gone


def test_what_an_alias_repeats_is_left_alone() -> None:
    text = SPEC.replace("PROMPT", "&p Hi ${{ event.nmae }}").replace("emit:", "system: *p\n    emit:")
    after = mended(text)
    assert after == text.replace("nmae", "name")  # where it stands, once; the alias has no fix of its own
    assert not check_text(after.encode(), "a.yaml").diagnostics


def test_a_key_that_is_there_already_is_not_written_twice() -> None:
    text = SPEC.replace("PROMPT", "Hi").replace(
        "emit: Greeted", "emit: {event: Greeted, with: {text: a, txet: b}}"
    )
    assert mended(text, unsafe=True) == text


def at(offset: int) -> Position:
    return Position(1, offset + 1, offset)


def finding(*edits: tuple[int, int, str]) -> Diagnostic:
    repair = Repair("do it", "safe", tuple(TextEdit(at(start), at(end), new) for start, end, new in edits))
    return Diagnostic("a.yaml", at(0), at(1), "x", "x", Severity.ERROR, fix=repair)


def test_of_fixes_that_overlap_the_first_counts_as_a_whole() -> None:
    one, two, three = finding((0, 2, "AB")), finding((1, 3, "x"), (5, 6, "y")), finding((4, 5, "E"))
    assert apply_fixes("abcdef", [one, two, three], {"safe"}) == ("ABcdEf", [one, three])


def test_two_that_insert_at_one_place_overlap() -> None:
    one, two = finding((1, 1, "+")), finding((1, 1, "-"))
    assert apply_fixes("ab", [one, two], {"safe"}) == ("a+b", [one])


def test_a_fix_that_mends_nothing_ends() -> None:
    """Here each check finds the same again."""
    result = fix_until_stable("a", [finding((0, 0, "x"))], lambda _: [finding((0, 0, "x"))])
    assert result.text == "x" * 20 + "a"
    swapped = fix_until_stable("ab", [finding((0, 2, "ba"))], lambda text: [finding((0, 2, text[::-1]))])
    assert swapped.text in {"ab", "ba"}


@given(st.text(), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5), st.text(max_size=3)), max_size=6))
def test_what_no_edit_covers_stays(text: str, edits: list[tuple[int, int, str]]) -> None:
    findings = [
        finding((min(start, len(text)), min(start + length, len(text)), new)) for start, length, new in edits
    ]
    after, done = apply_fixes(text, findings, {"safe"})
    covered = sorted(
        (edit.start.offset, edit.end.offset, edit.text)
        for each in done
        if each.fix
        for edit in each.fix.edits
    )
    expected, at_ = "", 0
    for start, end, new in covered:
        expected += text[at_:start] + new
        at_ = end
    assert after == expected + text[at_:]


SPECS = sorted((ROOT / "specs").glob("*.yaml"))


def slip(word: str, rng: random.Random) -> str:
    """A word with a letter dropped, doubled, or swapped with the next."""
    i = rng.randrange(1, len(word) - 1)
    return rng.choice(
        [
            word[:i] + word[i + 1 :],
            word[:i] + word[i] + word[i:],
            word[:i] + word[i + 1] + word[i] + word[i + 2 :],
        ]
    )


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
@pytest.mark.parametrize(
    "numbers", [range(3), pytest.param(range(3, 36), marks=pytest.mark.full)], ids=["part", "rest"]
)
def test_safe_fixes_of_planted_slips_mend_them_and_add_nothing(path: Path, numbers: range, seed: str) -> None:
    text = path.read_text(encoding="utf-8")
    for number in numbers:
        plant_and_mend(path.name, text, random.Random(f"{seed} {path.stem} {number}"))  # noqa: S311


def plant_and_mend(name: str, text: str, rng: random.Random) -> None:
    """A slip in any word of a good spec: safe fixes take their findings away, and bring no new ones.

    Where the slip is in a declaration, each use of the name has a finding, and all of them are mended together.
    """
    words = [match for match in re.finditer(r"[A-Za-z_]{5,}", text) if text[match.start() - 1] != "#"]
    word = rng.choice(words)
    wrong = text[: word.start()] + slip(word.group(), rng) + text[word.end() :]
    before = check_text(wrong.encode(), name).diagnostics
    safe = [each for each in before if each.fix is not None and each.fix.applicability == "safe"]
    after = check_text(mended(wrong).encode(), name).diagnostics
    assert len(after) <= len(before) - bool(safe)
    assert {(one.code, one.message) for one in after} <= {(one.code, one.message) for one in before}
    if len(before) == 1 and safe:
        assert not after
