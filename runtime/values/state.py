"""The state that the steps of a run share, with an asynchronous interface."""

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
    """The object that holds the state: an execution, or a context that has not been run yet."""

    state: Any


class StateStore(Generic[S]):
    """Access to a run's state for reading and writing.

    Paths are dotted: ``"order.items.0.name"`` leads through fields, dictionary keys and list indices.
    """

    __slots__ = ("_editor", "_holder", "_lock")

    def __init__(self, holder: StateHolder) -> None:
        self._holder = holder
        self._lock: asyncio.Lock | None = None
        self._editor: asyncio.Task[Any] | None = None  # the task inside `edit_state`

    async def get(self, path: str, default: Any = _NO_DEFAULT) -> Any:
        """Return the value at a path, or ``default`` if there is none.

        Raises:
            ValueError: There is no value at the path, and no default.
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
        """Set the value at a path, and create missing dictionaries on the way.

        Values read earlier do not change: the objects on the path are replaced by copies.

        Raises:
            ValueError: The path is empty.
            InvalidValueError: The path leads through a value without parts; a subclass of ``ValueError``.
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
        """Return a copy of the whole state; changes to the copy do not affect the state."""
        state: S = self._holder.state.model_copy()
        return state

    async def set_state(self, state: S) -> None:
        """Replace the state, or merge a state of a parent class into it.

        Raises:
            ValueError: The new state is not of the state's class or a parent class.
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
        """Reset the state to its defaults.

        Raises:
            InvalidValueError: A field has no default; a subclass of ``ValueError``.
        """
        kind = type(self._holder.state)
        async with self._writing():
            try:
                self._holder.state = kind()
            except ValueError as error:
                raise InvalidValueError(f"{kind.__name__} cannot be cleared: {error}") from error

    @asynccontextmanager
    async def edit_state(self) -> AsyncIterator[S]:
        """Edit the state exclusively and atomically: ``async with ctx.store.edit_state() as state:``.

        The block edits a copy, which shares with the state what cannot be copied, such as locks and clients.

        Raises:
            WorkflowRuntimeError: The block itself writes to the store in another way, which would deadlock.
        """
        if self._lock is None:
            self._lock = asyncio.Lock()
        async with self._writing():
            pass  # wait for the editing task, unless it is this one
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
        """Wait until no task edits the state."""
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
            raise KeyError(part)  # methods such as `items` are not entries
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
