"""What problems offer as fixes: a name corrected, a text written otherwise, quoted, or removed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from wfc.compiler.diagnostics import Applicability, Edit, Fix, Place
from wfc.compiler.rules.spelling import nearest, sure

__all__ = ["appended", "corrected", "quoted", "removed", "replaced", "written"]

SIMPLE: Final = re.compile(r"\w+(?:\.\w+)*")


def corrected(place: Place, name: str, known: Iterable[str], meant: str | None = None) -> Fix | None:
    """The known name most like an unknown one in its place: safe if no other can be meant; ``None`` if none is like it.

    Args:
        place: Where the name stands, and perhaps signs around it.
        name: As it is written.
        known: What could be meant.
        meant: The one that is, if somebody has looked already.
    """
    names = list(known)
    meant = meant or nearest(name, names)
    if not meant or not name:
        return None
    return written(place, meant, old=name, applicability="safe" if sure(name, meant, names) else "display")


def written(
    place: Place,
    new: str,
    *,
    old: str | None = None,
    applicability: Applicability = "unsafe",
    title: str = "",
) -> Fix:
    """Something else in a place, or instead of ``old`` in it."""
    return Fix(title or f"write `{new.strip()}`", (Edit(place, new, old),), applicability)


def quoted(place: Place, applicability: Applicability = "safe") -> Fix:
    """Quotes around what stands in a place."""
    return Fix("put it in quotes", (Edit(place, how="quote"),), applicability)


def removed(place: Place, applicability: Applicability = "unsafe", title: str = "remove it") -> Fix:
    """The entry or the item that a place belongs to taken out."""
    return Fix(title, (Edit(place, how="remove"),), applicability)


def replaced(place: Place, new: str, applicability: Applicability = "unsafe", title: str = "") -> Fix:
    """A whole value, of whatever form, instead of the one in a place, as YAML writes it on one line."""
    return Fix(title or f"write `{new}`", (Edit(place, new, how="rewrite"),), applicability)


def appended(place: Place, words: str, new: str) -> Fix | None:
    """Something put after a name with its fields, where it needs no brackets; after anything else ``None``."""
    if not SIMPLE.fullmatch(words) or place.end is None:
        return None
    return written(place.stretch(place.end, place.end), new, title=f"add `{new.strip()}`")
