"""Joins in forms that the language had once, and what says the same today."""

from __future__ import annotations

from typing import Any, Final

from wfc.compiler.diagnostics import Edit, Finding, Fix, Place
from wfc.compiler.rules.joins import join_by_value, join_of_some

__all__ = ["former_join"]

WORDS: Final = frozenset({"yes", "no", "on", "off", "true", "false", "null", "y", "n"})
"""Words that other readers of YAML take for something else than a text."""


def former_join(value: Any, place: Place) -> Finding | None:
    """Return the finding for a join with `match_by` or `at_least`; ``None`` for any other."""
    if not isinstance(value, dict):
        return None
    if "match_by" in value:
        return join_by_value((place / "match_by").key)
    if "at_least" not in value:
        return None
    count, names = wanted(value)
    if count is None or names is None:
        return join_of_some((place / "at_least").key, "", None)
    names = [f'"{each}"' if each.lower() in WORDS else each for each in names]
    now = f"any: [{', '.join(names)}], count: {count}"
    return join_of_some((place / "at_least").key, now, rewritten(value, place, count, names))


def wanted(value: dict[str, Any]) -> tuple[int | None, list[str] | None]:
    """Return how many of which events a join waits for, be they within `at_least` or beside it."""
    inner = value["at_least"]
    if isinstance(inner, dict):
        count, names = inner.get("count"), inner.get("of")
    else:
        count, names = inner, next((value[key] for key in ("of", "events", "from") if key in value), None)
    names = [names] if isinstance(names, str) else names
    if not isinstance(count, int) or isinstance(count, bool):
        return None, None
    if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
        return None, None
    return count, names


def rewritten(value: dict[str, Any], place: Place, count: int, names: list[str]) -> Fix | None:
    """Return the fix that writes the same as `any` with a `count`."""
    at, listed = place / "at_least", f"[{', '.join(names)}]"
    title = f"write `any: {listed}, count: {count}`"
    if set(value["at_least"]) != {"count", "of"} if isinstance(value["at_least"], dict) else True:
        return None
    if len(value) == 1:
        edit = Edit(place, f"{{any: {listed}, count: {count}}}", how="rewrite")
        return Fix(title, (edit,), "safe")
    keys = [each for each in value if each != "at_least"]
    beside = next((each for each in list(value)[list(value).index("at_least") :] if each in keys), keys[0])
    before = (place / beside).key
    edits = (
        Edit(at.key, "any"),
        Edit(at, listed, how="rewrite"),
        Edit(before, f"count: {count}", how="before"),
    )
    return Fix(title, edits, "safe")
