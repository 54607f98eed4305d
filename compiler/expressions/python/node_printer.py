"""The protocol of a node printer, as far as the rules for single kinds of nodes need it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from wfc.compiler.expressions.python.pieces import Piece
from wfc.compiler.expressions.syntax.tree import Node, Path
from wfc.compiler.python.literals import Code
from wfc.compiler.types import Record, Type

__all__ = ["Names", "NodePrinter"]

Names = Mapping[Path, Code]
"""How paths are called where the code will stand; the longest prefix wins."""


class NodePrinter(Protocol):
    """Prints nodes as Python."""

    @property
    def quotes(self) -> str | None:
        """Return the quotes that texts may still have inside an f-string; ``None`` outside of all."""
        ...

    @property
    def names(self) -> Names:
        """Return how paths are called where the code will stand."""
        ...

    @property
    def counter(self) -> Code | None:
        """Return what counts the items of the loops around the code; ``None`` outside of all that are counted."""
        ...

    def within_loop(self, names: Names, counter: Code | None) -> NodePrinter:
        """Return the printer for the inside of a loop."""
        ...

    def inside(self, quotes: str) -> NodePrinter:
        """Return the printer for an f-string's braces, where texts may have these quotes."""
        ...

    def piece(self, node: Node) -> Piece:
        """Return the Python of a node."""
        ...

    def exact(self, node: Node, target: Type) -> Piece:
        """Return the Python of a value beside others of a type: where that is exact, so is it."""
        ...

    def text(self, value: str) -> Piece:
        """Return a text as a literal."""
        ...

    def rendered(self, node: Node) -> Piece:
        """Return the Python of a scalar as it stands in a text."""
        ...

    def class_of(self, record: Record) -> str:
        """Return the name of a record's class."""
        ...
