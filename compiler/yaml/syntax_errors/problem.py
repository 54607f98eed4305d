"""What the parser says of a text that it cannot read."""

from __future__ import annotations

import re
from typing import Any, Final

from wfc.compiler.diagnostics import Finding, Fix, Place
from wfc.compiler.rules import reading as problems
from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml.syntax_errors.lines import line_at

__all__ = [
    "ALIAS",
    "BETWEEN",
    "BLOCK_SCALAR",
    "DASH_MISSING",
    "MISALIGNED",
    "NEVER_CLOSED",
    "NOT_ALLOWED",
    "NO_COLON",
    "NO_TOKEN",
    "NO_VALUE",
    "SECOND_COLON",
    "TAG",
    "SyntaxProblem",
    "finding_at",
    "place_of",
]

# What the parser says, in C or in Python; a rule names the words at which it looks.
SECOND_COLON: Final = ("mapping values are not allowed",)
NOT_ALLOWED: Final = ("not allowed",)
BETWEEN: Final = ("',' or '}'", "',' or ']'")
"""The parser misses what must stand between entries in brackets, or after the last of them."""
NO_TOKEN: Final = ("cannot start any token",)
DASH_MISSING: Final = ("'-' indicator",)
MISALIGNED: Final = ("block end", "expected key")
BLOCK_SCALAR: Final = ("scanning a block scalar",)
ALIAS: Final = ("scanning an alias",)
NO_COLON: Final = ("could not find expected ':'",)
NEVER_CLOSED: Final = (
    "while scanning a quoted scalar",
    "unexpected end of stream",
    "unexpected document indicator",
)
TAG: Final = ("a tag", "tag handle")
NO_VALUE: Final = ("node content",)


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """What the parser says of a text that it cannot read.

    Args:
        text: The document's.
        said: The parser's words, of the problem and what it was reading.
        at: Where the problem is.
        opened: Where what it was reading begins; if it does not say so, where the problem is.
    """

    text: str
    said: str
    at: int
    opened: int

    @classmethod
    def of(cls, error: Any, text: str) -> SyntaxProblem:
        """Return the problem that an exception of the parser is about."""
        mark = getattr(error, "problem_mark", None)
        context = getattr(error, "context_mark", None)
        at = min(mark.index if mark else getattr(error, "position", None) or 0, len(text))
        said = f"{getattr(error, 'problem', '') or ''} {getattr(error, 'context', '') or ''}"
        return cls(text, said, at, context.index if context else at)

    def says(self, words: tuple[str, ...]) -> bool:
        """Return whether the parser says one of these; of no words it is true."""
        return not words or any(each in self.said for each in words)

    @property
    def start(self) -> int:
        """Where the line of the problem begins."""
        return line_at(self.text, self.at)[0]

    @property
    def end(self) -> int:
        """Where the line of the problem ends, before its line break."""
        return line_at(self.text, self.at)[1]

    @property
    def before(self) -> str:
        """The line up to the problem."""
        return self.text[self.start : self.at]

    @property
    def line(self) -> str:
        """The line on which the problem is."""
        return self.text[self.start : self.end]

    @property
    def character(self) -> str:
        """The one at which the problem is; empty at the end of the text."""
        return self.text[self.at : self.at + 1]

    @property
    def place(self) -> Place:
        """The character at which the problem is."""
        return Place((), "text", self.at, self.at + 1)

    def finding(self, what: str, hint: str = "", fix: Fix | None = None) -> Finding:
        """Return a finding at the character at which the problem is."""
        return problems.syntax_error(self.place, what, hint, fix)


def place_of(found: re.Match[str], group: str | int = 0) -> Place:
    """Return the place of what a pattern has found."""
    return Place((), "text", *found.span(group))


def finding_at(start: int, end: int, what: str, hint: str = "", fix: Fix | None = None) -> Finding:
    """Return a finding about a piece of the text."""
    return problems.syntax_error(Place((), "text", start, end), what, hint, fix)
