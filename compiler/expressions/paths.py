"""The short way to read what most expressions are: a name and fields of it, such as ``event.order.total``."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.expressions.parser import RESERVED
from wfc.compiler.expressions.tree import Attribute, Name, Node

__all__ = ["path_alone"]

PATH: Final = re.compile(r"\s*([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)\s*(}}|\Z)", re.ASCII)
MAX_FIELDS: Final = 100


def path_alone(text: str, start: int = 0, *, until: str = "") -> tuple[Node, int] | None:
    """The tree of an expression that is a path and nothing else, and where ``until`` begins.

    Args:
        until: What comes after the expression: ``}}``, or the text's end.

    Returns:
        Exactly what the tokens and the parser make of it; ``None`` where they must look at it themselves.
    """
    match = PATH.match(text, start)
    if match is None or match[2] != until:
        return None
    first, *names = match[1].split(".")
    if first in RESERVED or len(names) > MAX_FIELDS:
        return None
    begin = match.start(1)
    end = begin + len(first)
    node: Node = Name(begin, end, first, begin, end)
    for name in names:
        name_start = end + 1
        end = name_start + len(name)
        node = Attribute(begin, end, node, name, name_start, end)
    return node, match.start(2)
