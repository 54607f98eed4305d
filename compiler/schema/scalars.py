"""Numbers, `true` and `false` where something else is wanted, and how a value is shown in a hint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from wfc.compiler.diagnostics import Fix, Place
from wfc.compiler.rules import fixes
from wfc.compiler.types.number_texts import as_number

__all__ = ["LONGEST", "TEXT", "for_number", "for_scalar", "instead_fix", "short"]

WAITS: Final = frozenset({"deadline", "for", "remind", "within"})
"""Keys of lengths of time that are hours and days as often as seconds."""
ADDRESSES: Final = frozenset({"base_url", "url"})
"""Keys whose texts are addresses: not any number in quotes is one."""
TAKE_NO_TIME: Final = frozenset({"after", "delay", "jitter"})
"""Keys whose length of time may be none at all."""
BOUNDS: Final = frozenset({"deadline", "max_delay", "timeout"})
"""Keys that bound how long something takes, and are left out where nothing does."""
TEXT: Final = "a text"
"""How the titles of what may be any text begin."""
LONGEST: Final = 40


def short(text: str) -> str:
    """Return a text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


def instead_fix(value: Any, types: Sequence[str], title: str, place: Place) -> Fix | None:
    """Return the fix for a value of the wrong type that `instead_hint` describes, if it is clear."""
    if "string" not in types or not isinstance(value, (bool, int, float)):
        return None
    if "length of time" in title and not isinstance(value, bool):
        if value >= 1000 or not is_time(value, str(place.address[-1])):
            return None  # nobody can tell which unit, or how long
        return fixes.replace_text(place, f"{value}s", old=str(value))
    is_plain = title.startswith(TEXT) and place.address[-1] not in ADDRESSES
    return fixes.add_quotes(place) if is_plain else None


def is_time(value: float, key: str) -> bool:
    """Return whether a number may be a length of time at a key, once it has a unit."""
    return value > 0 or (value == 0 and key in TAKE_NO_TIME)


def for_scalar(value: bool | float, title: str, key: str) -> str:
    """Return what to write instead of a number, `true` or `false`."""
    text = short(str(value).lower() if isinstance(value, bool) else repr(value))
    if "length of time" in title:
        if isinstance(value, bool) or not is_time(value, key):
            how_long = "write how long, with a unit, such as `30s`"
            return f"{how_long}; without a bound there is no such key" if key in BOUNDS else how_long
        if not value:
            return "write `0s`"
        many = f"`{text}ms` or `{text}s`"  # elsewhere such numbers are milliseconds
        if value >= 1000:
            return f"write a unit: {many}"
        # people, and what comes from outside, take hours as often as seconds
        longer = f", `{text} min` or `{text}h`" if key in WAITS else ""
        return f"write a unit, such as `{text}s`{longer}"
    if key in ADDRESSES:
        return "an address is written as in `https://desk.example/orders`"
    if title.startswith(TEXT):
        return f'put it in quotes: `"{text}"`'
    if title.startswith("a type,") and key == "default":
        word = "boolean" if isinstance(value, bool) else "integer" if isinstance(value, int) else "number"
        return f"a default stands beside a type: `{{type: {word}, default: {text}}}`"
    if title.startswith("a type,") and isinstance(value, bool):
        missing = key in {"optional", "required", "nullable"}
        if value is (key == "required") and missing:
            return f"a value must be there unless its type is `optional …`: leave out `{key}`"
        return (
            "a type whose value may be missing is written `optional string`"
            if missing
            else f"write `boolean`, or with a `default`: `{{type: boolean, default: {text}}}`"
        )
    if title.startswith("a type,"):
        return f"write `{'integer' if isinstance(value, int) else 'number'}`, or with a `default`: " + (
            f"`{{type: {'integer' if isinstance(value, int) else 'number'}, default: {text}}}`"
        )
    if "policy" in title and not isinstance(value, bool):
        return f"write `{{max_attempts: {text}}}`: the first attempt is counted too"
    return ""


def for_number(text: str, types: Sequence[str]) -> str:
    """Return how a text is written as a number, if one is wanted; a fraction is none where only whole ones are."""
    if {"integer", "number"}.isdisjoint(types):
        return ""
    written = as_number(text, "number" if "number" in types else "integer")
    if text.lstrip("-").isdigit() or written.startswith("write it"):
        return f"write `{text}` without quotes"
    return written if written.startswith("write ") else ""
