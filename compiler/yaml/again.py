"""Reading a text again: who reads a text that was edited in one piece reads that alone.

What is before a piece ends at its key, and what is after it begins anew at the next one, whatever the piece says, as
long as the piece is well-formed by itself: so it can be read below the key of its section alone. Where anything is
unusual (an anchor, a finding, a key that is not written plainly) there are no pieces, and the text is read as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from wfc.compiler.diagnostics import Finding, Report
from wfc.compiler.yaml import read
from wfc.compiler.yaml.decode import decode
from wfc.compiler.yaml.document import Document
from wfc.compiler.yaml.parser import YAMLError, events
from wfc.compiler.yaml.pieces import TextPiece, TextPieces
from wfc.compiler.yaml.tree import MAX_VALUES, NO_KEY, Builder, GiveUp

__all__ = ["read_again", "read_marked"]

ENDS: Final = re.compile(r"(?:^|[\r\n\x85\u2028\u2029])(?:---|\.\.\.)")
"""What ends a document, which may go unnoticed at the end of a piece."""

UNUSUAL: Final = ("\\u", "\\U")
"""Halves of characters are looked for in whole texts."""


class MarkingBuilder(Builder):
    """A tree that is built with a note of where its sections and their entries begin."""

    __slots__ = ("heads",)

    def __init__(self, text: str, report: Report) -> None:
        super().__init__(text, report)
        self.heads: list[tuple[int, str, int, int]] = []  # depth, key, where it begins and ends

    def scalar(self, event: Any) -> None:
        depth = len(self.stack)
        if depth <= 2 and self.key is NO_KEY and self.node.__class__ is dict and not self.flow:
            self.heads.append((depth, event.value, event.start_mark.index, event.end_mark.index))
        super().scalar(event)


def read_marked(raw: bytes, path: str, report: Report) -> Document:
    """Return the same as ``read``, with its pieces if it is well-formed."""
    made: list[MarkingBuilder] = []

    def make(text: str, report: Report) -> Builder:
        made.append(MarkingBuilder(text, report))
        return made[0]

    document = read(raw, path, report, make)
    if made and isinstance(document.data, dict):
        document.pieces = pieces_of(document.text, made[0])
    return document


def pieces_of(text: str, builder: MarkingBuilder) -> TextPieces | None:
    if builder.anchors or builder.findings:
        return None
    found: list[TextPiece] = []
    alone: list[TextPiece] = []
    head, section = "", ""
    heads = builder.heads
    ends = [start_of_line(text, start) for _, _, start, _ in heads[1:]]
    depths = [depth for depth, *_ in heads[1:]]
    for (depth, key, start, end), after, next_depth in zip(
        heads, [*ends, len(text)], [*depths, 1], strict=True
    ):
        line = start_of_line(text, start)
        if line is None or after is None or text[end : end + 1] != ":" or "\n" in text[start:end]:
            return None
        if depth == 1:
            if line != start:
                return None
            head, section = f"{text[start:end]}:\n", key
            if next_depth == 1:
                alone.append(TextPiece(key, "", "", line, after, end + 1))
        else:
            found.append(TextPiece(section, key, head, line, after, end + 1))
    return TextPieces(found, alone, builder.values)


def start_of_line(text: str, at: int) -> int | None:
    """Return where the line of a key begins; ``None`` if there is more than spaces before it."""
    begin = text.rfind("\n", 0, at) + 1
    return begin if text[begin:at].strip(" ") == "" else None


def read_again(before: Document, raw: bytes) -> Document | None:
    """Return the document of a text that is another one but for an edit within a piece.

    Returns:
        The same as ``read`` would, which finds nothing to report; ``None`` if only that can tell.
    """
    pieces = before.pieces
    findings: list[Finding] = []
    text, readable = decode(raw, findings.append)
    if pieces is None or not readable or findings:
        return None
    start, end = difference(before.text, text)
    piece, by = pieces.around(start, end), len(text) - len(before.text)
    if piece is None:
        return None
    content = text[piece.start : piece.end + by]
    if piece.end + by < len(text) and not content.endswith("\n"):
        return None  # the next one would not begin its line
    value, count = read_piece(piece, content)
    if count == 0 or pieces.values + count > MAX_VALUES:
        return None
    assert isinstance(before.data, dict)
    section = {**before.data[piece.section], piece.name: value} if piece.head else value
    made = Document(before.path, text, {**before.data, piece.section: section}, extent=len(text))
    made.pieces = pieces.edited(piece, by, count)
    return made


def read_piece(piece: TextPiece, content: str) -> tuple[object, int]:
    """Return what a piece says by itself, and how many values that has; 0 if it cannot be read so."""
    if any(each in content for each in UNUSUAL) or ENDS.search(content):
        return None, 0
    found: list[Finding] = []
    text = piece.head + content
    builder = Builder(text, found.append)
    try:
        data = builder.run(events(text))
    except (GiveUp, YAMLError, RecursionError):
        return None, 0
    if found or builder.anchors or not builder.whole or not isinstance(data, dict):
        return None, 0
    section = data.get(piece.section)
    if list(data) != [piece.section]:
        return None, 0
    if not piece.head:  # a section whose entries can be read by themselves now is read with them
        apart = isinstance(section, dict) and content[piece.colon - piece.start :].lstrip(" ")[:1] != "{"
        return (None, 0) if apart else (section, builder.values)
    if not isinstance(section, dict) or list(section) != [piece.name]:
        return None, 0
    return section[piece.name], builder.values


def difference(old: str, new: str) -> tuple[int, int]:
    """Return the stretch of an old text outside of which the new one is the same."""
    shorter = min(len(old), len(new))
    start = longest(shorter, lambda size: old[:size] == new[:size])
    rest = shorter - start
    kept = longest(rest, lambda size: size == 0 or old[-size:] == new[-size:])
    return start, len(old) - kept


def longest(most: int, is_same: Callable[[int], bool]) -> int:
    """Return the largest number up to which something holds."""
    least = 0
    while least < most:
        middle = (least + most + 1) // 2
        if is_same(middle):
            least = middle
        else:
            most = middle - 1
    return least
