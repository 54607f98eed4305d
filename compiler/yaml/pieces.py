"""The entries of a text's sections, each of which can be read by itself.

A section is a map in block style under a key at the beginning of a line, such as ``steps``; a piece is one of its
entries with the lines up to the next.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

__all__ = ["TextPiece", "TextPieces"]


class TextPiece(NamedTuple):
    """An entry of a section.

    Args:
        head: What its section's key is written as, with the colon and the end of the line.
        start: Where its first line begins; ``end``: where the next piece or section does.
        colon: The place after the colon of its key.
    """

    section: str
    name: str
    head: str
    start: int
    end: int
    colon: int

    def moved(self, by: int) -> TextPiece:
        return self._replace(start=self.start + by, end=self.end + by, colon=self.colon + by)


class TextPieces:
    """The pieces of a text, in their order.

    Args:
        values: How many values the text has, at most.
    """

    __slots__ = ("found", "starts", "values")

    def __init__(self, found: list[TextPiece], values: int) -> None:
        self.found = found
        self.values = values
        self.starts = [each.start for each in found]

    def around(self, start: int, end: int) -> int | None:
        """Return which piece holds a stretch behind its key; ``None`` if none does."""
        number = bisect_right(self.starts, start) - 1
        while number >= 0 and self.found[number].colon > start:
            number -= 1  # what is put right before a piece belongs to the one above
        return number if number >= 0 and end <= self.found[number].end else None

    def named(self, section: object, name: object) -> TextPiece | None:
        return next((each for each in self.found if each.name == name and each.section == section), None)

    def has(self, section: object) -> bool:
        """Return whether a section has pieces."""
        return any(each.section == section for each in self.found)

    def outside(self, text: str) -> tuple[str, list[tuple[int, int]]]:
        """Return a text without its pieces, and where how much of it is missing there."""
        rest: list[str] = []
        cuts: list[tuple[int, int]] = []
        end = size = 0
        for each in self.found:
            rest.append(text[end : each.start])
            size += each.start - end
            if cuts and cuts[-1][0] == size:
                cuts[-1] = size, cuts[-1][1] + each.end - each.start
            else:
                cuts.append((size, each.end - each.start))
            end = each.end
        return "".join([*rest, text[end:]]), cuts
