"""Block scalars (``|`` and ``>``): where they end, and the same ones at another depth."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.slotted import dataclass

__all__ = ["BlockScalar", "block_scalar"]

HEADER: Final = re.compile(r"([|>])([-+1-9]*)[ \t]*(#[^\n]*)?(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class BlockScalar:
    """A block scalar.

    Args:
        header: ``|`` or ``>`` with what stands behind it, but for a number.
        counted: Whether it says how far its lines are indented, since they begin with spaces.
        comment: Behind the header; empty if there is none.
        lines: Without their indentation.
        end: Where it ends in the text, before its last line break.
        open: Whether the text ends with it, without a line break that would change it.
    """

    header: str
    counted: bool
    comment: str
    lines: list[str]
    end: int
    open: bool

    @property
    def kept(self) -> bool:
        """Whether the empty lines at its end belong to it."""
        return "+" in self.header


def block_scalar(text: str, start: int, parent: int) -> BlockScalar:
    """Return the block scalar whose header begins at a place.

    Args:
        parent: The column of the key or the dash that it belongs to.
    """
    header = HEADER.match(text, start)
    assert header is not None
    digits = re.sub(r"\D", "", header[2])
    lines, ends = lines_from(text, header.end(), parent)
    indent = parent + int(digits) if digits else indent_of(lines, parent)
    count = content_lines(lines, indent)
    chomping = re.sub(r"\d", "", header[2])
    if "+" in chomping:
        while count < len(lines) and not lines[count].strip(" "):
            count += 1
    end = ends[count - 1] if count else header.end() - (text[header.end() - 1] == "\n")
    return BlockScalar(
        header[1] + chomping,
        bool(digits),
        (header[3] or "").rstrip(" \t"),
        [line[indent:] for line in lines[:count]],
        end,
        count > 0 and end == len(text) and chomping != "-",
    )


def lines_from(text: str, at: int, parent: int) -> tuple[list[str], list[int]]:
    """Return the lines from a place on, each with its end, up to the first that belongs to what is around a scalar."""
    lines: list[str] = []
    ends: list[int] = []
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        line = text[at:stop]
        if line.strip(" ") and len(line) - len(line.lstrip(" ")) <= parent:
            break
        lines.append(line)
        ends.append(stop)
        at = stop + 1
    return lines, ends


def indent_of(lines: list[str], parent: int) -> int:
    for line in lines:
        spaces = len(line) - len(line.lstrip(" "))
        if spaces < len(line):
            return spaces if spaces > parent else max(parent + 1, 1)
    return max([parent + 1, *(len(line) for line in lines)])


def content_lines(lines: list[str], indent: int) -> int:
    """Return how many lines belong to the scalar, without empty ones at its end."""
    count = 0
    for number, line in enumerate(lines, 1):
        if line.strip(" ") and len(line) - len(line.lstrip(" ")) < indent:
            break
        if len(line) > indent:
            count = number
    return count
