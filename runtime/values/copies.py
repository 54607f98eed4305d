"""Copies of a state for editing: of its data, not of objects that cannot be copied, such as locks."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from pydantic import BaseModel

__all__ = ["copy_container", "copy_to_edit"]

_BUILDERS: dict[type[Any], Callable[[Iterable[Any]], Any]] = {
    tuple: tuple,
    set: set,
    frozenset: frozenset,
}


def copy_to_edit(value: Any, memo: dict[int, Any] | None = None) -> Any:
    """Return a deep copy of models and containers that shares what cannot be copied, such as locks and clients.

    Fields with ``exclude=True`` are shared too: they are declared not to be part of their model's data.

    Args:
        memo: Copies by the ids of their originals, so that an object with several references is copied once.
    """
    memo = {} if memo is None else memo
    if id(value) in memo:
        return memo[id(value)]
    kind = type(value)
    if isinstance(value, BaseModel) and kind.__deepcopy__ is BaseModel.__deepcopy__:
        return _copy_model(value, memo)
    if kind is list or kind is deque:
        many: Any = [] if kind is list else deque(maxlen=value.maxlen)
        memo[id(value)] = many
        many.extend(copy_to_edit(one, memo) for one in value)
        return many
    if kind is dict:
        entries: dict[Any, Any] = {}
        memo[id(value)] = entries
        for key, one in value.items():
            entries[copy_to_edit(key, memo)] = copy_to_edit(one, memo)
        return entries
    if kind in _BUILDERS:
        made = _BUILDERS[kind]([copy_to_edit(one, memo) for one in value])
        return memo.setdefault(id(value), made)
    known = len(memo)
    try:
        return copy.deepcopy(value, memo)
    except Exception:  # classes may raise anything here
        while len(memo) > known:
            memo.popitem()  # the incomplete copy
        memo[id(value)] = value
        return value


def _copy_model(value: BaseModel, memo: dict[int, Any]) -> BaseModel:
    made = memo[id(value)] = value.model_copy()
    fields = type(value).model_fields
    entries = made.__dict__
    for name, one in value.__dict__.items():
        if name not in fields or not fields[name].exclude:
            entries[name] = copy_to_edit(one, memo)
    for more in (made.__pydantic_extra__, made.__pydantic_private__):
        for name, one in list((more or {}).items()):
            assert more is not None
            more[name] = copy_to_edit(one, memo)
    return made


def copy_container(value: Any) -> Any:
    """Return a shallow copy of a container; a container that cannot be copied is returned itself."""
    if isinstance(value, BaseModel):
        return value.model_copy()
    try:
        return copy.copy(value)
    except Exception:  # classes may raise anything here
        return value
