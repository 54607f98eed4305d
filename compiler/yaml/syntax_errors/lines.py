"""Lines of a text that YAML cannot read: their limits, their indentation, the value that stands on one."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Place

__all__ = [
    "ENTRY",
    "KEY_BEHIND",
    "NEAR",
    "TYPED",
    "above",
    "after_closing",
    "goes_on",
    "indentation",
    "is_last",
    "last_line",
    "line_at",
    "list_before",
    "neighbour_above",
    "section_at",
    "shown",
    "value_around",
]

NEAR: Final = 2000
"""How far back lines are looked for, in code points."""
ENTRY: Final = re.compile(r"(?P<indent> *)(?P<key>[\w-]+):(?= |\r?$)", re.MULTILINE)
KEY_BEHIND: Final = re.compile(r" *(?P<comma>,?) *(?P<key>[A-Za-z_][\w-]*):(?: |$)")
"""A key behind a bracket or a quote that is closed."""
SECTION: Final = re.compile(r"^([a-z_]+):", re.MULTILINE)
TYPED: Final = frozenset({"events", "types"})
"""Sections that declare what has which type."""
HAS_KEY: Final = re.compile(r" *(?:- +)*[\w-]+:(?: |$)")
BEGINS_TEXT: Final = re.compile(r" *(?:- +)*[\w-]+: +[^\s|>&*!#{\[\"']")
"""A line whose value is a text without quotes, which may go on below."""
VALUE: Final = re.compile(
    r"[ ]*(?:- +)*(?:[^\s:#\"'\[\]{},]+:[ ]+|- +)([^\s\"'\[\]{}|>&*!#%][^\r\n#]*|[@`%][^\r\n#]*)"
)
"""A line with a value in block style that no comment follows, and the spaces at its end."""


def list_before(text: str, at: int) -> str:
    """Return the key of a list in brackets to which an item belongs that begins at a place; empty if there is none."""
    found = re.compile(r"\b(?P<key>[\w-]+): *\[[^\[\]{}\r\n]*\Z").search(text, max(0, at - NEAR), at)
    return found["key"] if found else ""


def line_at(text: str, at: int) -> tuple[int, int]:
    """Return start and end of the line that a place is on, without its line break."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    ends = [each for each in (text.find("\n", at), text.find("\r", at)) if each >= 0]
    return start, min(ends, default=len(text))


def above(text: str, start: int) -> int | None:
    """Return where the line above the one that starts here begins, if there is one."""
    return text.rfind("\n", 0, start - 1) + 1 if start else None


def neighbour_above(text: str, at: int) -> tuple[int, int] | None:
    """Return start and end of the line above, if it is not empty and is indented as far."""
    start, end = line_at(text, at)
    if start == 0:
        return None
    line = line_at(text, max(0, start - (2 if text[start - 2 : start] == "\r\n" else 1)))
    same = indentation(text[slice(*line)]) == indentation(text[start:end])
    return line if same and text[slice(*line)].strip() else None


def last_line(text: str, before: int) -> str | None:
    """Return the last line with something in it that stands before a place, as far as that is near."""
    lines = [each for each in text[max(0, before - NEAR) : before].splitlines() if each.strip(" ")]
    return lines[-1] if lines else None


def indentation(line: str) -> int:
    """Return the number of spaces with which a line begins."""
    return len(line) - len(line.lstrip(" "))


def goes_on(text: str, start: int, far: int) -> bool:
    """Return whether a line may be part of a text that began above: behind a key that is indented less, with nothing
    but further lines of text in between.
    """
    near = text[max(0, start - NEAR) : start].splitlines()
    for line in reversed([each for each in near if each.strip(" ")]):
        if HAS_KEY.match(line):
            return BEGINS_TEXT.match(line) is not None and indentation(line) < far
    return False


def value_around(text: str, at: int) -> Place | None:
    """Return the whole value on a line, if a place belongs to it and it is an unquoted text."""
    line = VALUE.fullmatch(text, *line_at(text, at))
    if line is None or at < line.start(1):
        return None
    return Place((), "text", line.start(1), line.start(1) + len(line[1].rstrip(" ")))


def is_last(text: str, at: int) -> bool:
    """Return whether nothing follows a character on its line."""
    return not text[at + 1 : line_at(text, at)[1]].strip()


def section_at(text: str, at: int) -> str:
    """Return the key of the spec under which a place stands; empty where none is near."""
    sections = list(SECTION.finditer(text, max(0, at - NEAR), at))
    return sections[-1][1] if sections else ""


def after_closing(value: str) -> str:
    """Return what follows the bracket that closes the one with which a value begins."""
    depth = 0
    for index, sign in enumerate(value):
        depth += (sign in "{[") - (sign in "}]")
        if depth == 0:
            return value[index + 1 :]
    return ""


def shown(value: str) -> str:
    """Return a value as a hint shows it: only a short one whole."""
    value = value.strip()
    return value if len(value) <= 40 else "…"
