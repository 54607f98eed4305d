"""The use of a filter, to be printed as Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from wfc.compiler.expressions.python.node_printer import NodePrinter
from wfc.compiler.expressions.python.pieces import Piece
from wfc.compiler.expressions.syntax.tree import Constant, FilterCall
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Type

__all__ = ["FilterPrinter", "PrintedFilter"]


@dataclass(frozen=True, slots=True)
class PrintedFilter:
    """A filter's use, to be printed."""

    node: FilterCall
    printer: NodePrinter
    subject: Piece
    arguments: Mapping[str, Piece]

    @property
    def type(self) -> Type:
        """The type of what is filtered."""
        return self.node.of.type

    def constant(self, name: str) -> object:
        """The value of an argument that is written out; ``None`` if it is not given."""
        argument = self.node.bound.get(name)
        return argument.value if isinstance(argument, Constant) else None


class FilterPrinter(Protocol):
    """What printing has to know of a filter."""

    def to_python(self, use: PrintedFilter, /) -> Piece:
        """Return the Python of a use."""
        ...
