"""Mapping from the characters of a scalar's value to the places where they are written in the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final

from wfc.compiler.yaml.surrogates import PAIR

__all__ = ["Characters", "Stretch", "characters"]

Stretch = tuple[int, int]
"""Start and end in the document's text, in code points."""

Run = tuple[int, int, int]
"""A stretch, and how many characters of the value it gives: as many as it is long, or one."""


class Characters:
    """A stretch of the document's text for each character of a value; stored as runs to save memory."""

    __slots__ = ("firsts", "runs", "size")

    def __init__(self, runs: Iterable[Run]) -> None:
        self.runs = list(runs)
        self.firsts: list[int] = []  # the first character of each run
        self.size = 0
        for _, _, count in self.runs:
            self.firsts.append(self.size)
            self.size += count

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> Stretch:
        at = bisect_right(self.firsts, index) - 1
        start, end, count = self.runs[at]
        if count == 1:
            return start, end
        start += index - self.firsts[at]
        return start, start + 1


BREAK: Final = r"(?:\r\n|[\r\n\x85\u2028\u2029])"
KEPT: Final = frozenset("\u2028\u2029")  # line breaks that a value keeps as they are
HEADER: Final = re.compile(rf"[|>][-+0-9]*[ \t]*(?:#[^\r\n\x85\u2028\u2029]*)?(?:{BREAK}|$)")
LINE: Final = re.compile(rf"([^\r\n\x85\u2028\u2029]*)({BREAK}|$)")
MAX_INDENT: Final = 1_000  # a block deeper than that is not gone into
BREAKS: Final = re.compile(BREAK)

FOLD: Final = rf"[ \t]*(?P<fold>{BREAK}(?:[ \t]*{BREAK})*)[ \t]*"
SPACES: Final = r" \t\r\n\x85\u2028\u2029"
INNER: Final = rf"[ \t]+(?=[^{SPACES}]|\Z)"  # blanks that no line break follows
PARTS: Final = {
    "": re.compile(rf"(?P<run>[^{SPACES}]+|{INNER})|{FOLD}|."),
    "'": re.compile(rf"(?P<run>[^{SPACES}']+|{INNER})|{FOLD}|''|."),
    '"': re.compile(
        rf"(?P<run>[^{SPACES}\\]+|{INNER})|{FOLD}|\\(?P<joint>{BREAK}(?:[ \t]*{BREAK})*)[ \t]*"
        rf"|{PAIR}"
        r"|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\.|."
    ),
}
"""How the text of each flow style falls into what gives one character and what gives a line break."""


def characters(text: str, start: int, end: int, style: str, value: str) -> Characters | None:
    """Return a stretch of the document's text for each character of a scalar's value.

    Args:
        text: The document's.
        start: Of the scalar, with its quotes or its ``|``, without tag and anchor.
        end: One past its end, as the parser says it.
        style: Empty for none, ``'``, ``"``, ``|`` or ``>``.
        value: What the parser read.

    Returns:
        ``None`` if the text does not give this value, which would be a mistake of ours.
    """
    if style in {"|", ">"}:
        return block(text, start, end, style, value)
    if style:
        start, end = start + 1, end - 1
    found = Characters(flow(text, start, end, PARTS[style]))
    return found if len(found) == len(value) else None


def flow(text: str, start: int, end: int, parts: re.Pattern[str]) -> Iterator[Run]:
    for part in parts.finditer(text, start, end):
        first, last = part.span()
        if part["run"] is not None:
            yield first, last, last - first
        elif part["fold"] is not None:
            yield from line_breaks(text, *part.span("fold"), first=True)
        elif part.groupdict().get("joint") is not None:
            yield from line_breaks(text, *part.span("joint"), first=False)
        else:
            yield first, last, 1


def line_breaks(text: str, start: int, end: int, *, first: bool) -> Iterator[Run]:
    """Yield line breaks: a single one gives a space (``first``) or nothing; of more, all but the first."""
    breaks = [(*match.span(), 1) for match in BREAKS.finditer(text, start, end)]
    if first and (len(breaks) == 1 or text[breaks[0][0]] in KEPT):
        yield breaks[0]
    yield from breaks[1:]


def block(text: str, start: int, end: int, style: str, value: str) -> Characters | None:
    header = HEADER.match(text, start)
    if header is None:
        return None
    lines = [match for match in LINE.finditer(text, header.end(), end) if match.group()]
    deepest = max((leading_spaces(line[1]) for line in lines), default=0)
    for indent in likely(lines, deepest):
        found = list(block_lines(text, lines, style, indent))
        kept = alike(text, [*found, *trailing(lines, indent)], value)
        if kept is not None:
            return Characters(kept)
    return None


def alike(text: str, runs: list[Run], value: str) -> list[Run] | None:
    """Return as many runs as give a value; ``None`` if they give another."""
    kept: list[Run] = []
    at = 0
    for start, end, count in runs:
        if at == len(value):
            break
        if count == 1:
            run, fits = (start, end, 1), same(text[start], value[at])
        else:
            size = min(count, len(value) - at)
            run, fits = (start, start + size, size), text.startswith(value[at : at + size], start)
        if not fits:
            return None
        kept.append(run)
        at += run[2]
    return kept if at == len(value) else None


def likely(lines: list[re.Match[str]], deepest: int) -> Iterator[int]:
    """Yield the possible indentations of a block, the likeliest first."""
    first = next((leading_spaces(line[1]) for line in lines if line[1].strip(" ")), deepest)
    yield first
    yield from (indent for indent in range(min(deepest, MAX_INDENT), -1, -1) if indent != first)


def leading_spaces(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def same(written: str, character: str) -> bool:
    if character == "\n":
        return written in "\r\n\x85"
    return written == character or (character == " " and written in "\r\n\x85")


def contents(lines: list[re.Match[str]], indent: int) -> Iterator[tuple[re.Match[str], int]]:
    """Yield each line with the place at which its content begins."""
    for line in lines:
        yield line, line.start() + min(leading_spaces(line[1]), indent)


def block_lines(text: str, lines: list[re.Match[str]], style: str, indent: int) -> Iterator[Run]:
    """Yield the characters up to the end of the last line with content."""
    waiting: list[Run] = []  # line breaks since the last content
    any_content = bare = False
    for line, start in contents(lines, indent):
        if start < line.end(1):
            indented = text[start] in " \t"
            folds = style == ">" and any_content and bare and not indented and text[waiting[0][0]] not in KEPT
            yield from waiting[1:] if folds and len(waiting) > 1 else waiting
            yield start, line.end(1), line.end(1) - start
            waiting, any_content, bare = [], True, not indented
        if line[2]:
            waiting.append((*line.span(2), 1))


def trailing(lines: list[re.Match[str]], indent: int) -> Iterator[Run]:
    """Yield the line breaks from the end of the last line with content on."""
    last = max(
        (index for index, (line, start) in enumerate(contents(lines, indent)) if start < line.end(1)),
        default=0,
    )
    yield from ((*line.span(2), 1) for line in lines[last:] if line[2])
