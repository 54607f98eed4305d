"""Properties that a subclass or an object may replace with an attribute of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

__all__ = ["ReplaceableProperty"]

T = TypeVar("T")


class ReplaceableProperty(Generic[T]):
    """A property that can be hidden by assigning to the attribute of an object.

    Code that needs the property itself keeps it under another name.

    Args:
        read: Returns the value, given the object.
    """

    def __init__(self, read: Callable[[Any], T]) -> None:
        self._read = read
        self.__doc__ = read.__doc__

    @overload
    def __get__(self, owner: None, kind: type[Any]) -> Self: ...
    @overload
    def __get__(self, owner: object, kind: type[Any] | None = None) -> T: ...
    def __get__(self, owner: object | None, kind: type[Any] | None = None) -> Self | T:
        """Return the value, or the property itself if it is accessed on the class."""
        return self if owner is None else self._read(owner)
