"""A document as it is written: every key and value with its place, its style and its anchor."""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

from wfc.compiler.yaml.parser import events

__all__ = ["SourceNode", "column", "source_tree"]

ANCHOR: Final = re.compile(r"&[^\s,\[\]{}]+")
FILLING: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
STARTS: Final = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
ENDS: Final = (yaml.MappingEndEvent, yaml.SequenceEndEvent)


class SourceNode:
    """A key or a value as it is written.

    Args:
        start: Where it begins, after its anchor.
        end: One past its end; of a map or a list without brackets, and of a block scalar, it lies too far.
        style: Of a scalar: ``""``, ``"'"``, ``'"'``, ``|`` or ``>``; ``{`` or ``[`` of a map or list in brackets;
            ``map`` or ``list`` of one without; ``*`` of an alias.
        value: What a scalar says.
        anchor: With its ``&``; empty if there is none.
        parts: The entries of a map; the items of a list, without keys.
    """

    __slots__ = ("anchor", "end", "parts", "start", "style", "value")

    def __init__(self, start: int, end: int, style: str, value: str, anchor: str) -> None:
        self.start = start
        self.end = end
        self.style = style
        self.value = value
        self.anchor = anchor
        self.parts: list[tuple[SourceNode | None, SourceNode]] = []

    @property
    def in_brackets(self) -> bool:
        """Whether it is a map or a list in brackets."""
        return self.style in {"{", "["}

    @property
    def collects(self) -> bool:
        """Whether it is a map or a list."""
        return self.style in {"{", "[", "map", "list"}

    @property
    def absent(self) -> bool:
        """Whether nothing is written there."""
        return self.start == self.end and self.style == ""

    def all(self) -> list[SourceNode]:
        """Return it and every key and value in it, in no order."""
        found, waiting = [], [self]
        while waiting:
            node = waiting.pop()
            found.append(node)
            for key, value in node.parts:
                waiting.append(value)
                if key is not None:
                    waiting.append(key)
        return found


def source_tree(text: str) -> SourceNode:
    """Return the value of a document that can be read."""
    top = SourceNode(0, len(text), "list", "", "")
    node, key = top, None
    stack: list[tuple[SourceNode, SourceNode | None]] = []
    get = events(text)
    while True:
        event = get()
        kind = event.__class__
        if kind in ENDS:
            if node.in_brackets:
                node.end = max(node.start, event.end_mark.index)
            node, key = stack.pop()
        elif kind is yaml.ScalarEvent or kind is yaml.AliasEvent or kind in STARTS:
            value = node_of(event, text)
            if node.style in {"{", "map"} and key is None:
                key = value
                continue
            node.parts.append((key, value))
            if kind in STARTS:
                stack.append((node, None))
                node = value
            key = None
        elif kind is yaml.StreamEndEvent:
            return top.parts[0][1]


def node_of(event: Any, text: str) -> SourceNode:
    start, end = event.start_mark.index, event.end_mark.index
    kind = event.__class__
    if kind is yaml.AliasEvent:
        return SourceNode(start, end, "*", "", "")
    anchor = ""
    if event.anchor is not None and (match := ANCHOR.match(text, start)):
        anchor = match.group()
        filling = FILLING.match(text, match.end())
        start = match.end() if filling is None else filling.end()
        if kind is yaml.ScalarEvent and not event.style and not event.value:
            start = end = match.end()
    if kind is yaml.ScalarEvent:
        return SourceNode(min(start, end), end, event.style or "", event.value, anchor)
    braces, plain = ("{", "map") if kind is yaml.MappingStartEvent else ("[", "list")
    style = braces if event.flow_style else plain
    return SourceNode(start, end, style, "", anchor)


def column(text: str, at: int) -> int:
    """Return how many characters stand before a place on its line."""
    return at - (text.rfind("\n", 0, at) + 1)
