"""Pieces of Python expressions, with how tightly each binds, so that parentheses stand only where they must."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final

from wfc.compiler.python.literals import field_name
from wfc.compiler.slotted import dataclass

__all__ = [
    "Piece",
    "Rank",
    "atom",
    "attribute",
    "call",
    "infix",
    "is_path",
    "method",
    "tuple_of",
    "unused_name",
]

ITEM_NAMES: Final = ("item", "each", "entry", "element")


class Rank(IntEnum):
    """How tightly a piece binds; the greater, the tighter."""

    LAMBDA = 1
    CHOICE = 2
    OR = 3
    AND = 4
    NOT = 5
    COMPARE = 6
    SUM = 7
    PRODUCT = 8
    SIGN = 9
    ATOM = 10


@dataclass(frozen=True, slots=True)
class Piece:
    """A Python expression.

    Args:
        iterable: Shorter code for where it is only gone through: ``m.values()`` for ``list(m.values())``.
    """

    code: str
    rank: Rank
    iterable: str = ""

    @property
    def looped(self) -> str:
        """The code where it is only gone through, once."""
        return self.iterable or self.code

    @property
    def after_in(self) -> str:
        """The same after the ``in`` of a loop or a comprehension."""
        return self.iterable or self.within(Rank.OR)

    def within(self, rank: Rank) -> str:
        """The code where at least this rank is wanted: in parentheses if it binds more loosely."""
        return self.code if self.rank >= rank else f"({self.code})"


PATH: Final = r"[^\W\d]\w*(\.[^\W\d]\w*)*"


def is_path(code: str) -> bool:
    """Return whether code is a name, or attributes of one."""
    return re.fullmatch(PATH, code) is not None


def atom(code: str) -> Piece:
    """A piece that never needs parentheses."""
    return Piece(code, Rank.ATOM)


def call(function: str, *arguments: Piece | str) -> Piece:
    """A call of a function; arguments that are no pieces are code already, such as ``key=…``."""
    return atom(
        f"{function}({', '.join(each if isinstance(each, str) else each.code for each in arguments)})"
    )


def method(of: Piece, name: str, *arguments: Piece | str) -> Piece:
    """A call of a method of a value."""
    subject = of.within(Rank.ATOM)
    if subject.isdecimal():
        subject = f"({subject})"
    return call(f"{subject}.{name}", *arguments)


def tuple_of(items: list[Piece]) -> Piece:
    """A tuple written out."""
    return atom(f"({', '.join(item.code for item in items)}{',' if len(items) == 1 else ''})")


def infix(left: Piece, operator: str, right: Piece, rank: Rank) -> Piece:
    """Two operands and what is between them; the right one binds tighter where the operator's rank repeats."""
    tighter = Rank(rank + 1)
    first = left.within(tighter if rank is Rank.COMPARE else rank)
    return Piece(f"{first} {operator} {right.within(tighter)}", rank)


def attribute(name: str, path: str) -> Piece:
    """Return the field at a path of the record that a local name stands for."""
    return atom(".".join([name, *(field_name(part) for part in path.split("."))]))


def unused_name(*used: Piece) -> str:
    """Return a name for an item that no piece uses."""
    words = {word for piece in used for word in re.findall(r"\w+", piece.code)}
    names = (*ITEM_NAMES, *(f"item_{number}" for number in range(2, 99)))
    return next(name for name in names if name not in words)
