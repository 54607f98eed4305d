"""The fixes that problems offer: correct a name, replace, quote, append to or remove something."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from wfc.compiler.diagnostics import Applicability, Edit, Fix, Place
from wfc.compiler.rules.spelling import as_near, sure

__all__ = [
    "add_entries",
    "add_quotes",
    "append_text",
    "correct_name",
    "own_name_instead",
    "remove_entry",
    "replace_text",
    "replace_value",
]

SIGNS: Final = re.compile(r"[^\w\s.,;:/\"'`-]")
"""Signs that mean something: what stands in a name with one of them is perhaps no name."""
DOTTED_NAME: Final = re.compile(r"\w+(?:\.\w+)*")


def correct_name(
    place: Place, name: str, known: Iterable[str], meant: str | None = None, *, by_hand: bool = False
) -> Fix | None:
    """Write the known name most like an unknown one: safe if no other can be meant, ``None`` if none is like it.

    A sign in a name may have been meant, so that it is never dropped unasked; a bracket before it begins a map.

    Args:
        place: Where the name stands, and perhaps signs around it.
        name: As it is written.
        known: What could be meant.
        meant: The one that is, if somebody has looked already.
        by_hand: Whether something else may be meant as well.
    """
    names = list(known)
    if not meant and len(likely := as_near(name, names)) == 1:
        meant = likely[0]
    if not meant or not name or name.startswith(("(", "<")):
        return None
    is_sure = not by_hand and not SIGNS.search(name) and sure(name, meant, names)
    return replace_text(place, meant, old=name, applicability="safe" if is_sure else "display")


def own_name_instead(place: Place, name: str, own: str) -> tuple[str, Fix]:
    """Return hint and fix for the name that a field has outside, where its own one is wanted."""
    hint = f"write `{own}`: `{name}` is its name in data outside"
    return hint, replace_text(place, own, old=name, applicability="safe")


def replace_text(
    place: Place,
    new: str,
    *,
    old: str | None = None,
    applicability: Applicability = "unsafe",
    title: str = "",
) -> Fix:
    """Write something else in a place, or instead of ``old`` in it."""
    return Fix(title or f"write `{new.strip()}`", (Edit(place, new, old),), applicability)


def add_quotes(place: Place, applicability: Applicability = "safe") -> Fix:
    """Put quotes around what stands in a place."""
    return Fix("put it in quotes", (Edit(place, how="quote"),), applicability)


def remove_entry(place: Place, applicability: Applicability = "unsafe", title: str = "remove it") -> Fix:
    """Remove the entry or the item at a place, with all that it holds."""
    return Fix(title, (Edit(place, how="remove"),), applicability)


def replace_value(place: Place, new: str, applicability: Applicability = "unsafe", title: str = "") -> Fix:
    """Replace a whole value by another one, given as YAML on one line."""
    return Fix(title or f"write `{new}`", (Edit(place, new, how="rewrite"),), applicability)


def add_entries(place: Place, entries: Mapping[str, str], title: str = "") -> Fix:
    """Add entries to a map, given as YAML on one line each; what is empty is left to be filled in."""
    lines = "\n".join(f"{key}: {value}".rstrip() for key, value in entries.items())
    named = " and ".join(f"`{each}`" for each in entries)
    return Fix(title or f"add {named}", (Edit(Place(place.address), lines, how="add"),), "display")


def append_text(place: Place, words: str, new: str) -> Fix | None:
    """Append to a name with its fields, which needs no brackets; ``None`` for anything else."""
    if not DOTTED_NAME.fullmatch(words) or place.end is None:
        return None
    return replace_text(place.stretch(place.end, place.end), new, title=f"add `{new.strip()}`")
