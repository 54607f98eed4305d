"""The types of fields as plain data: enough to say whether what was written by one can be read by another."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel
from pydantic.fields import FieldInfo

__all__ = ["TypeDescriber"]

_NAMES: Final = {NoneType: "none", None: "none", Any: "any", object: "any"}

_UNIONS: Final = (typing.Union, UnionType)

_BOUNDS: Final = (
    "gt",
    "ge",
    "lt",
    "le",
    "multiple_of",
    "min_length",
    "max_length",
    "pattern",
    "allow_inf_nan",
)
"""The attributes of marks of types that say something about values."""

DEEPEST: Final = 50
"""How deep types are looked into; one that holds itself by an alias is endless."""


class TypeDescriber:
    """The description of types.

    Args:
        name_of: The name of a model or an enumeration in what is kept; ``None``: it has none.
    """

    def __init__(self, name_of: Callable[[type[Any]], str | None]) -> None:
        self._name_of = name_of

    def of(self, annotation: Any, marks: Iterable[Any] = (), depth: int = 0) -> Any:
        """Return a type as data: a name, or a list of a word and what belongs to it."""
        bounds: dict[str, Any] = {}
        for mark in marks:
            bounds |= _said(mark)
        found = self._bare(annotation, depth)
        return ["with", found, bounds] if bounds else found

    def _bare(self, annotation: Any, depth: int) -> Any:
        if depth > DEEPEST:
            return "any"
        try:
            if annotation in _NAMES:
                return _NAMES[annotation]
        except TypeError:  # nothing that has a hash
            return ["other", repr(type(annotation).__name__)]
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is Annotated:
            return self.of(arguments[0], arguments[1:], depth + 1)
        if origin is Literal:
            return ["one of", sorted((_value(one) for one in arguments), key=repr)]
        if origin in _UNIONS:
            members = [self._bare(one, depth + 1) for one in arguments]
            return ["any of", sorted(members, key=repr)]
        if type(annotation).__name__ == "TypeAliasType":
            return self._bare(annotation.__value__, depth + 1)
        if isinstance(annotation, type) and issubclass(annotation, BaseModel | Enum):
            return ["class", self._name_of(annotation) or annotation.__qualname__]
        name = getattr(origin or annotation, "__qualname__", None) or type(annotation).__name__
        return [name, *(self._bare(one, depth + 1) for one in arguments)] if arguments else name


def _value(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _said(mark: Any) -> dict[str, Any]:
    """Return what a mark of a type says about values."""
    if isinstance(mark, FieldInfo):
        found: dict[str, Any] = {}
        for one in mark.metadata:
            found |= _said(one)
        return found
    said = {name: getattr(mark, name) for name in _BOUNDS if getattr(mark, name, None) is not None}
    return {
        name: one if isinstance(one, str | int | float | bool) else str(one) for name, one in said.items()
    }
