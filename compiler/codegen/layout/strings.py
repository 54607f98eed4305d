"""Long text literals, cut into pieces that Python joins again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from unicodedata import combining, east_asian_width

from wfc.compiler.python.literals import literal

__all__ = ["cut_literal", "width"]


def width(text: str) -> int:
    """Return how many columns a text takes: two for a wide character, none for a combining one."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def cut_literal(code: str, room: int) -> list[str]:
    """The literals that a text or an f-string is cut into, each of at most so many columns if that can be.

    Cuts are after spaces and line breaks, and around expressions; a word stays whole. What is no text in simple
    quotes comes back as it is, and so does an f-string in single ones (a formatter would turn some pieces' quotes).
    """
    prefix, quote = ("f", code[1:2]) if code.startswith("f") else ("", code[:1])
    allowed = {'"'} if prefix else {'"', "'"}
    if quote not in allowed or code[len(prefix) :].startswith(quote * 3):
        return [code]
    parts = list(_parts(code[len(prefix) + 1 : -1], bool(prefix)))
    lines: list[str] = [""]
    for part in parts:
        if lines[-1] and width(_quoted(lines[-1] + part, prefix, quote)) > room:
            lines.append("")
        lines[-1] += part
        if part.endswith("\\n"):
            lines.append("")
    return [_quoted(line, prefix, quote) for line in lines if line]


def _quoted(inside: str, prefix: str, quote: str) -> str:
    code = f"{prefix}{quote}{inside}{quote}"
    if prefix and not any(
        part.startswith("{") and not part.startswith("{{") for part in _parts(inside, True)
    ):
        prefix, code = "", f"{quote}{inside.replace('{{', '{').replace('}}', '}')}{quote}"
    # each piece has the quotes that the formatter would give it by itself
    return code if prefix else str(literal(ast.literal_eval(code)))


def _parts(inside: str, holes: bool) -> Iterator[str]:
    """Yield the smallest parts between which a text may be cut: words with the space after them, and
    expressions.
    """
    start = at = 0
    while at < len(inside):
        letter = inside[at]
        if letter == "\\":
            at += 2
            if inside[at - 1] == "n":
                yield inside[start:at]
                start = at
        elif holes and letter in "{}" and inside[at + 1 : at + 2] == letter:
            at += 2
        elif holes and letter == "{":
            if start < at:
                yield inside[start:at]
            start, at = at, _end_of_hole(inside, at)
            yield inside[start:at]
            start = at
        else:
            at += 1
            if letter == " " and inside[at : at + 1] != " ":
                yield inside[start:at]
                start = at
    if start < len(inside):
        yield inside[start:]


def _end_of_hole(inside: str, at: int) -> int:
    """Return the index after the brace that closes the expression which begins at a brace."""
    depth, quote = 0, ""
    while True:
        letter = inside[at]
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "{[(":
            depth += 1
        elif letter in ")]}":
            depth -= 1
            if not depth:
                return at + 1
        at += 1
