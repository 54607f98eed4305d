"""Types as descriptions have them: whether all values of one are values of another, and how people read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

__all__ = ["classes_in", "fits", "shown"]

_WIDER: Final = {("int", "float"), ("int", "Decimal")}
"""Plain types, and others that read what was written of them as the same."""

_AT_LEAST: Final = ("gt", "ge", "min_length")
_AT_MOST: Final = ("lt", "le", "max_length")


def fits(old: Any, new: Any, is_same: Callable[[str, str], bool]) -> bool:
    """Return whether what was written of one type is a value of another, unchanged.

    Args:
        is_same: Returns whether a class of before is another one now. What is in classes is judged by itself.
    """
    if new == "any":
        return True
    if _word(old) == "any of":
        return all(fits(one, new, is_same) for one in old[1])
    if _word(new) == "any of":
        return any(fits(old, one, is_same) for one in new[1])
    if _word(new) == "with":
        return _is_within(old, new[2]) and fits(old[1] if _word(old) == "with" else old, new[1], is_same)
    if _word(old) == "with":
        return fits(old[1], new, is_same)
    if _word(old) == "one of":
        if _word(new) == "one of":
            return all(value in new[1] for value in old[1])
        return all(type(value).__name__ == new for value in old[1])
    if _word(old) == "class":
        return _word(new) == "class" and is_same(old[1], new[1])
    if isinstance(old, list) and isinstance(new, list):
        same = old[0] == new[0] and len(old) == len(new) and _word(new) != "one of"
        return same and all(fits(one, other, is_same) for one, other in zip(old[1:], new[1:], strict=True))
    return bool(old == new) or (isinstance(old, str) and isinstance(new, str) and (old, new) in _WIDER)


def _word(type_: Any) -> str:
    return str(type_[0]) if isinstance(type_, list) and type_ else ""


def _is_within(old: Any, bounds: dict[str, Any]) -> bool:
    """Return whether bounds let pass all that those of an older type let pass."""
    before = old[2] if _word(old) == "with" else {}
    return all(_is_looser(name, before.get(name), bound) for name, bound in bounds.items())


def _is_looser(name: str, before: Any, now: Any) -> bool:
    if before == now:
        return True
    if before is None or not isinstance(before, int | float) or not isinstance(now, int | float):
        return name == "allow_inf_nan" and now is True
    return (name in _AT_LEAST and now <= before) or (name in _AT_MOST and now >= before)


def classes_in(type_: Any) -> set[str]:
    """Return the names of the classes that a type mentions."""
    if _word(type_) == "class":
        return {type_[1]}
    if _word(type_) in ("", "one of", "other"):
        return set()
    members = type_[1] if _word(type_) == "any of" else type_[1:]
    return set[str]().union(*map(classes_in, members))


_WORDS: Final = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "Decimal": "decimal",
    "timedelta": "duration",
    "Any": "any",
}


def shown(type_: Any) -> str:
    """Return a type as an author reads it."""
    word = _word(type_)
    if not word:
        return _WORDS.get(type_, str(type_))
    if word == "with":
        bounds = {name: bound for name, bound in type_[2].items() if name != "allow_inf_nan"}
        told = ", ".join(f"{name} {bound}" for name, bound in sorted(bounds.items()))
        return f"{shown(type_[1])} ({told})" if told else shown(type_[1])
    if word == "one of":
        return f"one of {', '.join(map(str, type_[1]))}"
    if word == "any of":
        others = [shown(one) for one in type_[1] if one != "none"]
        return ("optional " if len(others) < len(type_[1]) else "") + " or ".join(others)
    if word == "class":
        return f"`{type_[1]}`"
    return f"{'map' if word == 'dict' else word} of {', '.join(map(shown, type_[1:]))}"
