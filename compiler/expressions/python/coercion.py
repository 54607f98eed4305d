"""Values for what takes a wider type than their own, where Python's types do not widen by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wfc.compiler.expressions.python.pieces import Piece, Rank, atom, call, infix, is_path
from wfc.compiler.expressions.syntax.tree import Binary, Choice, ListDisplay, Node, RecordDisplay
from wfc.compiler.python.literals import field_name
from wfc.compiler.types import (
    ANY,
    DECIMAL,
    INTEGER,
    NUMBER,
    ListOf,
    MapOf,
    OneOf,
    Record,
    Type,
    assignable,
    base,
    may_be_null,
    members,
    without_null,
)

if TYPE_CHECKING:
    from wfc.compiler.expressions.python.printer import Speller

__all__ = ["exact", "into", "is_exact", "joined_lists", "joins_records", "made_exact"]


def exact(speller: Speller, node: Node, target: Type) -> Piece:
    """A value beside decimals: a whole number among them becomes one, so that what follows computes exactly."""
    if is_exact(node.type, target):
        written = isinstance(
            node, (ListDisplay, RecordDisplay)
        )  # whose records have yet to become those of a class
        return into(speller, node, target) if written else speller.piece(node)
    piece = speller.piece(node)
    return into(speller, node, target) if is_plain(node.type, target) else made_exact(piece)


def made_exact(piece: Piece) -> Piece:
    """A value with all whole numbers in it as decimals."""
    return call("filters.exact", piece)


def is_plain(given: Type, wanted: Type) -> bool:
    """Whether a value becomes exact by a conversion of one kind at each place."""
    inner = without_null(wanted)
    match given, inner:
        case ListOf(), ListOf():
            return is_plain(given.item, inner.item)
    return not may_be_null(given) and (
        is_exact(given, inner) or (base(given) == INTEGER and inner == DECIMAL)
    )


def is_exact(given: Type, wanted: Type) -> bool:
    """Whether no whole number stands where its type says that there are decimals."""
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


def into(speller: Speller, node: Node, target: Type) -> Piece:
    """A value for what takes a wider type than its own."""
    wanted = without_null(target)
    if isinstance(wanted, OneOf) and isinstance(node, RecordDisplay):
        wanted = next((each for each in wanted.types if assignable(node.type, each)), wanted)
    match node, wanted:
        case Binary(), ListOf() if joins_records(node):
            return joined_lists(speller, node, wanted)
        case ListDisplay(), ListOf():
            own = node.type.item if isinstance(node.type, ListOf) else wanted.item
            return atom(f"[{', '.join(beside(speller, item, own, wanted.item).code for item in node.items)}]")
        case RecordDisplay(), Record() if wanted.name:
            values = [
                f"{field_name(str(key.value))}={into(speller, value, wanted.fields[str(key.value)].type).code}"
                for key, value in node.entries
            ]
            return call(speller.class_of(wanted), *values)
        case RecordDisplay(), MapOf():
            entries = [
                f"{speller.text(str(key.value)).code}: {into(speller, value, wanted.value).code}"
                for key, value in node.entries
            ]
            return atom(f"{{{', '.join(entries)}}}")
        case Choice(), _:
            then, otherwise = (
                beside(speller, each, node.type, target) for each in (node.then, node.otherwise)
            )
            return speller.choose(node, then, otherwise)
    return widened(speller.piece(node), node.type, target, speller)


def beside(speller: Speller, node: Node, own: Type, target: Type) -> Piece:
    """A value for what takes a wider type than what it stands in has: beside decimals it is one all the same."""
    piece = into(speller, node, target)
    if is_exact(node.type, own) or not is_exact(node.type, target):
        return piece
    return call("filters.decimal", piece) if base(node.type) == INTEGER else made_exact(piece)


def joins_records(node: Binary) -> bool:
    """Whether lists are joined of which one has records written in place, which have yet to become those of a class."""
    return any(
        isinstance(each.type, ListOf)
        and any(isinstance(item, Record) and not item.name for item in members(each.type.item))
        for each in (node.left, node.right)
    )


def joined_lists(speller: Speller, node: Binary, target: Type) -> Piece:
    """Two lists as one, each with the items that the whole is to have."""
    return infix(into(speller, node.left, target), "+", into(speller, node.right, target), Rank.SUM)


def widened(piece: Piece, source: Type, target: Type, speller: Speller) -> Piece:
    """A value made into one of a wider type where Python's own types do not widen by themselves."""
    wanted, given = without_null(target), without_null(source)
    if needs_no_widening(given, wanted):
        return piece
    if may_be_null(source):
        if not is_path(piece.code):
            return piece if is_exact(source, target) else made_exact(piece)
        inner = widened(piece, given, wanted, speller)
        return Piece(f"{inner.within(Rank.OR)} if {piece.code} is not None else None", Rank.CHOICE)
    match given, wanted:
        case ListOf(), ListOf():
            item = speller.local(piece)
            inner = widened(atom(item), given.item, wanted.item, speller)
            if inner.code == item:
                return atom(f"[*{piece.within(Rank.OR)}]")
            return atom(f"[{inner.code} for {item} in {piece.within(Rank.OR)}]")
        case MapOf(), MapOf():
            item = speller.local(piece)
            inner = widened(atom(item), given.value, wanted.value, speller)
            if inner.code == item:
                return atom(f"{{**{piece.within(Rank.OR)}}}")
            return atom(f"{{key: {inner.code} for key, {item} in {piece.within(Rank.ATOM)}.items()}}")
    return call("filters.decimal", piece) if base(given) == INTEGER else made_exact(piece)


def needs_no_widening(given: Type, wanted: Type) -> bool:
    """Whether Python takes a value of one type for one of the other without further ado."""
    if given == wanted:
        return True
    match given, wanted:
        case ListOf(), ListOf():
            return given.item == wanted.item
        case MapOf(), MapOf():
            return given.value == wanted.value
    return is_exact(given, wanted)
