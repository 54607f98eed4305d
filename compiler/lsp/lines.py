"""Places of a text as editors count them, and as this compiler does: in code points from the beginning."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

__all__ = ["Lines"]

BREAK: Final = re.compile(r"\r\n|\r|\n")
WIDE: Final = 0xFFFF
"""The last character that is one unit of UTF-16."""


class Lines:
    """The lines of a text.

    Args:
        encoding: What the editor's columns count: units of ``utf-8``, ``utf-16`` or ``utf-32``.
    """

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self.encoding = encoding
        self.starts = [0, *(match.end() for match in BREAK.finditer(text))]

    def offset(self, line: int, character: int) -> int:
        """Return the place at a line and a column from 0; the nearest one if there is none."""
        if line >= len(self.starts):
            return len(self.text)
        start = self.starts[max(line, 0)]
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        said = self.text[start:end].rstrip("\r\n")
        if self.encoding == "utf-32" or said.isascii():
            return start + min(max(character, 0), len(said))
        for index, each in enumerate(said):
            if character <= 0:
                return start + index
            character -= self.units(each)
        return start + len(said)

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and the column from 0 of a place."""
        line = bisect_right(self.starts, offset) - 1
        before = self.text[self.starts[line] : offset]
        if self.encoding == "utf-32" or before.isascii():
            return line, len(before)
        return line, sum(map(self.units, before))

    def units(self, character: str) -> int:
        """Return how many units of the encoding a character is."""
        if self.encoding == "utf-8":
            return len(character.encode("utf-8", "surrogatepass"))
        return 2 if self.encoding == "utf-16" and ord(character) > WIDE else 1
