"""Words that many problems need: lists of names, suggestions, articles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wfc.compiler.rules import closest

__all__ = ["article", "joined", "listed", "suggestion", "those_there"]

MOST_JOINED = 12


def listed(names: Iterable[str], limit: int = 8) -> str:
    """`` `a`, `b`, `c` ``, cut after so many."""
    shown = [f"`{name}`" for name in names]
    return f"{', '.join(shown[:limit])}{' …' if len(shown) > limit else ''}"


def joined(names: Iterable[str], last: str = "and") -> str:
    """`` `a`, `b` and `c` ``, cut after a dozen."""
    marked = [f"`{name}`" for name in names]
    if len(marked) > MOST_JOINED:
        return f"{', '.join(marked[:MOST_JOINED])} …"
    return f" {last} ".join([", ".join(marked[:-1]), marked[-1]] if len(marked) > 1 else marked)


def suggestion(name: str, known: Sequence[str]) -> str:
    """The name most like this one; else those that there are."""
    return closest(name, known) or those_there(known)


def those_there(known: Sequence[str]) -> str:
    """Which names there are; empty if there is none."""
    if not known:
        return ""
    return f"there is {listed(known)}" if len(known) == 1 else f"there are {listed(known)}"


def article(kind: str) -> str:
    if not kind[0].isalpha() or kind in {"null", "any"} or kind[0].isupper() or kind.startswith("the "):
        return kind
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
