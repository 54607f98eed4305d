"""Addresses of services → f-strings, in which data is encoded and cannot leave its place."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.expressions.addresses import Address
from wfc.compiler.expressions.python.f_strings import Wrap, wrapped_parts
from wfc.compiler.expressions.python.pieces import Piece, call
from wfc.compiler.expressions.python.printer import ExpressionPrinter
from wfc.compiler.expressions.syntax.tree import Concat, Constant, FilterCall, Node
from wfc.compiler.python.literals import Code
from wfc.compiler.types import STRING

__all__ = ["print_address"]

Wrapped = tuple[str | Node, Wrap | None]


def print_address(address: Address, printer: ExpressionPrinter) -> tuple[Code, Code | None]:
    """Return an address as a Python expression, and its head as another where data follows it."""
    whole = in_a_text([*plain(address.head), *of_path(address), *map(encoded, address.query)], printer)
    if not any(isinstance(each, Node) for each in (*address.path, *address.query)):
        return whole, None
    only = address.head[0] if len(address.head) == 1 else None
    if isinstance(only, Node) and only.type == STRING:
        return whole, Code(printer.piece(only).code)
    return whole, in_a_text(plain(address.head), printer)


def in_a_text(parts: list[Wrapped], printer: ExpressionPrinter) -> Code:
    """Return parts, each with what is put around it, as one text."""
    flat: list[str | Node] = []
    wrap: list[Wrap | None] = []
    for part, around in parts:
        if isinstance(part, str) and flat and isinstance(flat[-1], str):
            flat[-1] += part
        else:
            flat.append(part)
            wrap.append(around)
    return Code(wrapped_parts(printer, flat, wrap).code)


def plain(parts: tuple[str | Node, ...]) -> list[Wrapped]:
    return [(each, None) for each in parts]


def encoded(piece: str | Node) -> Wrapped:
    """Return a piece encoded; texts, and what the filter `url_path` has encoded, as they are."""
    done = isinstance(piece, str) or (isinstance(piece, FilterCall) and piece.name == "url_path")
    return piece, None if done else url_part


def of_path(address: Address) -> Iterator[Wrapped]:
    """Yield the pieces of the path. What data could leave empty, or make a way up, is encoded as one."""
    for segment in segments(address.path):
        nodes = [each for each in segment if isinstance(each, Node)]
        if not nodes or any(isinstance(each, str) and each.strip(".") for each in segment):
            yield from map(encoded, segment)
        elif len(segment) > 1:
            yield concatenated(segment), path_part
        else:
            yield nodes[0], path_part if encoded(nodes[0])[1] is not None else None


def segments(path: tuple[str | Node, ...]) -> Iterator[list[str | Node]]:
    """Yield what stands between the slashes of a path, and each slash by itself."""
    segment: list[str | Node] = []
    for piece in path:
        if not isinstance(piece, str):
            segment.append(piece)
            continue
        first, *others = piece.split("/")
        segment += [first] if first else []
        for other in others:
            yield segment
            yield ["/"]
            segment = [other] if other else []
    yield segment


def concatenated(segment: list[str | Node]) -> Node:
    """Return texts and expressions in a row as one expression."""
    parts: list[Node] = []
    for each in segment:
        part = Constant(0, 0, each) if isinstance(each, str) else each
        if isinstance(each, str):
            part.type = STRING
        parts.append(part)
    found = Concat(parts[0].start, parts[-1].end, tuple(parts))
    found.type = STRING
    return found


def url_part(piece: Piece) -> Piece:
    return call("filters.url_part", piece)


def path_part(piece: Piece) -> Piece:
    return call("filters.path_part", piece)
