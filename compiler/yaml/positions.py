"""Places of all keys and values in the text, from YAML events; computed only on demand."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import yaml

from wfc.compiler.diagnostics import Address
from wfc.compiler.yaml.characters import Characters, Stretch, characters
from wfc.compiler.yaml.parser import YAMLError, events

__all__ = ["TextNode", "read_positions"]

PROPERTIES: Final = re.compile(r"(?:[&!]\S*\s+(?:#[^\r\n\x85\u2028\u2029]*\s+)*)+")

STARTS: Final = frozenset({yaml.MappingStartEvent, yaml.SequenceStartEvent})
ENDS: Final = frozenset({yaml.MappingEndEvent, yaml.SequenceEndEvent})
VALUES: Final = STARTS | {yaml.ScalarEvent, yaml.AliasEvent}


class TextNode:
    """A value's place: its stretch, and the places of what it holds.

    Attributes:
        start: Where it begins, without anchor and tag.
        end: One past its end; of a block, the end of the last thing in it.
        style: Of a scalar: empty, ``'``, ``"``, ``|``, ``>``.
        value: Of a scalar, as the parser read it; else ``None``.
        entries: Of a map, by key: the key's own place and the value's.
        items: Of a list.
        target: What an alias repeats.
        characters: Of a scalar: where each character of its value is written; computed on demand.
        parts: Of a map or a list: keys and values, or items, in the order of the text; computed on demand.
    """

    __slots__ = ("characters", "end", "entries", "items", "parts", "start", "style", "target", "value")

    def __init__(self, start: int, end: int, style: str = "", value: str | None = None) -> None:
        self.start = start
        self.end = end
        self.style = style
        self.value = value
        self.entries: dict[str, tuple[TextNode, TextNode]] | None = None
        self.items: list[TextNode] | None = None
        self.target: TextNode | None = None
        self.characters: Characters | None = None
        self.parts: list[tuple[TextNode | None, TextNode]] | None = None

    @property
    def content(self) -> TextNode:
        """The value that an alias repeats, or the node itself."""
        return self if self.target is None else self.target

    def child(self, step: str | int) -> tuple[TextNode | None, TextNode] | None:
        """Return the places of a key and its value, or of an item; ``None`` if there is none."""
        node = self.content
        if isinstance(step, str):
            return node.entries.get(step) if node.entries is not None else None
        if node.items is not None and 0 <= step < len(node.items):
            return None, node.items[step]
        return None

    def find(self, address: Address) -> tuple[TextNode | None, TextNode, bool]:
        """Return key and value at an address, or the nearest existing one above, and whether it is exact."""
        key: TextNode | None = None
        value = self
        for step in address:
            found = value.child(step)
            if found is None:
                return key, value, False
            key, value = found
        return key, value, True

    def move(self, moved: Callable[[int], int]) -> None:
        """Move this place and all that it holds, of which nothing was worked out on demand yet."""
        self.start, self.end = moved(self.start), moved(self.end)
        for each in self.items or ():
            each.move(moved)
        for key, value in (self.entries or {}).values():
            key.move(moved)
            value.move(moved)

    def stretch(self, text: str, start: int, end: int) -> Stretch:
        """Return where a stretch of a scalar's value is written."""
        node = self.content
        if node.value is None:
            return node.start, node.end
        found = node.characters
        if found is None:  # kept, for there may be a finding at each character
            found = characters(text, node.start, node.end, node.style, node.value)
            if found is None:
                return node.start, node.end
            node.characters = found
        if not found.size:
            edge = node.end - 1 if node.style in {"'", '"'} else node.end
            return edge, edge
        start = max(0, min(start, len(found)))
        end = max(start, min(end, len(found)))
        if start == end:
            at = found[start][0] if start < len(found) else found[found.size - 1][1]
            return at, at
        return found[start][0], found[end - 1][1]


def read_positions(text: str, extent: int | None = None, *, fast: bool = True) -> TextNode:
    """Return the place of a document's value, which contains those of all the others.

    Args:
        text: Of a document; if it has a mistake, the places before it are found.
        extent: How far to read, in code points; to the end if not given.
        fast: Whether to use the parser in C if there is one.
    """
    root = TextNode(0, len(text))
    root.items = []
    with suppress(YAMLError):
        add_nodes(root, text, events(text, fast=fast), len(text) if extent is None else extent)
    return root.items[0] if root.items else TextNode(0, len(text))


def add_nodes(root: TextNode, text: str, next_event: Callable[[], Any], extent: int) -> None:
    node, key = root, None
    stack: list[tuple[TextNode, TextNode | None]] = []
    anchors: dict[str, TextNode] = {}
    while True:
        event = next_event()
        kind = event.__class__
        if kind in VALUES:
            if event.start_mark.index > extent:
                return
            value = node_of(event, text, anchors)
            key = attach(node, key, value)
            if kind in STARTS:
                stack.append((node, key))
                node, key = value, None
        elif kind in ENDS:
            close(node, text, event)
            end = node.end
            node, key = stack.pop()
            node.end = max(node.end, end)
        elif kind is yaml.StreamEndEvent or kind is yaml.DocumentEndEvent:
            return


def node_of(event: Any, text: str, anchors: dict[str, TextNode]) -> TextNode:
    start, end = event.start_mark.index, event.end_mark.index
    kind = event.__class__
    anchor = event.anchor
    if kind is yaml.AliasEvent:
        node = TextNode(start, end)
        node.target = anchors.get(anchor)
        return node
    if (anchor is not None or event.tag is not None) and (skip := PROPERTIES.match(text, start)):
        start = skip.end()
    if kind is yaml.ScalarEvent:
        node = TextNode(min(start, end), end, event.style or "", event.value)
    else:
        node = TextNode(start, max(start, end) if event.flow_style else start)
        if kind is yaml.MappingStartEvent:
            node.entries = {}
        else:
            node.items = []
    if anchor is not None:
        anchors[anchor] = node
    return node


def attach(node: TextNode, key: TextNode | None, value: TextNode) -> TextNode | None:
    """Add a value to the collection that contains it, and return the key that still has no value."""
    if node.items is not None:
        node.items.append(value)
        node.end = max(node.end, value.end)
        return None
    if key is None:
        node.end = max(node.end, value.end)
        return value
    assert node.entries is not None
    if key.value is not None:
        node.entries.setdefault(key.value, (key, value))
    node.end = max(node.end, value.end)
    return None


def close(node: TextNode, text: str, event: Any) -> None:
    """Set the end of a collection: the bracket in flow style, else the end of its last content."""
    end = event.end_mark.index
    if end > event.start_mark.index and text[end - 1 : end] in {"]", "}"}:
        node.end = end
