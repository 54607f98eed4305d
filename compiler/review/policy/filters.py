"""The filters that expressions of a policy may have, over plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

__all__ = ["FUNCTIONS", "same"]


def same(left: Any, right: Any) -> bool:
    """Return whether two values are equal; `true` is not 1."""
    if isinstance(left, bool) != isinstance(right, bool):
        return False
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return bool(left == right)


def contains(subject: Any, item: Any) -> bool:
    if isinstance(subject, list):
        return any(same(each, item) for each in subject)
    return item in subject


def starts_with(subject: str, text: Any) -> bool:
    return subject.startswith(tuple(text) if isinstance(text, list) else text)


def ends_with(subject: str, text: Any) -> bool:
    return subject.endswith(tuple(text) if isinstance(text, list) else text)


def unique(subject: list[Any]) -> list[Any]:
    found: dict[Any, Any] = {}
    for each in subject:
        found.setdefault((isinstance(each, bool), repr(each)), each)
    return list(found.values())


FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "upper": str.upper,
    "lower": str.lower,
    "trim": str.strip,
    "contains": contains,
    "starts_with": starts_with,
    "ends_with": ends_with,
    "split": lambda subject, separator: subject.split(separator),
    "default": lambda subject, value: value if subject is None else subject,
    "length": len,
    "first": lambda subject: subject[0] if subject else None,
    "last": lambda subject: subject[-1] if subject else None,
    "min": lambda subject: min(subject, default=None),
    "max": lambda subject: max(subject, default=None),
    "sum": sum,
    "unique": unique,
    "reverse": lambda subject: subject[::-1],
    "join": lambda subject, separator="": separator.join(str(each) for each in subject),
    "any": any,
    "all": all,
    "present": lambda subject: [each for each in subject if each is not None],
    "flatten": lambda subject: [each for items in subject for each in items],
    "keys": list,
    "values": lambda subject: list(subject.values()),
    "seconds": float,
}
"""Each filter by its name; its types are those of the language."""
