"""Words that many problems need: lists of names, suggestions, articles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wfc.compiler.problems import closest

__all__ = ["article", "listed", "suggestion"]


def listed(names: Iterable[str], limit: int = 8) -> str:
    shown = [f"`{name}`" for name in names]
    return f"{', '.join(shown[:limit])}{' …' if len(shown) > limit else ''}"


def suggestion(name: str, known: Sequence[str]) -> str:
    """The name most like this one; else those that there are."""
    if hint := closest(name, known):
        return hint
    if not known:
        return ""
    return f"there is {listed(known)}" if len(known) == 1 else f"there are {listed(known)}"


def article(kind: str) -> str:
    if not kind[0].isalpha() or kind in {"null", "any"} or kind[0].isupper():
        return kind
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
