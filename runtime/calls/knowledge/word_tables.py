"""A table of a Word file while it is read: rows become lines with bars, and are not kept otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wfc.runtime.calls.knowledge.definition import TextBound, UnreadableError

__all__ = ["OpenTable"]

_MOST_ROWS: Final = 50_000
_MOST_COLUMNS: Final = 1_000


class OpenTable:
    """A table that has begun, and has not ended yet.

    Args:
        bound: How much text the file may still give.
    """

    def __init__(self, bound: TextBound) -> None:
        self.lines: list[str] = []
        self._bound = bound
        self._count = 0
        self._above: dict[int, str] = {}
        self._row: dict[int, str] = {}
        self._column = 0
        self._cell: list[str] = []
        self._span = 1
        self._goes_on = False  # whether the cell is the lower part of one that was merged

    def begin(self, element: str, value: str) -> None:
        """Note that an element of the table begins.

        Args:
            value: What its attribute `val` says.

        Raises:
            UnreadableError: There are too many rows.
        """
        match element:
            case "tr":
                self._count += 1
                if self._count > _MOST_ROWS:
                    raise UnreadableError(f"a table has more than {_MOST_ROWS:,} rows")
                self._row, self._column = {}, 0
            case "gridBefore":
                self._column = int(value)
            case "tc":
                self._cell, self._span, self._goes_on = [], 1, False
            case "gridSpan":
                self._span = int(value)
            case "vMerge":
                self._goes_on = value != "restart"

    def end(self, element: str) -> None:
        """Note that an element of the table ends.

        Raises:
            UnreadableError: There are too many columns, or too much text.
        """
        match element:
            case "tc":
                self._end_cell()
            case "tr":
                said = " | ".join(each.replace("|", "\\|") for each in self._row.values())
                self._bound.take(len(said) + 4)
                self.lines.append(f"| {said} |")
                if self._count == 1:
                    self.lines.append(f"|{' --- |' * len(self._row)}")
                self._above = self._row

    def say(self, block: str) -> None:
        """Add a paragraph, or what a table within says, to the cell that is open."""
        if block.strip():
            self._cell.append(" ".join(block.split()))

    def words(self) -> Iterator[str]:
        """Yield what the rows say, for a table within a cell."""
        for number, line in enumerate(self.lines):
            if number != 1:
                yield from (each for each in line.strip("| ").replace("\\|", "|").split(" | ") if each)

    def _end_cell(self) -> None:
        """Note what a cell says for each column that it covers; a merged one says the same in all rows, too."""
        if not 0 <= self._span <= _MOST_COLUMNS - len(self._row):
            raise UnreadableError(f"a table has more than {_MOST_COLUMNS:,} columns")
        said = self._above.get(self._column, "") if self._goes_on else " ".join(self._cell)
        self._bound.take(len(said) * self._span)
        self._row |= dict.fromkeys(range(self._column, self._column + self._span), said)
        self._column += self._span
