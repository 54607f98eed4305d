"""Whether whole numbers stand where decimals are wanted, and the call that converts them."""

from __future__ import annotations

from wfc.compiler.expressions.python.pieces import Piece, call
from wfc.compiler.types import (
    ANY,
    DECIMAL,
    INTEGER,
    NUMBER,
    ListOf,
    MapOf,
    OneOf,
    Type,
    assignable,
    base,
    may_be_null,
    members,
    without_null,
)

__all__ = ["is_exact", "is_plain", "made_exact"]


def made_exact(piece: Piece) -> Piece:
    """A value with all whole numbers in it as decimals."""
    return call("filters.exact", piece)


def is_plain(given: Type, wanted: Type) -> bool:
    """Return whether a value becomes exact by a conversion of one kind at each place."""
    inner = without_null(wanted)
    match given, inner:
        case ListOf(), ListOf():
            return is_plain(given.item, inner.item)
    return not may_be_null(given) and (
        is_exact(given, inner) or (base(given) == INTEGER and inner == DECIMAL)
    )


def is_exact(given: Type, wanted: Type) -> bool:
    """Return whether no whole number stands where its type says that there are decimals."""
    inner = without_null(wanted)
    match without_null(given), inner:
        case ListOf(item=one), ListOf(item=other):
            return is_exact(one, other)
        case MapOf(value=one), MapOf(value=other):
            return is_exact(one, other)
        case OneOf(types=types), _:
            return all(is_exact(each, inner) for each in types)
        case (ListOf() | MapOf()) as one, OneOf(types=types):
            fitting = [each for each in types if assignable(one, each)]
            return not fitting or any(is_exact(one, each) for each in fitting)
    return base(without_null(given)) != INTEGER or DECIMAL not in members(inner) or takes_integers(inner)


def takes_integers(wanted: Type) -> bool:
    return any(each in (NUMBER, ANY) or base(each) == INTEGER for each in members(wanted))
