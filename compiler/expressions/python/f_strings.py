"""Texts and expressions in a row → one Python text: an f-string wherever Python 3.11 has one for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wfc.compiler.expressions.python.node_printer import NodePrinter
from wfc.compiler.expressions.python.pieces import Piece, Rank, atom, method
from wfc.compiler.expressions.syntax.tree import Concat, Constant, Node
from wfc.compiler.python.literals import best_quote, block_part, closed_block, escaped, literal, text_block
from wfc.compiler.types import INTEGER, STRING, base, members

__all__ = ["NoFStringError", "Wrap", "joined_parts", "joined_texts", "whole_text", "wrapped_parts"]

Wrap = Callable[[Piece], Piece]
Pieces = Sequence[str | Node]


class NoFStringError(Exception):
    """A text cannot stand inside an f-string of Python 3.11; what holds it is printed another way."""


def joined_parts(printer: NodePrinter, parts: Pieces) -> Piece:
    """Texts and expressions as one text."""
    flat = flattened(parts)
    return wrapped_parts(printer, flat, [None] * len(flat))


def wrapped_parts(printer: NodePrinter, flat: Pieces, wrap: Sequence[Wrap | None]) -> Piece:
    """Texts and expressions as one text, expressions with something around each.

    Args:
        wrap: What is put around each part, ``None`` for nothing.
    """
    if not any(isinstance(part, Node) for part in flat):
        return whole_text(printer, "".join(part for part in flat if isinstance(part, str)))
    text = "".join(part for part in flat if isinstance(part, str))
    if printer.quotes is not None:
        return nested(printer, flat, text)
    for form in forms(text):
        try:
            return form(printer, flat, wrap)
        except NoFStringError:
            continue
    return in_a_row(printer, flat, wrap)


def joined_texts(printer: NodePrinter, items: Sequence[Node], separator: str) -> Piece:
    """Return scalars as one text."""
    parts: list[str | Node] = []
    for index, item in enumerate(items):
        parts += [separator, item] if index and separator else [item]
    return joined_parts(printer, parts) if parts else printer.text("")


def flattened(parts: Pieces) -> list[str | Node]:
    """Return the parts with literal texts, and texts joined with `~`, taken apart in the same way."""
    found: list[str | Node] = []
    for part in parts:
        for each in taken_apart(part):
            if isinstance(each, str) and found and isinstance(found[-1], str):
                found[-1] += each
            else:
                found.append(each)
    return found


def taken_apart(part: str | Node) -> list[str | Node]:
    if isinstance(part, Constant) and isinstance(part.value, str) and base(part.type) == STRING:
        return [part.value]
    return flattened(part.parts) if isinstance(part, Concat) else [part]


def whole_text(printer: NodePrinter, text: str) -> Piece:
    if printer.quotes is None and is_block(text):
        return atom(text_block(text))
    return printer.text(text)


def is_block(text: str) -> bool:
    """Return whether a text has several lines, to be shown as such."""
    return "\n" in text.rstrip("\n") and "\r" not in text


Form = Callable[[NodePrinter, Sequence[str | Node], Sequence[Wrap | None]], Piece]


def forms(text: str) -> list[Form]:
    """Return the ways to write an f-string, the simplest first."""
    if is_block(text):
        return [block]
    return [in_quotes, in_three_quotes]


def hole(printer: NodePrinter, node: Node, wrap: Wrap | None) -> str:
    """An expression in its braces."""
    if wrap is not None:
        code = wrap(printer.piece(node)).code
    elif all(base(each) in (STRING, INTEGER) for each in members(node.type)):
        code = printer.piece(node).code
    else:
        code = printer.rendered(node).code
    return f"{{{code}}}"


def braced(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def in_quotes(printer: NodePrinter, parts: Sequence[str | Node], wrap: Sequence[Wrap | None]) -> Piece:
    """``f"Hello {name}"``."""
    text = "".join(part for part in parts if isinstance(part, str))
    quote = best_quote(text)
    inner = printer.inside("'" if quote == '"' else '"')
    code = ""
    for part, wrapped in zip(parts, wrap, strict=True):
        if isinstance(part, str):
            code += braced(escaped(part)).replace(quote, f"\\{quote}")
        else:
            found = hole(inner, part, wrapped)
            if ('"' in found or "'" in found) and ('"' in text or "'" in text):
                raise NoFStringError  # a formatter would weigh the quotes of text and expressions against each other
            code += found
    return atom(f"f{quote}{code}{quote}")


def in_three_quotes(printer: NodePrinter, parts: Sequence[str | Node], wrap: Sequence[Wrap | None]) -> Piece:
    r"""``f\"\"\"it's {", ".join(names)}\"\"\"``."""
    inner = printer.inside("\"'")
    code = ""
    for part, wrapped in zip(parts, wrap, strict=True):
        if isinstance(part, str):
            code += braced(escaped(part)).replace('"""', '""\\"')
        else:
            code += hole(inner, part, wrapped)
    return atom(f'f"""{closed_block(code)}"""')


def block(printer: NodePrinter, parts: Sequence[str | Node], wrap: Sequence[Wrap | None]) -> Piece:
    """A text of several lines, at the left edge."""
    inner = printer.inside("\"'")
    code = "".join(
        braced(block_part(part)) if isinstance(part, str) else hole(inner, part, wrapped)
        for part, wrapped in zip(parts, wrap, strict=True)
    )
    return atom(f'f"""\\\n{closed_block(code)}"""')


def nested(printer: NodePrinter, parts: Sequence[str | Node], text: str) -> Piece:
    """An f-string inside another one's braces."""
    if not printer.quotes or "\\" in escaped(text) or '"' in text or "'" in text:
        raise NoFStringError
    quote, inner = printer.quotes[0], printer.inside(printer.quotes[1:])
    code = "".join(braced(part) if isinstance(part, str) else hole(inner, part, None) for part in parts)
    return atom(f"f{quote}{code}{quote}")


def in_a_row(printer: NodePrinter, parts: Sequence[str | Node], wrap: Sequence[Wrap | None]) -> Piece:
    """Parts that no f-string can hold, put together by a call."""
    pieces = [
        Piece(literal(part), Rank.ATOM)
        if isinstance(part, str)
        else (wrapped(printer.piece(part)) if wrapped else printer.rendered(part))
        for part, wrapped in zip(parts, wrap, strict=True)
    ]
    return method(atom('""'), "join", f"[{', '.join(piece.code for piece in pieces)}]")
