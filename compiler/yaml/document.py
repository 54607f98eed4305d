"""A document: plain data, its source text, and the mapping between them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from wfc.compiler.diagnostics import Address, Diagnostic, Finding, Fix, Place, Position, Related, Repair

if TYPE_CHECKING:
    from wfc.compiler.yaml.pieces import TextPieces
    from wfc.compiler.yaml.positions import TextNode

__all__ = ["Document"]

LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")
NO_OTHERS: Final[Mapping[str, Document]] = {}
NO_PLACES: Final[Mapping[Address, int]] = {}


class Document:
    """A file's data and text.

    Args:
        path: As findings show it.
        text: Without a byte order mark; positions count its code points.
        data: Plain data: ``dict`` with texts as keys, ``list``, ``str``, ``int``, ``float``, ``bool``, ``None``;
            or ``None`` as a whole if the file could not be read. Not to be changed: what an alias repeats is
            one object.
        whole: Whether ``BROKEN`` stands nowhere in it.
        extent: How far the text was read, in code points, if not to its end.
        begins: Where some keys stand that may be asked for often.

    ``pieces`` are the parts of the text that can be read by themselves, where these are known.
    """

    __slots__ = (
        "_begins",
        "_extent",
        "_lines",
        "_moved",
        "_near",
        "_root",
        "data",
        "path",
        "pieces",
        "text",
        "whole",
    )

    def __init__(
        self,
        path: str,
        text: str,
        data: object,
        *,
        whole: bool = True,
        extent: int | None = None,
        begins: Mapping[Address, int] = NO_PLACES,
    ) -> None:
        self.path = path
        self.text = text
        self.data = data
        self.whole = whole
        self._extent = extent
        self._begins = begins
        self._root: TextNode | None = None
        self._lines: list[int] | None = None
        self._moved: list[tuple[Address, Address]] = []
        self.pieces: TextPieces | None = None
        self._near: dict[Address, TextNode] = {}

    def span(self, place: Place) -> tuple[Position, Position]:
        """Return where a place begins and ends; of one that is absent, the nearest existing one above it."""
        start, end = self.stretch(place)
        return self.position(start), self.position(end)

    def line(self, address: Address) -> int:
        """Return the line, from 1, of the key or item at an address, or of the nearest one above it."""
        known = None if self._moved else self._begins.get(address)
        if known is not None:
            return self.position(known).line
        return self.position(self.stretch(Place(address, "key"))[0]).line

    def diagnostic(self, finding: Finding, others: Mapping[str, Document] = NO_OTHERS) -> Diagnostic:
        """Return a finding as a diagnostic, with its place in the text.

        Args:
            others: The other files that its places may be in, by path.
        """
        document = self.owner(finding.place, others)
        start, end = document.span(finding.place.here)
        related = []
        for place, words in finding.related:
            owner = self.owner(place, others)
            related.append(Related(owner.span(place.here)[0], words, owner.path))
        return Diagnostic(
            document.path,
            start,
            end,
            finding.code,
            finding.message,
            finding.severity,
            finding.hint,
            tuple(related),
            document.repair(finding.fix),
        )

    def repair(self, fix: Fix | None) -> Repair | None:
        """Return a fix as edits of this document's text."""
        if fix is None:
            return None
        from wfc.compiler.yaml.repairs import repair  # only for what is to be shown

        return repair(self.text, self.changed_by(fix), fix, self.position)

    def changed_by(self, fix: Fix) -> TextNode:
        """Return the places of values with those that a fix changes and looks at."""
        addresses = [each.place.here.address for each in fix.edits]
        is_near = all(len(each) > 2 and each[:2] == addresses[0][:2] for each in addresses)
        # what is taken out may take with it what it stands in
        if is_near and not any(each.how == "remove" for each in fix.edits):
            return self.around(addresses[0])
        return self.root

    def owner(self, place: Place, others: Mapping[str, Document]) -> Document:
        """Return the document that a place is in."""
        return self if place.origin is None else others[place.origin]

    def rename(self, address: Address, name: str) -> None:
        """Use a misspelt key's place for the intended key too, which is absent itself."""
        self._moved.append((address, (*address[:-1], name)))
        self._near.clear()
        if self._root is not None:
            apply_move(self._root, *self._moved[-1])

    def changed(self, data: object, moves: Iterable[tuple[Address, Address]]) -> Document:
        """Return the document with other data.

        Args:
            data: The new data.
            moves: Values at other addresses than in the text: the address in the text, and that in the data.
        """
        made = Document(self.path, self.text, data, whole=self.whole, extent=self._extent)
        made._moved = [*self._moved, *moves]
        made.pieces = self.pieces
        return made

    def stretch(self, place: Place) -> tuple[int, int]:
        """Return start and end of a place, in code points of the text."""
        if place.part == "text":
            start = min(place.start or 0, len(self.text))
            end = len(self.text) if place.end is None else min(place.end, len(self.text))
            return start, max(start, end)
        key, value, exact = self.around(place.address).find(place.address)
        if place.part == "key" or not exact:
            if key is None:
                return self.visible(value)
            if exact and place.start is not None and place.end is not None:
                return key.stretch(self.text, place.start, place.end)
            return key.start, key.end
        if place.start is not None and place.end is not None:
            return value.stretch(self.text, place.start, place.end)
        if value.start == value.end and value.value == "" and key is not None:
            return key.start, key.end  # nothing is written there; its key is what can be shown
        return self.visible(value)

    def visible(self, node: TextNode) -> tuple[int, int]:
        """Return a value's stretch; for a text in block style, without the blank lines after it."""
        if node.style in {"|", ">"}:
            return node.start, node.start + len(self.text[node.start : node.end].rstrip())
        if node.start == node.end and self.text[node.start - 1 : node.start] == "-":
            return node.start - 1, node.end  # an item with nothing in it
        return node.start, node.end

    def around(self, address: Address) -> TextNode:
        """Return the places of values with those at an address: of its piece alone, if that is known, for speed."""
        here = address[:2]
        if self._root is not None or self.pieces is None or not here:
            return self.root
        if any(len(meant) <= 2 or meant[:2] == here for _, meant in self._moved):
            return self.root
        piece = self.pieces.named(*here) if len(here) == 2 else None
        if piece is None:
            outside = self.outside
            return outside if outside.child(here[0]) and not self.pieces.has(here[0]) else self.root
        found = self._near.get(here)
        if found is None:
            from wfc.compiler.yaml.positions import read_positions

            found = read_positions(piece.head + self.text[piece.start : piece.end])
            by = piece.start - len(piece.head)
            found.move(lambda at: at + by)
            found.start = piece.start
            self._near[here] = found
        return found

    @property
    def outside(self) -> TextNode:
        """The places of what is outside of all pieces; those of sections and of the whole are not right."""
        found = self._near.get(())
        if found is None:
            from wfc.compiler.yaml.positions import read_positions

            assert self.pieces is not None
            rest, cuts = self.pieces.outside(self.text)
            found = read_positions(rest)
            found.move(lambda at: at + sum(size for start, size in cuts if start <= at))
            self._near[()] = found
        return found

    @property
    def root(self) -> TextNode:
        """The places of all values, computed on first access."""
        if self._root is None:
            from wfc.compiler.yaml.positions import read_positions  # only for what is to be shown

            self._root = read_positions(self.text, self._extent)
            for move in self._moved:
                apply_move(self._root, *move)
        return self._root

    def position(self, offset: int) -> Position:
        """Return the line and the column of a code point."""
        if self._lines is None:
            self._lines = [0, *(match.end() for match in LINE_BREAK.finditer(self.text))]
        line = bisect_right(self._lines, offset)
        return Position(line, offset - self._lines[line - 1] + 1, offset)


def apply_move(root: TextNode, written: Address, meant: Address) -> None:
    """Use a place for another one too, at which nothing is written."""
    key, value, exact = root.find(written)
    _, owner, there = root.find(meant[:-1])
    node, step = owner.content, meant[-1]
    if not exact or not there or key is None or not isinstance(step, str):
        return
    if node.entries is None and not node.value and node.items is None:
        node.entries = {}  # nothing was written there
    if node.entries is not None:
        node.entries.setdefault(step, (key, value))
