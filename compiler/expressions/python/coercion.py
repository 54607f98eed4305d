"""Values for what takes a wider type than their own, where Python's types do not widen by themselves."""

from __future__ import annotations

from wfc.compiler.expressions.python.conditions import choose, only_way
from wfc.compiler.expressions.python.exactness import is_exact, is_plain, made_exact
from wfc.compiler.expressions.python.loops import comprehension
from wfc.compiler.expressions.python.node_printer import NodePrinter
from wfc.compiler.expressions.python.pieces import Piece, Rank, atom, call, infix, is_path, unused_name
from wfc.compiler.expressions.syntax.tree import (
    Binary,
    Choice,
    Comprehension,
    ListDisplay,
    Node,
    RecordDisplay,
)
from wfc.compiler.python.literals import field_name
from wfc.compiler.types import (
    INTEGER,
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

__all__ = ["exact", "into", "joined_lists", "joins_records"]


def exact(printer: NodePrinter, node: Node, target: Type) -> Piece:
    """A value beside decimals: a whole number among them becomes one, so that what follows computes exactly."""
    if is_exact(node.type, target):
        written = isinstance(
            node, (ListDisplay, RecordDisplay, Comprehension)
        )  # whose records have yet to become those of a class
        return into(printer, node, target) if written else printer.piece(node)
    piece = printer.piece(node)
    return into(printer, node, target) if is_plain(node.type, target) else made_exact(piece)


def into(printer: NodePrinter, node: Node, target: Type) -> Piece:
    """A value for what takes a wider type than its own."""
    wanted = without_null(target)
    if isinstance(wanted, OneOf) and isinstance(node, RecordDisplay):
        wanted = next((each for each in wanted.types if assignable(node.type, each)), wanted)
    match node, wanted:
        case Binary(), ListOf() if joins_records(node):
            return joined_lists(printer, node, wanted)
        case ListDisplay(), ListOf():
            own = node.type.item if isinstance(node.type, ListOf) else wanted.item
            return atom(f"[{', '.join(beside(printer, item, own, wanted.item).code for item in node.items)}]")
        case Comprehension(), ListOf():
            own = node.type.item if isinstance(node.type, ListOf) else wanted.item
            return comprehension(printer, node, lambda inside: beside(inside, node.value, own, wanted.item))
        case RecordDisplay(), Record() if wanted.name:
            values = [
                f"{field_name(str(key.value))}={into(printer, value, wanted.fields[str(key.value)].type).code}"
                for key, value in node.entries
            ]
            return call(printer.class_of(wanted), *values)
        case RecordDisplay(), MapOf():
            entries = [
                f"{printer.text(str(key.value)).code}: {into(printer, value, wanted.value).code}"
                for key, value in node.entries
            ]
            return atom(f"{{{', '.join(entries)}}}")
        case Choice(), _ if (taken := only_way(node)) is not None:
            return beside(printer, taken, node.type, target)
        case Choice(), _:
            then, otherwise = (
                beside(printer, each, node.type, target) for each in (node.then, node.otherwise)
            )
            return choose(printer, node, then, otherwise)
    return widened(printer.piece(node), node.type, target, printer)


def beside(printer: NodePrinter, node: Node, own: Type, target: Type) -> Piece:
    """A value for what takes a wider type than what it stands in has: beside decimals it is one all the same."""
    piece = into(printer, node, target)
    if is_exact(node.type, own) or not is_exact(node.type, target):
        return piece
    return call("filters.decimal", piece) if base(node.type) == INTEGER else made_exact(piece)


def joins_records(node: Binary) -> bool:
    """Return whether lists are joined of which one has records that have yet to become those of a class."""
    return any(
        isinstance(each.type, ListOf)
        and any(isinstance(item, Record) and not item.name for item in members(each.type.item))
        for each in (node.left, node.right)
    )


def joined_lists(printer: NodePrinter, node: Binary, target: Type) -> Piece:
    """Two lists as one, each with the items that the whole is to have."""
    return infix(into(printer, node.left, target), "+", into(printer, node.right, target), Rank.SUM)


def widened(piece: Piece, source: Type, target: Type, printer: NodePrinter) -> Piece:
    """A value made into one of a wider type where Python's own types do not widen by themselves."""
    wanted, given = without_null(target), without_null(source)
    if needs_no_widening(given, wanted):
        return piece
    if may_be_null(source):
        if not is_path(piece.code):
            return piece if is_exact(source, target) else made_exact(piece)
        inner = widened(piece, given, wanted, printer)
        return Piece(f"{inner.within(Rank.OR)} if {piece.code} is not None else None", Rank.CHOICE)
    match given, wanted:
        case ListOf(), ListOf():
            item = unused_name(piece)
            inner = widened(atom(item), given.item, wanted.item, printer)
            if inner.code == item:
                return atom(f"[*{piece.within(Rank.OR)}]")
            return atom(f"[{inner.code} for {item} in {piece.within(Rank.OR)}]")
        case MapOf(), MapOf():
            item = unused_name(piece)
            inner = widened(atom(item), given.value, wanted.value, printer)
            if inner.code == item:
                return atom(f"{{**{piece.within(Rank.OR)}}}")
            return atom(f"{{key: {inner.code} for key, {item} in {piece.within(Rank.ATOM)}.items()}}")
    return call("filters.decimal", piece) if base(given) == INTEGER else made_exact(piece)


def needs_no_widening(given: Type, wanted: Type) -> bool:
    """Return whether Python takes a value of one type for one of the other without further ado."""
    if given == wanted:
        return True
    match given, wanted:
        case ListOf(), ListOf():
            return given.item == wanted.item
        case MapOf(), MapOf():
            return given.value == wanted.value
    return is_exact(given, wanted)
