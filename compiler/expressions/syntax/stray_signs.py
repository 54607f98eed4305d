"""Signs around what other systems put into a text: dollar signs, which may be meant, and braces with blanks."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["with_signs"]

DOLLARS: Final = re.compile(r"\$+ ?\Z")
"""Dollar signs before other braces, of which one may be that of an expression."""
OUTER: Final = re.compile(r"\{ ?\Z")
CLOSES: Final = re.compile(r" ?\}")
MOST: Final = 4


def with_signs(text: str, at: int, mark: str, *, is_path: bool) -> tuple[int, int, str]:
    """Return where a mark begins and ends with the signs around it, and the dollar signs before it: one of them may be
    meant, as a sum of money begins so.

    Args:
        text: The whole text.
        at: Where the mark begins.
        mark: How others begin or write an expression.
        is_path: Whether it is a whole one.
    """
    end = at + len(mark)
    if is_path and mark[0] == "{":  # two braces with a blank between
        outer = OUTER.search(text[max(0, at - MOST) : at])
        if outer is not None and (closes := CLOSES.match(text, end)):
            at, end = at - len(outer[0]), closes.end()
    dollars = DOLLARS.search(text[max(0, at - MOST) : at]) if is_path or mark == "{{" else None
    return at, end, "" if dollars is None else dollars[0]
