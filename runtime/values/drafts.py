"""Drafts of a state: what a step changes is kept apart until a tick takes it over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

__all__ = ["Saved", "changes_in", "draft_of", "save"]

Saved = Mapping[str, Any] | BaseModel | None
"""A change of the state: the new values of fields, or a whole new state; ``None``: no change."""


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


def changes_in(draft: BaseModel, state: BaseModel) -> Saved:
    """Return what has been set anew in a draft of a state.

    Only whole fields are compared, by identity, so this costs the same for a long list as for a short one.
    """
    if draft.__pydantic_extra__ != state.__pydantic_extra__ or draft.__pydantic_private__:
        return draft
    before, after = state.__dict__, draft.__dict__
    if len(before) != len(after):
        return draft
    missing = _MISSING
    saved = {name: value for name, value in after.items() if before.get(name, missing) is not value}
    return saved or None


_MISSING: Any = object()


def save(state: BaseModel, saved: Mapping[str, Any] | BaseModel) -> BaseModel:
    """Return the state with a change: itself, if fields were set anew, or the new one."""
    if isinstance(saved, BaseModel):
        return saved
    state.__dict__.update(saved)
    state.__pydantic_fields_set__.update(saved)
    return state
