"""Texts that are meant as numbers, with signs that no number has in YAML."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.slotted import dataclass

__all__ = ["NOT_WHOLE", "as_number"]

# compiled by `re` when they are first asked for, which a check of most specs never does
FRACTION: Final = r"(?P<whole>[+-]?\d+)(?P<sign>[.,])(?P<fraction>\d+)"
IN_GROUPS: Final = (
    r"(?P<groups>[+-]?\d{1,3}(?:,\d{3})+)\.(?P<fraction>\d+)",
    r"(?P<groups>[+-]?\d{1,3}(?:\.\d{3})+),(?P<fraction>\d+)",
    r"(?P<groups>[+-]?\d{1,3}(?:,\d{3}){2,}|[+-]?\d{1,3}(?:\.\d{3}){2,})(?P<fraction>)",
)
"""Numbers whose thousands stand in groups: with a fraction, or with several such groups."""
THOUSAND: Final = 3
NOT_WHOLE: Final = "this is no whole number; if one with a fraction is meant, declare it as"


@dataclass(frozen=True, slots=True)
class Number:
    """What a text may mean as a number.

    Args:
        whole: Its part before the fraction, without signs between.
        fraction: The digits of its fraction; empty if it has none.
        thousands: Whether the fraction may be thousands as well, as in `1,000`.
        strange: Whether it has a sign that no number has here.
    """

    whole: str
    fraction: str
    thousands: bool
    strange: bool


def as_number(text: str, wanted: str) -> str:
    """Return how a number is written where another one is wanted; in quotes, if it is a text; empty if it is none.

    Args:
        text: As it stands in the spec; without quotes around it if it was no text.
        wanted: ``integer``, ``number`` or ``decimal``.
    """
    number = read(text)
    if number is None:
        return ""
    plain = f"{number.whole}.{number.fraction}" if number.fraction else number.whole
    if wanted == "integer":
        if number.thousands:
            return f"write `{number.whole}{number.fraction}`"
        if not number.fraction.strip("0"):
            return f"write `{number.whole}`"
        if number.strange:
            return f"{NOT_WHOLE} a `number`, and write `{plain}`"
        return f"{NOT_WHOLE} a `decimal`, or a `number` without quotes"
    quote = '"' if wanted == "decimal" else ""
    if number.thousands:
        thousands = f"{number.whole}{number.fraction}"
        return f"write `{quote}{thousands}{quote}`, or `{quote}{plain}{quote}` if that is a fraction"
    return f"write `{quote}{plain}{quote}`" if number.strange or quote else "write it without quotes"


def read(text: str) -> Number | None:
    """Return what a text with a fraction or with thousands in groups may mean; ``None`` for all others."""
    if found := re.fullmatch(FRACTION, text):
        comma = found["sign"] == ","
        digits = found["whole"].lstrip("+-")
        is_either = comma and len(found["fraction"]) == THOUSAND >= len(digits) and not digits.startswith("0")
        return Number(found["whole"], found["fraction"], is_either, comma)
    for form in IN_GROUPS:
        if found := re.fullmatch(form, text):
            return Number(re.sub("[.,]", "", found["groups"]), found["fraction"], False, True)
    return None
