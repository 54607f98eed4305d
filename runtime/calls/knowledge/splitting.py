"""Documents → passages, by `semantic-text-splitter`: the one file that imports it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.loading import Document, front_matter_end
from wfc.runtime.errors import MissingPackageError

try:
    from semantic_text_splitter import MarkdownSplitter, TextSplitter
except ImportError:
    raise MissingPackageError(
        'collections of texts need a package that is not installed: pip install "wfc-workflows[knowledge]"'
    ) from None

__all__ = ["Piece", "cut"]


class Piece(NamedTuple):
    """A part of a document.

    Args:
        heading: The headings above it, from the outermost.
        start: Where it begins, in characters of the document.
    """

    text: str
    heading: str
    start: int


def cut(document: Document, how: Knowledge) -> Iterator[Piece]:
    """Yield the parts of a document, in order; no one begins before the one in front of it."""
    as_markdown = document.is_markdown if how.by is None else how.by == "markdown"
    skip = front_matter_end(document.text) if document.is_markdown else 0
    text = document.text[skip:]
    headings = _headings(text) if as_markdown else []
    starts = [start for start, _ in headings]
    for start, part in _splitter(as_markdown, how.size, how.overlap).chunk_indices(text):
        above = bisect_right(starts, start + len(part) - len(part.lstrip())) - 1
        yield Piece(part, headings[above][1] if above >= 0 else "", start + skip)


@lru_cache(maxsize=8)
def _splitter(as_markdown: bool, size: int, overlap: int) -> TextSplitter | MarkdownSplitter:
    return (MarkdownSplitter if as_markdown else TextSplitter)(size, overlap=overlap)


_HEADING = re.compile(r"^(?:(```|~~~).*|(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*)$", re.MULTILINE)


def _headings(text: str) -> list[tuple[int, str]]:
    """Return where each heading stands, with those above it: ``Setup > Windows``."""
    found: list[tuple[int, str]] = []
    above: list[tuple[int, str]] = []
    fence = ""
    for match in _HEADING.finditer(text):
        if match[1]:
            fence = "" if fence == match[1] else fence or match[1]
        elif not fence:
            level = len(match[2])
            above = [each for each in above if each[0] < level] + [(level, match[3][:200])]
            found.append((match.start(), " > ".join(words for _, words in above)))
    return found
