"""Documents → passages, by `semantic-text-splitter`: the one file that imports it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.loading import Document, front_matter_end
from wfc.runtime.calls.knowledge.tables import MarkdownTable, cut_rows, tables_of
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
        heading: The headings above it, from the outermost; of a program, the first line of what it is cut from.
        start: Where it begins, in characters of the document.
        parent: Which of the larger parts it is cut from, from 0.
        head: The heading row of the table whose rows it begins with, where that stands in an earlier part.
    """

    text: str
    heading: str
    start: int
    parent: int = 0
    head: str = ""


def cut(document: Document, how: Knowledge) -> Iterator[Piece]:
    """Yield the parts of a document, in order; no one begins before the one in front of it."""
    by = how.by or ("markdown" if document.is_markdown else "code" if document.is_code else "size")
    skip = front_matter_end(document.text) if document.is_markdown else 0
    text = document.text[skip:]
    headings = _headings(text) if by == "markdown" else []
    starts = [start for start, _ in headings]
    larger = (
        [(0, text, "", "")]
        if not how.parent
        else _parts(text, "size" if by == "sentence" else by, how.parent, 0)
    )
    for number, (at, whole, _, above_rows) in enumerate(larger):
        for start, part, said, head in _parts(whole, by, how.size, how.overlap, above_rows):
            begins = at + start + len(part) - len(part.lstrip())
            above = bisect_right(starts, begins) - 1
            heading = headings[above][1] if above >= 0 else said
            yield Piece(part, heading, at + start + skip, number, head)


_Part = tuple[int, str, str, str]
"""A part of a text: where it begins, what it says, what stands above it, and the heading row of its table."""


def _parts(text: str, by: str, size: int, overlap: int, head: str = "") -> Iterator[_Part]:
    """Yield the parts of a text.

    Args:
        head: The heading row of the table whose rows the text is, if it begins with such rows.
    """
    if by == "sentence":
        blocks = _sentences(text)
    elif by == "code":
        blocks = _together(text, _blocks(text), size)
    elif by == "markdown":
        if head:
            yield from _rows(text, 0, head, size)
            return
        yield from _markdown_parts(text, size, overlap)
        return
    else:
        yield from ((start, part, "", "") for start, part in _plain(text, size, overlap))
        return
    for start, end in blocks:
        said = text[start:end]
        if len(said) <= size:
            yield start, said, "", ""
            continue
        first = said.lstrip().partition("\n")[0].strip()[:200] if by == "code" else ""
        for at, part in _plain(said, size, overlap):
            yield start + at, part, first if at else "", ""


_STRETCH: Final = 100_000
"""How long a text may be that is cut as a whole: that takes time by more than its length, in Markdown by the square."""


def _plain(text: str, size: int, overlap: int) -> Iterator[tuple[int, str]]:
    """Yield the parts of a text that has no form, and where each begins."""
    start = 0
    while start < len(text):
        end = len(text) if len(text) - start <= _STRETCH else _end_of_stretch(text, start)
        for at, part in _splitter(False, size, overlap).chunk_indices(text[start:end]):
            yield start + at, part
        start = end


def _end_of_stretch(text: str, start: int) -> int:
    """Return where a stretch ends that begins somewhere: behind an empty line, else a line, else a word."""
    least, most = start + _STRETCH // 2, start + _STRETCH
    for mark in ("\n\n", "\n", " "):
        found = text.rfind(mark, least, most)
        if found >= 0:
            return found + len(mark)
    return most


class _Unit(NamedTuple):
    """What no stretch of a text in Markdown ends within: a table, or code between fences, which has no ``rows``."""

    start: int
    end: int
    rows: int = -1


def _markdown_parts(text: str, size: int, overlap: int) -> Iterator[_Part]:
    for start, end, large in _stretches(text):
        part = text[start:end]
        if large is None:
            yield from _around_tables(part, tables_of(part), size, overlap, start)
        elif large.rows >= 0:
            yield from _table(part, start, large.rows - start, size)
        else:
            yield from ((start + at, said, "", "") for at, said in _plain(part, size, overlap))


def _stretches(text: str) -> Iterator[tuple[int, int, _Unit | None]]:
    """Yield where stretches of a text in Markdown begin and end, each at a heading, if there is one.

    A table that is longer, or code between fences, is a stretch of its own, and yielded with it.
    """
    units = _units(text) if len(text) > _STRETCH else []
    headings = [start for start, _ in _headings(text)] if len(text) > _STRETCH else []
    start = 0
    while len(text) - start > _STRETCH:
        most = start + _STRETCH
        above = bisect_right(headings, most) - 1
        end = headings[above] if above >= 0 else 0
        if end <= start + _STRETCH // 2:
            end = _end_of_stretch(text, start)
        before = bisect_left(units, end, key=lambda each: each.start) - 1
        within = units[before] if before >= 0 and end < units[before].end else None
        large = None
        if within is not None:
            large = within if within.start <= start and within.end > most else None
            end = within.start if within.start > start else within.end
        yield start, end, large
        start = end
    yield start, len(text), None


_FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)


def _units(text: str) -> list[_Unit]:
    """Return the tables of a text and its code between fences, in order; an open fence goes to the end."""
    found: list[_Unit] = []
    mark, begun = "", 0
    for match in _FENCE.finditer(text):
        if not mark:
            if match[1][0] == "~" or "`" not in match[2]:
                mark, begun = match[1], match.start()
        elif match[1].startswith(mark) and not match[2].strip():
            found.append(_Unit(begun, match.end()))
            mark = ""
    if mark:
        found.append(_Unit(begun, len(text)))
    starts = [each.start for each in found]
    for table in tables_of(text):
        before = bisect_right(starts, table.start) - 1
        after = starts[before + 1] if before + 1 < len(starts) else len(text)
        if (before < 0 or found[before].end <= table.start) and table.end <= after:
            found.append(_Unit(table.start, table.end, table.rows))
    return sorted(found)


def _around_tables(
    text: str, tables: Sequence[MarkdownTable], size: int, overlap: int, at: int = 0, tries: int = 0
) -> Iterator[_Part]:
    """Yield the parts of a text in Markdown, of which none ends or begins within a table that fits into one.

    A table stays with the words around it where all fit. Else it is a part of its own, and so is every other table that
    the new cut of these words would go through.

    Args:
        tables: Those of the text.
        at: What is to be added to places.
        tries: How often it has been cut otherwise.
    """
    parts = [*_splitter(True, size, overlap).chunk_indices(text)]
    bounds = sorted({place for start, part in parts for place in (start, start + len(part))})
    cut = [each for each in tables if bisect_left(bounds, each.end) > bisect_right(bounds, each.start)]
    if not cut:
        yield from ((at + start, part, "", "") for start, part in parts)
        return
    begun = first = 0
    for table in (*(cut if not tries else tables), None):
        end = table.start if table is not None else len(text)
        last = bisect_left(tables, end, key=lambda each: each.start)
        if text[begun:end].strip():
            within = [MarkdownTable(*(place - begun for place in each)) for each in tables[first:last]]
            yield from _around_tables(text[begun:end], within, size, overlap, at + begun, tries + 1)
        if table is not None:
            yield from _table(text[table.start : table.end], at + table.start, table.rows - table.start, size)
            begun, first = table.end, last + 1


def _table(text: str, at: int, rows: int, size: int) -> Iterator[_Part]:
    """Yield a table, whole if it fits, else cut between rows; its heading row goes with all of its parts.

    Args:
        at: What is to be added to places.
        rows: Where the rows below the headings begin.
    """
    head = text[:rows] if 2 * rows <= size else ""  # else there is little room left for what it is about
    if len(text) <= size or not head:
        yield from _rows(text, at, "", size)
        return
    first, *others = _rows(text[rows:], at + rows, head, size)
    yield at, text[: first[0] - at + len(first[1])], "", ""
    yield from others


def _rows(text: str, at: int, head: str, size: int) -> Iterator[_Part]:
    """Yield rows of a table, each part below the heading row."""
    room = size - len(head) if 2 * len(head) <= size else size
    for start, end in cut_rows(text, room):
        for within, part in (
            [(0, text[start:end])] if end - start <= room else _plain(text[start:end], room, 0)
        ):
            yield at + start + within, part, "", head if room < size else ""


_SENTENCE_END = re.compile(
    r"""[.!?\u2026]+["'\u201d\u2019)\]\u00bb]*(?=\s)|[\u3002\uff01\uff1f]+["\u300d\u300f\uff09\u201d]*|\n[ \t]*\n"""
)
_NO_END = re.compile(
    r"(?:^|\W)(?:[A-Z]|Dr|Mr|Mrs|Ms|Prof|St|No|Nr|Art|Fig|vs|etc|approx|bzw|z\.B|e\.g|i\.e)\.$"
)
"""What a text ends with whose sentence goes on."""


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each sentence begins and ends, without white space around it."""
    begun = 0
    ends = (match.end() for match in _SENTENCE_END.finditer(text))
    for end in (*ends, len(text)):
        said = text[begun:end]
        if end < len(text) and _NO_END.search(said[-12:]):
            continue
        if said.strip():
            start = begun + len(said) - len(said.lstrip())
            yield start, start + len(said.strip())
        begun = end


_BLOCK = re.compile(r"(?:\A|\n[ \t]*\n)(?=[^\s)\]}])")


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the blocks of a program: each begins behind an empty line, at the margin."""
    starts = [match.end() for match in _BLOCK.finditer(text)]
    for start, end in zip(starts, (*starts[1:], len(text)), strict=False):
        yield start, start + len(text[start:end].rstrip())


def _together(text: str, blocks: Iterator[tuple[int, int]], size: int) -> Iterator[tuple[int, int]]:
    """Yield as many blocks side by side as fit into a size."""
    start = last = -1
    for begin, end in blocks:
        if start >= 0 and end - start <= size:
            last = end
            continue
        if start >= 0:
            yield start, last
        start, last = begin, end
    if start >= 0:
        yield start, last


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
