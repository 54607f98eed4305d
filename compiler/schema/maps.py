"""Steps of kind `map` without an action: they only make a list of another one, which is an expression."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

__all__ = ["list_made_by"]

WHOLE: Final = re.compile(r"\s*\$\{\{((?:(?!\}\}).)*)\}\}\s*", re.DOTALL)
"""A text that is one expression."""
PATH: Final = re.compile(r"\w+(?:\.\w+)*")
UNKNOWN: Final = "…"


def list_made_by(step: Mapping[str, object]) -> str:
    """Return the expression for what a `map` without `do` makes: `[VALUE for NAME in LIST if CONDITION]`."""
    name = str(step.get("as", "item"))
    items = in_parentheses(str(step.get("in", UNKNOWN)))
    value = expression_for(step["give"]) if "give" in step else name
    kept = f" if {in_parentheses(as_condition(step['keep']))}" if "keep" in step else ""
    return f"[{value} for {name} in {items}{kept}]"


def as_condition(written: object) -> str:
    return str(written).lower() if isinstance(written, bool) else str(written).strip()


def in_parentheses(expression: str) -> str:
    """Return an expression as it may stand between `in`, `if` and the end of a list."""
    expression = expression.strip()
    return f"({expression})" if re.search(r"\b(?:if|else)\b", expression) else expression


def expression_for(given: object) -> str:
    """Return the expression for a value as `give` holds it."""
    if isinstance(given, str):
        return text_as_expression(given)
    if isinstance(given, Mapping):
        return (
            "{"
            + ", ".join(f"{quoted(str(key))}: {expression_for(each)}" for key, each in given.items())
            + "}"
        )
    if isinstance(given, list):
        return f"[{', '.join(map(expression_for, given))}]"
    if given is None:
        return "none"
    return str(given).lower()


def text_as_expression(text: str) -> str:
    whole = WHOLE.fullmatch(text)
    if whole is not None:
        return whole[1].strip()
    if "{%" in text:
        return UNKNOWN
    pieces = []
    for number, piece in enumerate(re.split(r"\$\{\{(.*?)\}\}", text, flags=re.DOTALL)):
        if number % 2:
            inner = piece.strip()
            pieces.append(inner if PATH.fullmatch(inner) else f"({inner})")
        elif piece or not text:
            pieces.append(quoted(piece))
    return " ~ ".join(pieces)


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
