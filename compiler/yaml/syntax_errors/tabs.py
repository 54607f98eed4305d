"""Tabs that indent a line, and how far it is indented instead, by the lines around it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import fixes
from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml.syntax_errors.lines import NEAR, indentation, line_at
from wfc.compiler.yaml.syntax_errors.no_entry import OPENS
from wfc.compiler.yaml.syntax_errors.problem import SyntaxProblem, finding_at

__all__ = ["tab_as_token", "tab_in_indentation"]

BEGIN_OF_ENTRY: Final = re.compile(r" *(?:- +)*(?=[\w-]+:(?: |$))")
OPENS_TEXT: Final = re.compile(r":\s+[|>][-+\d]*\s*(?:#.*)?\Z")
"""A line below which stands a text."""
STEP: Final = 2
"""How much further what belongs to a line is indented, if nothing says otherwise."""


@dataclass(frozen=True, slots=True)
class LineDepth:
    """An indentation at which entries, or items, stand above.

    Args:
        depth: In spaces.
        holds_values: Whether one of them has its value on its line.
    """

    depth: int
    holds_values: bool


def tab_in_indentation(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a tab among the blanks that indent a line."""
    text, start = problem.text, problem.start
    at = text.find("\t", start, len(text) - len(text[start:].lstrip(" \t")))
    return tab_at(text, at) if at >= 0 else None


def tab_as_token(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a tab at which the parser stops."""
    return tab_at(problem.text, problem.at) if problem.character == "\t" else None


def tab_at(text: str, at: int) -> Finding:
    start, end = line_at(text, at)[0], at + len(text[at:]) - len(text[at:].lstrip("\t "))
    if text[start:at].strip(" \t"):  # as behind the dash of an item, which stays
        fix = fixes.replace_text(Place((), "text", at, end), " ", title="write a space")
        return finding_at(at, at + 1, "a tab cannot indent a line", "use spaces", fix)
    depth = depth_near(text, start)
    if depth is None:
        return finding_at(
            at, at + 1, "a tab cannot indent a line", "use spaces, as many as its neighbours have"
        )
    place = Place((), "text", start, end)
    fix = fixes.replace_text(place, " " * depth, title=f"write {depth} spaces")
    return finding_at(at, at + 1, "a tab cannot indent a line", "use spaces", fix)


def depth_near(text: str, start: int) -> int | None:
    """Return how far a line with a tab is indented, if its neighbours leave no choice."""
    written, *following = text[start : start + 2 * NEAR].split("\n")
    line, least = written.lstrip(" \t"), indentation(written)
    below = [each for each in following if each.strip()]
    above = [each for each in text[max(0, start - NEAR) : start].splitlines() if each.strip()]
    if not above or has_tab(above[-1]):
        return None
    owner = text_owner(above)
    if owner is None and (OPENS.search(above[-1]) or OPENS_TEXT.search(above[-1])):
        depth = within(line, above[-1], [indentation(each) for each in below if not has_tab(each)], below)
        return depth if depth >= least else None
    if owner is not None and not is_entry(line):
        return indentation(above[-1])
    known = above if owner is None else above[: owner + 1]
    found = [each for each in levels(known, of_items=line.startswith("- ")) if each.depth >= max(1, least)]
    found = [each for each in found if goes_with(line, each, below)]
    if len(found) > 1 and not OPENS.search(line):
        found = [each for each in found if each.holds_values]
    elif len(found) > 1 and below and not has_tab(below[0]):
        found = found[:1]  # what belongs to it stands right below it
    return found[0].depth if len(found) == 1 else None


def has_tab(line: str) -> bool:
    return "\t" in line[: len(line) - len(line.lstrip(" \t"))]


def is_entry(line: str) -> bool:
    return line.startswith("- ") or BEGIN_OF_ENTRY.match(line) is not None


def depth_of(line: str) -> int:
    """Return at which depth the keys stand beside that of a line."""
    begins = BEGIN_OF_ENTRY.match(line)
    return indentation(line) if begins is None else begins.end()


def within(line: str, opening: str, depths: Sequence[int], below: Sequence[str]) -> int:
    """Return how far a line is indented that belongs to the one above it; of the lines below it the depths are known
    that have no tabs.
    """
    base = depth_of(opening)
    following = depths[0] if depths else 0
    if OPENS.search(line):
        return next((each for each in depths if base < each < following), base + STEP)
    if line.startswith("- ") and below and not below[0].lstrip().startswith("- "):
        following -= STEP  # the other keys of the item
    return following if following > base else base + STEP


def text_owner(above: Sequence[str]) -> int | None:
    """Return which line opens the text of several lines to which the last one belongs; ``None`` if it is in none."""
    far = indentation(above[-1])
    for index in range(len(above) - 2, -1, -1):
        if not has_tab(above[index]) and indentation(above[index]) < far:
            if OPENS_TEXT.search(above[index]):
                return index
            far = indentation(above[index])
    return None


def levels(above: Sequence[str], *, of_items: bool) -> list[LineDepth]:
    """Return the depths at which a line may stand that follows on others, the deepest first."""
    found: dict[int, bool] = {}
    least: int | None = None
    for line in reversed(above):
        begin = indentation(line)
        if has_tab(line) or (least is not None and begin > least):
            continue
        depth = begin if of_items else depth_of(line)
        has_value = not OPENS.search(line)
        if not of_items or line[begin:].startswith("- "):
            found[depth] = found.get(depth, False) or has_value
        least = begin
    return [LineDepth(depth, holds) for depth, holds in found.items()]


def goes_with(line: str, level: LineDepth, below: Sequence[str]) -> bool:
    """Return whether a line may stand at a depth, by the one below it: what belongs to it stands further in."""
    if not below or has_tab(below[0]):
        return True
    following = indentation(below[0])
    if OPENS.search(line):
        return level.depth < following + below[0].lstrip(" ").startswith("- ")
    return level.depth >= following
