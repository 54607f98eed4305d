"""The entries of a text's sections, each of which can be read by itself.

A section is a map in block style under a key at the beginning of a line, such as ``steps``; a piece is one of its
entries with the lines up to the next. Another key at the beginning of a line is a piece with all that it says.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

__all__ = ["TextPiece", "TextPieces"]


class TextPiece(NamedTuple):
    """An entry of a section, or a section that has no entries in block style: then its name is empty.

    Args:
        head: What its section's key is written as, with the colon and the end of the line; empty for a section.
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
        found: Entries; ``alone``: sections.
        values: How many values the text has, at most.
    """

    __slots__ = ("alone", "found", "values")

    def __init__(self, found: list[TextPiece], alone: list[TextPiece], values: int) -> None:
        self.found = found
        self.alone = alone
        self.values = values

    def around(self, start: int, end: int) -> TextPiece | None:
        """Return the piece that holds a stretch behind its key; ``None`` if none does."""
        return holding(self.found, start, end) or holding(self.alone, start, end)

    def edited(self, piece: TextPiece, by: int, values: int) -> TextPieces:
        """Return the pieces of a text in which a piece is so much longer, and adds so many values."""
        return TextPieces(
            [after_edit(each, piece, by) for each in self.found],
            [after_edit(each, piece, by) for each in self.alone],
            self.values + values,
        )

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


def holding(pieces: list[TextPiece], start: int, end: int) -> TextPiece | None:
    number = bisect_right(pieces, start, key=lambda each: each.start) - 1
    while number >= 0 and pieces[number].colon > start:
        number -= 1  # what is put right before a piece belongs to the one above
    return pieces[number] if number >= 0 and end <= pieces[number].end else None


def after_edit(each: TextPiece, edited: TextPiece, by: int) -> TextPiece:
    if each.start == edited.start:
        return each._replace(end=each.end + by)
    return each.moved(by) if each.start > edited.start else each
