"""A fix that is told to be safe, for a text that YAML cannot read, leaves no other such mistake on its line."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from wfc.compiler.diagnostics import Fix
from wfc.compiler.yaml.parser import YAMLError, events
from wfc.compiler.yaml.repairs import in_text
from wfc.compiler.yaml.syntax_errors import syntax_finding
from wfc.compiler.yaml.syntax_errors.problem import NEVER_CLOSED

TEXTS = [each.read_text("utf-8") for each in sorted((Path(__file__).parents[3] / "specs").glob("*.yaml"))]
SIGNS = [
    *(
        " ",
        "  ",
        "\n",
        "\t",
        ":",
        ": ",
        ",",
        '"',
        "'",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        "#",
        "-",
        "- ",
        "*",
        "&",
    ),
    *("!", "|", ">", "%", "@", "`", "$", "${{ ", "\\", "?", "=", "//", ";", "for x in a.b"),
]
IN_FRONT = ["  ", "\t", " ", "- ", "* "]


def broken(text: str, random: Random) -> str:
    """A text with a sign too many or too few, or with a line that is moved."""
    at, how = random.randrange(len(text)), random.random()
    if how < 0.3:
        return text[:at] + text[at + random.choice((1, 1, 2, 3)) :]
    if how < 0.65:
        return text[:at] + random.choice(SIGNS) + text[at:]
    if how < 0.85:  # the blank behind a colon
        colon = text.find(": ", at)
        sign = random.choice(("", "", random.choice(SIGNS)))
        return text if colon < 0 else text[: colon + 1] + sign + text[colon + 2 :]
    lines = text.split("\n")
    line = random.randrange(len(lines))
    lines[line] = (
        random.choice(IN_FRONT) + lines[line] if how < 0.95 else lines[line][random.randrange(1, 4) :]
    )
    return "\n".join(lines)


def error_of(text: str) -> Any:
    """What the parser says of a text; ``None`` if it can read it."""
    try:
        list(iter(events(text), None))
    except YAMLError as error:
        return error
    return None


def mended(text: str, fix: Fix) -> tuple[str, int]:
    """The text with a fix, and the number of the line on which the fix ends."""
    raws = [in_text(text, each) for each in fix.edits]
    assert len(raws) == 1
    assert raws[0] is not None
    start, end, new = raws[0]
    return text[:start] + new + text[end:], (text[:start] + new).count("\n")


def worse(seed: int, number: int) -> tuple[int, list[tuple[str, str]]]:
    """How many safe fixes broken texts have got, and those after which YAML stops on their line again."""
    random = Random(seed)  # noqa: S311
    fixes, found = 0, []
    for _ in range(number):
        text = random.choice(TEXTS)
        for _ in range(random.choice((1, 1, 2))):
            text = broken(text, random)
        error = error_of(text)
        fix = None if error is None else syntax_finding(error, text).fix
        if fix is None or fix.applicability != "safe":
            continue
        fixes += 1
        better, line = mended(text, fix)
        left = error_of(better)
        if left is None:
            continue
        opens = any(words in str(left.problem) + str(left.context) for words in NEVER_CLOSED)
        mark = left.context_mark if opens and left.context_mark else left.problem_mark
        if mark.line <= line:
            found.append((better.split("\n")[mark.line], fix.title))
    return fixes, found


def test_a_safe_fix_leaves_no_other_mistake_on_its_line() -> None:
    fixes, found = worse(1, 500)
    assert found == []
    assert fixes >= 20


@pytest.mark.full
@pytest.mark.parametrize("seed", range(2, 10))
def test_no_safe_fix_leaves_another_mistake_on_its_line(seed: int) -> None:
    assert worse(seed, 4_000)[1] == []
