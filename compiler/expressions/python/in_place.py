"""Texts with statements as one Python expression, for values of fields, titles and their like."""

from __future__ import annotations

from collections.abc import Sequence

from wfc.compiler.expressions.python.coercion import into
from wfc.compiler.expressions.python.f_strings import joined_parts
from wfc.compiler.expressions.python.loops import COUNTER, counted_by, fresh_name, head_of, words_in
from wfc.compiler.expressions.python.node_printer import NodePrinter
from wfc.compiler.expressions.python.pieces import Piece, Rank, atom, is_path, method
from wfc.compiler.expressions.syntax.template_tree import (
    Condition,
    ForLoop,
    Hole,
    Part,
    Text,
    UsedText,
    mentioned,
)
from wfc.compiler.expressions.syntax.tree import Node, Path
from wfc.compiler.python.literals import Code, literal

__all__ = ["print_in_place"]


def print_in_place(parts: Sequence[Part], printer: NodePrinter) -> Piece:
    """Return a text as one expression."""
    pieces: list[Piece] = []
    run: list[str | Node] = []
    for part in (*parts, None):
        if isinstance(part, Hole):
            run.append(part.tree)
            continue
        if isinstance(part, Text) and "\n" not in part.text:
            run.append(part.text)
            continue
        if run:
            pieces.append(of_run(run, printer))
            run = []
        if isinstance(part, Text):
            pieces.append(atom(literal(part.text)))
        elif part is not None:
            pieces.append(of_statement(part, printer))
    if len(pieces) == 1:
        return pieces[0]
    return in_a_row(pieces) if pieces else atom('""')


def in_a_row(pieces: Sequence[Piece]) -> Piece:
    return method(atom('""'), "join", f"[{', '.join(piece.code for piece in pieces)}]")


def of_run(run: Sequence[str | Node], printer: NodePrinter) -> Piece:
    """Return texts and expressions in one line."""
    if len(run) == 1 and isinstance(run[0], Node):
        return printer.rendered(run[0])
    return joined_parts(printer, run)


def of_statement(part: Part, printer: NodePrinter) -> Piece:
    match part:
        case Condition():
            return of_condition(part, printer)
        case ForLoop():
            return of_loop(part, printer)
        case UsedText():
            return of_used(part, printer)
    raise AssertionError(part)


def of_condition(part: Condition, printer: NodePrinter) -> Piece:
    otherwise = atom('""')
    for test, body in reversed(part.branches):
        then = print_in_place(body, printer)
        if test is None:
            otherwise = then
            continue
        asked = printer.piece(test).within(Rank.OR)
        code = f"{then.within(Rank.OR)} if {asked} else {otherwise.within(Rank.CHOICE)}"
        otherwise = Piece(code, Rank.CHOICE)
    return otherwise


def of_loop(part: ForLoop, printer: NodePrinter) -> Piece:
    items, taken = printer.piece(part.items), words_in(printer.names)
    counter, begin = printer.counter, ""
    if counter is None:
        counter = fresh_name("count", taken)
        begin = f"for {counter} in [{COUNTER}] "
    head = head_of(part.names, items, mentioned(part.body), printer.names, taken, counted_by(counter))
    if head.bound:
        begin += f"for {head.bound} in [{items.code}] "
    body = print_in_place(part.body, printer.within_loop(head.names, counter))
    return method(atom('""'), "join", f"[{body.code} {begin}for {head.target} in {head.over}]")


def of_used(part: UsedText, printer: NodePrinter) -> Piece:
    """Return another text; what it is given gets a name where it is more than one."""
    names: dict[Path, Code] = dict(printer.names)
    taken, begin = words_in(printer.names), ""
    for name, value, wanted in part.given:
        code = into(printer, value, wanted).code
        if not is_path(code) or code == "None":  # of which nobody can ask for a field
            local = fresh_name(name, taken)
            begin += f" for {local} in [{code}]"
            code = local
        names["args", name] = Code(code)
    found = print_in_place(part.parts, printer.within_loop(names, printer.counter))
    return method(atom('""'), "join", f"[{found.code}{begin}]") if begin else found
