"""Drafts of a state: what a step changes is kept apart until a tick takes it over."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from wfc.runtime.values.copies import copy_to_edit

__all__ = ["Saved", "changes_in", "deep_changes_in", "deep_draft_of", "draft_of", "save"]

Saved = Mapping[str, Any] | BaseModel | None
"""A change of the state: the new values of fields, declared or not, or a whole new state; ``None``: no change."""


def draft_of(state: BaseModel) -> BaseModel:
    """Return a copy of a state whose fields may be set anew; what they hold is shared with the state."""
    kind = type(state)
    draft = kind.__new__(kind)
    put = object.__setattr__
    put(draft, "__dict__", state.__dict__.copy())
    put(draft, "__pydantic_fields_set__", state.__pydantic_fields_set__.copy())
    extra, private = state.__pydantic_extra__, state.__pydantic_private__
    put(draft, "__pydantic_extra__", None if extra is None else extra.copy())
    put(draft, "__pydantic_private__", None if private is None else private.copy())
    return draft


def deep_draft_of(state: BaseModel) -> BaseModel:
    """Return a copy of a state of which nothing that can be changed is shared with the state."""
    draft: BaseModel = copy_to_edit(state)
    return draft


def changes_in(draft: BaseModel, state: BaseModel) -> Saved:
    """Return what has been set anew in a draft of a state.

    Only whole fields are compared, by identity, so this costs the same for a long list as for a short one.
    """
    before, after = state.__dict__, draft.__dict__
    if len(before) != len(after) or draft.__pydantic_private__:
        return draft
    missing = _MISSING
    saved = {name: value for name, value in after.items() if before.get(name, missing) is not value}
    extra = draft.__pydantic_extra__
    if extra:
        known = state.__pydantic_extra__ or {}
        if known.keys() - extra.keys():
            return draft
        saved |= {name: value for name, value in extra.items() if known.get(name, missing) is not value}
    elif state.__pydantic_extra__:
        return draft
    return saved or None


_MISSING: Any = object()


def deep_changes_in(draft: BaseModel, state: BaseModel) -> Saved:
    """Return what differs in another state, also what was changed inside of a value."""
    if type(draft) is not type(state):
        return draft
    found = changes_in(draft, state)
    if found is None or isinstance(found, BaseModel):
        return None if found is None or is_same(draft, state) else found
    before = {**state.__dict__, **(state.__pydantic_extra__ or {})}
    return {name: one for name, one in found.items() if not is_same(one, before.get(name, _MISSING))} or None


def is_same(one: Any, other: Any) -> bool:
    """Return whether two values are the same data: of the same classes, unlike ``[1] == [True]``."""
    if one is other:
        return True
    kind = type(one)
    if kind is not type(other):
        return False
    try:
        if isinstance(one, BaseModel):
            return all(is_same(*parts) for parts in zip(_parts(one), _parts(other), strict=True))
        if kind is dict:
            return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
        if kind in (list, tuple, deque):
            return len(one) == len(other) and all(map(is_same, one, other))
        return bool(one == other)
    except Exception:  # classes may raise anything here, and what is nested too deep is another one
        return False


def _parts(model: BaseModel) -> tuple[Any, ...]:
    return model.__dict__, model.__pydantic_extra__, model.__pydantic_private__


def save(state: BaseModel, saved: Mapping[str, Any] | BaseModel) -> BaseModel:
    """Return the state with a change: itself, if fields were set anew, or the new one."""
    if isinstance(saved, BaseModel):
        return saved
    extra = state.__pydantic_extra__
    if extra is None:
        state.__dict__.update(saved)
    else:
        fields = type(state).model_fields
        for name, value in saved.items():
            (state.__dict__ if name in fields else extra)[name] = value
    state.__pydantic_fields_set__.update(saved)
    return state
