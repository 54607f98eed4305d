"""Lists whose items are told apart by a key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

__all__ = ["merged_by"]

T = TypeVar("T")


def merged_by(kept: Sequence[T], new: Iterable[T], key: Callable[[T], object]) -> list[T]:
    """The items of two lists, each new one in the place of the kept one that has its key, else at the end."""
    return list({key(item): item for items in (kept, new) for item in items}.values())
