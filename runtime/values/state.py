"""The state that the steps of a run share, behind a small asynchronous door."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from wfc.runtime.errors import InvalidValueError, WorkflowRuntimeError
from wfc.runtime.values.copies import copy_container, copy_to_edit
from wfc.runtime.values.dict_like import DictLike

__all__ = ["StateHolder", "StateStore"]

S = TypeVar("S")

_NO_DEFAULT: Any = object()


class StateHolder(Protocol):
    """What has the state: an execution, or a context that has not been run yet."""

    state: Any


class StateStore(Generic[S]):
    """Reads and writes a run's state.

    Paths are dotted: ``"order.items.0.name"`` goes through fields, keys of dictionaries and positions in lists.
    """

    __slots__ = ("_editor", "_holder", "_lock")

    def __init__(self, holder: StateHolder) -> None:
        self._holder = holder
        self._lock: asyncio.Lock | None = None
        self._editor: asyncio.Task[Any] | None = None  # who is inside `edit_state`

    async def get(self, path: str, default: Any = _NO_DEFAULT) -> Any:
        """The value at a path, or ``default``.

        Raises:
            ValueError: There is nothing, and no default.
        """
        value = self._holder.state
        for part in path.split("."):
            try:
                value = _step_into(value, part)
            except (AttributeError, KeyError, IndexError, ValueError, TypeError):
                if default is _NO_DEFAULT:
                    raise ValueError(f"the state has nothing at `{path}`") from None
                return default
        return value

    async def set(self, path: str, value: Any) -> None:
        """Puts a value at a path; dictionaries that are missing on the way are made.

        What was read before does not change by that: what lies on the path is replaced by copies.

        Raises:
            ValueError: The path is empty.
            InvalidValueError: It leads through something that has no parts; it is a ``ValueError``.
        """
        if not path:
            raise ValueError("the path is empty")
        async with self._writing():
            try:
                self._put(path, value)
            except (AttributeError, KeyError, IndexError, TypeError) as error:
                raise InvalidValueError(f"nothing can be put at `{path}`: {error}") from error

    def _put(self, path: str, value: Any) -> None:
        *way, last = path.split(".")
        target = self._holder.state
        for part in way:
            try:
                inner = copy_container(_step_into(target, part))
            except (AttributeError, KeyError):
                inner = {}
            _assign(target, part, inner)
            target = inner
        _assign(target, last, value)

    async def get_state(self) -> S:
        """A copy of the whole state; changing it changes nothing."""
        state: S = self._holder.state.model_copy()
        return state

    async def set_state(self, state: S) -> None:
        """Replaces the state; one of a parent class is merged into it.

        Raises:
            ValueError: It is not of the state's class.
        """
        async with self._writing():
            current = self._holder.state
            if isinstance(state, type(current)):
                self._holder.state = state
            elif isinstance(state, BaseModel) and isinstance(current, type(state)):
                self._holder.state = current.model_copy(
                    update={name: getattr(state, name) for name in type(state).model_fields}
                )
            else:
                raise ValueError(
                    f"the state must be of type {type(current).__name__}, not {type(state).__name__}"
                )

    async def clear(self) -> None:
        """Sets everything back to its default.

        Raises:
            InvalidValueError: A field has none; it is a ``ValueError``.
        """
        kind = type(self._holder.state)
        async with self._writing():
            try:
                self._holder.state = kind()
            except ValueError as error:
                raise InvalidValueError(f"{kind.__name__} cannot be cleared: {error}") from error

    @asynccontextmanager
    async def edit_state(self) -> AsyncIterator[S]:
        """``async with ctx.store.edit_state() as state:`` alone, and all or nothing.

        What is edited is a copy, which shares with the state what cannot be copied, such as locks and clients.

        Raises:
            WorkflowRuntimeError: The block itself writes to the store in another way, and would wait for itself.
        """
        if self._lock is None:
            self._lock = asyncio.Lock()
        async with self._writing():
            pass  # whoever edits now is waited for, unless it is this very task
        async with self._lock:
            self._editor = asyncio.current_task()
            try:
                edited = copy_to_edit(self._holder.state)
                yield edited
                self._holder.state = edited
            finally:
                self._editor = None

    @asynccontextmanager
    async def _writing(self) -> AsyncIterator[None]:
        """Waits until nobody edits the state."""
        if self._lock is None or not self._lock.locked():
            yield
            return
        if self._editor is asyncio.current_task():
            raise WorkflowRuntimeError(
                "inside `edit_state` the state is changed by what that gives, not by the store"
            )
        async with self._lock:
            yield


def _step_into(value: Any, part: str) -> Any:
    if isinstance(value, dict):
        return value[part]
    if isinstance(value, list | tuple):
        return value[int(part)]
    if isinstance(value, DictLike):
        if part in value:
            return value[part]
        if callable(getattr(type(value), part, None)):
            raise KeyError(part)  # `items` and the like are no entries
    return getattr(value, part)


def _assign(target: Any, part: str, value: Any) -> None:
    if isinstance(target, dict):
        target[part] = value
    elif isinstance(target, list):
        target[int(part)] = value
    elif isinstance(target, DictLike):
        target[part] = value
    else:
        setattr(target, part, value)
