"""From a scalar's value back to its text: where each character of the value is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["Stretch", "characters"]

Stretch = tuple[int, int]
"""Start and end in the document's text, in code points."""

BREAK: Final = r"(?:\r\n|[\r\n\x85\u2028\u2029])"
KEPT: Final = frozenset("\u2028\u2029")  # line breaks that a value keeps as they are
HEADER: Final = re.compile(rf"[|>][-+0-9]*[ \t]*(?:#[^\r\n\x85\u2028\u2029]*)?(?:{BREAK}|$)")
LINE: Final = re.compile(rf"([^\r\n\x85\u2028\u2029]*)({BREAK}|$)")
BREAKS: Final = re.compile(BREAK)

FOLD: Final = rf"[ \t]*(?P<fold>{BREAK}(?:[ \t]*{BREAK})*)[ \t]*"
PARTS: Final = {
    "": re.compile(rf"{FOLD}|."),
    "'": re.compile(rf"{FOLD}|''|."),
    '"': re.compile(
        rf"{FOLD}|\\(?P<joint>{BREAK}(?:[ \t]*{BREAK})*)[ \t]*"
        r"|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\.|."
    ),
}
"""How the text of each flow style falls into what gives one character and what gives a line break."""


def characters(text: str, start: int, end: int, style: str, value: str) -> list[Stretch] | None:
    """A stretch of the document's text for each character of a scalar's value.

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
    found = list(flow(text, start, end, PARTS[style]))
    return found if len(found) == len(value) else None


def flow(text: str, start: int, end: int, parts: re.Pattern[str]) -> Iterator[Stretch]:
    for part in parts.finditer(text, start, end):
        folded, joined = part["fold"], part.groupdict().get("joint")
        if folded is not None:
            yield from line_breaks(text, *part.span("fold"), first=True)
        elif joined is not None:
            yield from line_breaks(text, *part.span("joint"), first=False)
        else:
            yield part.span()


def line_breaks(text: str, start: int, end: int, *, first: bool) -> Iterator[Stretch]:
    """One break gives a space (``first``) or nothing; of more, all but the first stay."""
    breaks = [match.span() for match in BREAKS.finditer(text, start, end)]
    if first and (len(breaks) == 1 or text[breaks[0][0]] in KEPT):
        yield breaks[0]
    yield from breaks[1:]


def block(text: str, start: int, end: int, style: str, value: str) -> list[Stretch] | None:
    header = HEADER.match(text, start)
    if header is None:
        return None
    lines = [match for match in LINE.finditer(text, header.end(), end) if match.group()]
    deepest = max((leading_spaces(line[1]) for line in lines), default=0)
    for indent in likely(lines, deepest):
        found = list(block_lines(text, lines, style, indent))
        kept = [*found, *trailing(lines, indent)][: len(value)]
        if len(kept) == len(value) and all(
            same(text, at, each) for at, each in zip(kept, value, strict=True)
        ):
            return kept
    return None


def likely(lines: list[re.Match[str]], deepest: int) -> Iterator[int]:
    """Indentations that a block may have, the likeliest first."""
    first = next((leading_spaces(line[1]) for line in lines if line[1].strip(" ")), deepest)
    yield first
    yield from (indent for indent in range(deepest, -1, -1) if indent != first)


def leading_spaces(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def same(text: str, at: Stretch, character: str) -> bool:
    written = text[at[0]]
    if character == "\n":
        return written in "\r\n\x85"
    return written == character or (character == " " and written in "\r\n\x85")


def contents(lines: list[re.Match[str]], indent: int) -> Iterator[tuple[re.Match[str], int]]:
    """Each line with the place at which its content begins."""
    for line in lines:
        yield line, line.start() + min(leading_spaces(line[1]), indent)


def block_lines(text: str, lines: list[re.Match[str]], style: str, indent: int) -> Iterator[Stretch]:
    """The characters up to the end of the last line with content."""
    waiting: list[Stretch] = []  # line breaks since the last content
    any_content = bare = False
    for line, start in contents(lines, indent):
        if start < line.end(1):
            indented = text[start] in " \t"
            folds = style == ">" and any_content and bare and not indented and text[waiting[0][0]] not in KEPT
            yield from waiting[1:] if folds and len(waiting) > 1 else waiting
            yield from ((at, at + 1) for at in range(start, line.end(1)))
            waiting, any_content, bare = [], True, not indented
        if line[2]:
            waiting.append(line.span(2))


def trailing(lines: list[re.Match[str]], indent: int) -> Iterator[Stretch]:
    """The line breaks from the end of the last line with content on."""
    last = max(
        (index for index, (line, start) in enumerate(contents(lines, indent)) if start < line.end(1)),
        default=0,
    )
    yield from (line.span(2) for line in lines[last:] if line[2])
