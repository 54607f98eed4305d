"""What has changed in a state between two moments, as values at paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from wfc.runtime.values.drafts import changes_in

__all__ = ["ABSENT", "StateChange", "changes_between"]

ABSENT: Final = object()
"""In place of a value that is not there."""


class StateChange(NamedTuple):
    """A change of a state.

    Args:
        path: The place, such as ``order.lines[2].price``; ``lines[2:5]`` is a stretch of a list.
        before: What was there, as JSON data; ``ABSENT``: nothing.
        after: What is there now.
    """

    path: str
    before: Any
    after: Any


def changes_between(before: BaseModel, after: BaseModel) -> list[StateChange]:
    """Return what has changed in a state, in the order of its fields.

    Only fields that hold another object are compared further, so this costs nothing for what was not set.
    """
    if type(before) is type(after):
        saved = changes_in(after, before)
        if saved is None:
            return []
        names = set(saved) if isinstance(saved, Mapping) else None
    else:
        names = None
    return list(_differences(_data_of(before, names), _data_of(after, names), ""))


def _data_of(state: BaseModel, names: set[str] | None) -> dict[str, Any]:
    data: dict[str, Any] = state.model_dump(mode="json", by_alias=True, include=names)
    return data


def _differences(before: Any, after: Any, path: str) -> Iterator[StateChange]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys((*before, *after)):
            yield from _differences(before.get(key, ABSENT), after.get(key, ABSENT), _below(path, key))
    elif isinstance(before, list) and isinstance(after, list):
        yield from _differences_of_lists(before, after, path)
    elif not _is_same(before, after):
        yield StateChange(path, before, after)


def _differences_of_lists(before: Sequence[Any], after: Sequence[Any], path: str) -> Iterator[StateChange]:
    """Yield what differs between two lists: item by item, or the stretch in which items came or went."""
    start, end = 0, 0
    shortest = min(len(before), len(after))
    while start < shortest and _is_same(before[start], after[start]):
        start += 1
    while end < shortest - start and _is_same(before[-1 - end], after[-1 - end]):
        end += 1
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True), start):
            yield from _differences(one, other, f"{path}[{index}]")
    elif not end and not (old and new):  # at the end alone
        for index, item in enumerate(old or new, start):
            place = f"{path}[{index}]"
            yield StateChange(place, item, ABSENT) if old else StateChange(place, ABSENT, item)
    else:
        yield StateChange(f"{path}[{start}:{start + len(old)}]", list(old), list(new))


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two values are the same as JSON, in which ``1`` is not ``true``, nor ``1.0``."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return bool(one == other)


def _below(path: str, key: str) -> str:
    """Return the path of a key, as `wfc runs edit --set` takes it where it can be said so."""
    if not key or any(sign in key for sign in ".[]"):
        return f"{path}[{key!r}]"
    return f"{path}.{key}" if path else key
