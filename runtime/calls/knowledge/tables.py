"""Tables in Markdown: where they stand, and how one that is larger than a passage is cut between its rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

__all__ = ["MarkdownTable", "cut_rows", "tables_of"]

_RULE: Final = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
"""The line between the heading row of a table and the others."""
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_OTHER_BLOCK: Final = re.compile(r" {0,3}(?:#{1,6}[ \t]|>|```|~~~)")
"""What begins another block than a table, though it may have bars."""


class MarkdownTable(NamedTuple):
    """A table: where its first and last characters stand, and where the first row below the headings begins."""

    start: int
    rows: int
    end: int


def tables_of(text: str) -> list[MarkdownTable]:
    """Return the tables of a text, in order; what stands between fences is none."""
    found: list[MarkdownTable] = []
    lines = text.splitlines(keepends=True)
    at, number, fence = 0, 0, ""
    while number < len(lines):
        line = lines[number]
        mark = _FENCE.match(line)
        if mark is not None and (fence or mark[1][0] == "~" or "`" not in mark[2]):
            fence = _after(fence, mark[1], is_bare=not mark[2].strip())
        elif not fence and _begins_table(line, lines, number):
            start = at + len(line) - len(line.lstrip())
            rows = at + len(line) + len(lines[number + 1])
            at, number = rows, number + 2
            end = rows
            while number < len(lines) and "|" in lines[number] and not _OTHER_BLOCK.match(lines[number]):
                at += len(lines[number])
                end, number = at, number + 1
            found.append(MarkdownTable(start, rows, start + len(text[start:end].rstrip())))
            continue
        at, number = at + len(line), number + 1
    return found


def _after(fence: str, mark: str, *, is_bare: bool) -> str:
    """Return which fence is open after a mark; what closes one is at least as long, with nothing behind it."""
    if not fence:
        return mark
    return "" if mark.startswith(fence) and is_bare else fence


def _begins_table(line: str, lines: list[str], number: int) -> bool:
    below = lines[number + 1] if number + 1 < len(lines) else ""
    return (
        "|" in line
        and "|" in below
        and _RULE.fullmatch(below.rstrip()) is not None
        and not _OTHER_BLOCK.match(line)
    )


def cut_rows(rows: str, size: int) -> Iterator[tuple[int, int]]:
    """Yield where parts of the rows of a table begin and end, of as many whole rows as fit into a size."""
    start = end = at = 0
    for line in rows.splitlines(keepends=True):
        stop = at + len(line.rstrip())
        if end > start and stop - start > size:
            yield start, end
            start = at
        at += len(line)
        end = stop
    if end > start:
        yield start, end
