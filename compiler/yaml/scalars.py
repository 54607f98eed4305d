"""Values of unquoted texts, by the core schema of YAML 1.2."""

from __future__ import annotations

import math
import re
from typing import Final

__all__ = ["FIRST", "OutOfRange", "plain"]

FIRST: Final = frozenset("0123456789+-.~nNtTfF")
"""The characters with which anything that is not a text begins."""

WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
INTEGER: Final = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", re.ASCII)
NUMBER: Final = r"(?a)[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
NOT_FINITE: Final = r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
MAX_DIGITS: Final = 400  # a hundred more than the largest other number has; Python itself gives up at 4,300


class OutOfRange(ValueError):  # noqa: N818 - it ends a number, not a program
    """The error for a number that cannot be represented."""


def plain(text: str) -> str | int | float | bool | None:
    """Return the value of an unquoted text.

    Raises:
        OutOfRange: It is a number, but infinite, none at all, or too long.
    """
    if text in WORDS:
        return WORDS[text]
    if text[0].isalpha():
        return text
    if INTEGER.fullmatch(text):
        if len(text) > MAX_DIGITS:
            raise OutOfRange(text)
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        return int(text, base)
    if re.fullmatch(NUMBER, text):
        number = float(text)
        if math.isinf(number):
            raise OutOfRange(text)
        return number
    if re.fullmatch(NOT_FINITE, text):
        raise OutOfRange(text)
    return text
