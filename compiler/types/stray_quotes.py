"""Texts that end with a quote and begin with none, as what is left where the first of two quotes was forgotten."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Final

__all__ = ["about_stray_quote", "text_cut_before"]

NUMBER: Final = r"-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?"
WORDS: Final = {"true": True, "false": False, "null": None}
"""What YAML reads as something else than a text, besides numbers."""


def ends_with_stray_quote(text: object) -> bool:
    """Return whether a text ends with a quote, and has no other one of this kind."""
    return isinstance(text, str) and len(text) > 1 and text[-1] in "\"'" and text.count(text[-1]) == 1


def about_stray_quote(text: object, is_right: Callable[[Any], bool]) -> str:
    """Return what to do about the quote at the end of a text; empty if there is none, or more is wrong with the text.

    Args:
        is_right: Whether a value could stand where the text does.
    """
    if not isinstance(text, str) or not ends_with_stray_quote(text):
        return ""
    inside = text[:-1].strip()
    read: Any = WORDS.get(inside, inside)
    if re.fullmatch(NUMBER, inside):
        read = int(inside) if inside.lstrip("-").isdigit() else float(inside)
    as_text, as_read = is_right(inside), is_right(read)
    if as_text and as_read:
        return f"leave out the `{text[-1]}` at its end, or write it also where the text begins"
    if as_text:
        return f"write the `{text[-1]}` that stands at its end also where the text begins"
    return f"leave out the `{text[-1]}` at its end" if as_read else ""


def text_cut_before(data: Mapping[Any, Any], key: object) -> str:
    """Return the key before one whose text ends with a stray quote, if a comma may have cut that text; else nothing."""
    if not ends_with_stray_quote(data[key]):
        return ""
    before = next((one for one, other in pairwise(data) if other == key), None)
    text = data.get(before)
    return str(before) if isinstance(text, str) and text[-1:] not in "\"'" else ""
