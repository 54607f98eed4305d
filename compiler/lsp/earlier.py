"""A document that cannot be read, as it was when it could be, and where its places were then."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from wfc.compiler.diagnostics import Finding, Severity
from wfc.compiler.lsp.documents import LARGE, OpenDocument
from wfc.compiler.lsp.kept_files import Readings
from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml import read

__all__ = ["Earlier", "earlier", "without_broken_lines"]

MOST_LINES: Final = 8
"""So many lines may be left out of a text, so that the rest of it can be read."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """The last good state of a document.

    Args:
        same: So many code points both texts begin with alike.
        rest: So many they end with alike, behind these.
    """

    document: OpenDocument
    now: str
    same: int
    rest: int

    @property
    def longer(self) -> int:
        return len(self.document.text) - len(self.now)

    def place(self, offset: int) -> int | None:
        """Return where a place was; ``None`` within what was changed."""
        if offset < self.same:
            return offset
        return offset + self.longer if offset > len(self.now) - self.rest else None

    def place_now(self, offset: int) -> int:
        """Return where a place of the earlier text is now; of what was changed, where that begins."""
        if offset <= self.same:
            return offset
        return max(self.same, offset - self.longer)


def earlier(document: OpenDocument) -> Earlier | None:
    """Return the last good state of a document that cannot be read now.

    One that never could be is taken without the lines that are wrong.
    """
    if document.readable or not document.is_spec:
        return None
    before = document.before
    if before is None:
        good = document.good or without_broken_lines(document.text)
        before = document.before = OpenDocument(document.path, good, Readings())
    if not before.readable:
        return None
    same = alike(document.text, before.text)
    rest = alike(document.text[same:][::-1], before.text[same:][::-1])
    return Earlier(before, document.text, same, rest)


def alike(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    most = min(len(one), len(other))
    if one[:most] == other[:most]:
        return most
    return bisect_left(range(most), True, key=lambda end: one[: end + 1] != other[: end + 1])


def without_broken_lines(text: str) -> str:
    """Return a text with blanks for the lines at which it cannot be read; empty if there are too many of them."""
    if len(text) > LARGE:
        return ""
    for _ in range(MOST_LINES):
        found: list[Finding] = []
        document = read(text.encode("utf-8", "replace"), "", found.append)
        wrong = next((each for each in found if each.severity is Severity.ERROR), None)
        if wrong is None:
            return text
        lines = text.split("\n")
        number = wrong_line(lines, document.diagnostic(wrong).start.line - 1)
        if number is None:
            return ""
        lines[number] = " " * len(lines[number])
        text = "\n".join(lines)
    return ""


def wrong_line(lines: list[str], told: int) -> int | None:
    """Return the line to be left out: the nearest above that opens a bracket without its end, or the one told."""
    above = [number for number in range(min(told, len(lines) - 1), -1, -1) if lines[number].strip()]
    opened = (number for number in above if opens(lines[number]) > 0)
    return next(opened, above[0] if above else None)


def opens(line: str) -> int:
    """Return how many brackets of a line are not closed in it."""
    return sum(map(line.count, "{[")) - sum(map(line.count, "}]"))
