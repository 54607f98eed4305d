"""Text of an expression → its tree, by shortcuts that have the same result as the full grammar."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions.syntax.lexer import UnreadableError, tokenize
from wfc.compiler.expressions.syntax.parser import RESERVED, Parser
from wfc.compiler.expressions.syntax.tree import Fields, Name, Node

__all__ = ["path_alone", "read_expression"]

PATH: Final = re.compile(r"\s*([A-Za-z]\w*+)((?:\.[A-Za-z]\w*+)*)\s*(}}|\Z)", re.ASCII)
MAX_LENGTH: Final = 1_000  # of a path; how many fields it may have is for the parser to say


def read_expression(text: str, place: Place, start: int = 0, *, until: str = "") -> tuple[Node, int]:
    """Return the tree of an expression, and the position where the text after it begins.

    Args:
        place: Where the whole text stands.
        until: What comes after the expression: ``}}``, or nothing but the text's end.

    Raises:
        UnreadableError: It cannot be read; carries the finding that says why.
    """
    path = path_alone(text, start, until=until)
    if path is not None:
        return path
    try:
        tokens, end = tokenize(text, place, start, until=until, paths=True)
        return Parser(tokens, place, start).whole(), end
    except UnreadableError:  # what is said of it is said of single words
        return read_word_by_word(text, place, start, until)


def read_word_by_word(text: str, place: Place, start: int, until: str) -> tuple[Node, int]:
    """Read an expression in which something is wrong, as a rule, so that it is said of a single word."""
    try:
        tokens, end = tokenize(text, place, start, until=until)
        return Parser(tokens, place, start).whole(), end
    except UnreadableError as error:
        from wfc.compiler.expressions.syntax.slashed_patterns import pattern_of_others

        raise UnreadableError(pattern_of_others(error.finding, text, place, start)) from None


def path_alone(text: str, start: int = 0, *, until: str = "") -> tuple[Node, int] | None:
    """Return the tree of an expression that is only a path, as most are, and where ``until`` begins.

    Returns:
        ``None`` where the tokens and the parser must look at it themselves.
    """
    match = PATH.match(text, start)
    if match is None or match[3] != until:
        return None
    name, fields = match[1], match[2]
    if name in RESERVED or len(fields) > MAX_LENGTH:
        return None
    begin, end = match.span(1)
    if not fields:
        return Name(begin, end, name, begin, end), match.start(3)
    return Fields(begin, match.end(2), (name, *fields[1:].split(".")), begin), match.start(3)
