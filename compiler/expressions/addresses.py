"""Addresses of services with expressions in them: what decides which server is asked, and what may only follow it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from wfc.compiler.expressions.syntax.template_tree import Hole, Part, Text
from wfc.compiler.expressions.syntax.tree import (
    Attribute,
    Binary,
    Choice,
    Compare,
    Concat,
    Constant,
    Fields,
    FilterCall,
    ListDisplay,
    Logic,
    Name,
    Node,
    Not,
    RecordDisplay,
    Slice,
    Subscript,
    Test,
    Unary,
    children,
)
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import ListOf, MapOf, Record

__all__ = ["Address", "is_fixed", "split_address"]

Pieces = tuple[str | Node, ...]

HOLE: Final = "\0"
"""Stands for an expression where the parts of an address are looked at as one text."""

SCHEME: Final = re.compile(r"[^/?#]*://")
CLOSING: Final = re.compile(r"[/?#]")
QUERY: Final = re.compile(r"[?#]")


@dataclass(frozen=True, slots=True)
class Address:
    """An address, taken apart where its server ends.

    Args:
        head: Everything that decides which server is asked: all up to the first of ``/ ? #`` after the server's name
            begins. Its expressions are put in as they are.
        path: What follows up to the query. Its expressions are encoded.
        query: The rest. Its expressions are encoded too, and may be empty.
        scheme: The head up to ``://`` with `HOLE` for expressions; empty where an expression begins the address or
            nothing says the scheme.
        has_server: Whether anything stands where the server's name belongs.
    """

    head: Pieces
    path: Pieces
    query: Pieces
    scheme: str
    has_server: bool

    @property
    def literal_head(self) -> str:
        """The texts of the head, without its expressions."""
        return "".join(each for each in self.head if isinstance(each, str))

    @property
    def loose(self) -> list[Node]:
        """The expressions of the head that data could make into another server."""
        return [each for each in self.head if isinstance(each, Node) and not is_fixed(each)]


def split_address(parts: Sequence[Part]) -> Address:
    """Return an address, taken apart where its server ends."""
    pieces = tuple(
        part.text if isinstance(part, Text) else part.tree for part in parts if isinstance(part, (Text, Hole))
    )
    whole = "".join(each.replace(HOLE, " ") if isinstance(each, str) else HOLE for each in pieces)
    scheme = SCHEME.match(whole)
    begin = scheme.end() if scheme is not None else 0
    end = closing(whole, begin)
    if scheme is None and whole.startswith(HOLE) and whole.startswith("//", end):
        # the expression may end with the scheme, so that what follows the slashes is the server
        begin = end + 2
        end = closing(whole, begin)
    head, rest = cut(pieces, end)
    query = QUERY.search(whole, end)
    path, after = cut(rest, query.start() - end if query is not None else len(whole))
    return Address(
        head, path, after, scheme[0].removesuffix("://") if scheme is not None else "", end > begin
    )


def closing(whole: str, begin: int) -> int:
    """Return where the server's name ends that begins at a position."""
    found = CLOSING.search(whole, begin)
    return found.start() if found is not None else len(whole)


def cut(pieces: Pieces, end: int) -> tuple[Pieces, Pieces]:
    """Return the pieces before a position, and those from it on; an expression is one sign long."""
    head: list[str | Node] = []
    rest: list[str | Node] = []
    position = 0
    for each in pieces:
        length = len(each) if isinstance(each, str) else 1
        if isinstance(each, str) and position < end < position + length:
            head.append(each[: end - position])
            rest.append(each[end - position :])
        else:
            (head if position < end else rest).append(each)
        position += length
    return tuple(head), tuple(rest)


ALL_FIXED: Final = (
    *(Attribute, Binary, Compare, Concat, FilterCall, ListDisplay, Logic, Not, RecordDisplay, Slice),
    *(Test, Unary),
)
"""Nodes that are fixed if all that they are made of is."""


def is_fixed(node: Node) -> bool:
    """Return whether data can at most choose among values that the author and the config have written.

    Constants and paths from ``config`` are fixed, and what is made of fixed values alone. The condition of a choice and
    the key under which a fixed map or list is asked may be data: they choose, and make nothing.
    """
    match node:
        case Constant():
            return True
        case Name():
            return node.name == "config"
        case Fields():
            return node.path[0] == "config"
        case Choice():
            return is_fixed(node.then) and is_fixed(node.otherwise)
        case Subscript():
            chosen = isinstance(node.of.type, (MapOf, ListOf, Record))
            return is_fixed(node.of) and (chosen or is_fixed(node.index))
    return isinstance(node, ALL_FIXED) and all(is_fixed(each) for each in children(node))
