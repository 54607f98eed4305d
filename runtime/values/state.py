"""The state that the steps of a run share, with an asynchronous interface."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from wfc.runtime.errors import InvalidValueError, WorkflowRuntimeError
from wfc.runtime.values.copies import copy_container, copy_to_edit
from wfc.runtime.values.dict_like import DictLike
from wfc.runtime.values.drafts import Saved, changes_in, deep_changes_in, draft_of

__all__ = ["KeptStateStore", "StateHolder", "StateStore"]

S = TypeVar("S")

_NO_DEFAULT: Any = object()


class StateHolder(Protocol):
    """The object that holds the state: an execution, or a context that has not been run yet."""

    state: Any


class Editing:
    """Who edits a state, so that others wait."""

    __slots__ = ("editor", "lock")

    def __init__(self) -> None:
        self.lock: asyncio.Lock | None = None
        self.editor: asyncio.Task[Any] | None = None  # the task inside `edit_state`


class StateStore(Generic[S]):
    """Access to a run's state for reading and writing.

    Paths are dotted: ``"order.items.0.name"`` leads through fields, dictionary keys and list indices.
    """

    __slots__ = ("_holder", "editing")

    def __init__(self, holder: StateHolder) -> None:
        self._holder = holder
        self.editing = Editing()

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
                self._set(path, value)
            except (AttributeError, KeyError, IndexError, TypeError) as error:
                raise InvalidValueError(f"nothing can be put at `{path}`: {error}") from error

    def _set(self, path: str, value: Any) -> None:
        """Set the value at a path."""
        _put(self._holder.state, path, value)

    def _replace(self, state: Any) -> None:
        """Replace the state."""
        self._holder.state = state

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
                self._replace(state)
            elif isinstance(state, BaseModel) and isinstance(current, type(state)):
                fields = {name: getattr(state, name) for name in type(state).model_fields}
                self._replace(current.model_copy(update=fields))
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
                new = kind()
            except ValueError as error:
                raise InvalidValueError(f"{kind.__name__} cannot be cleared: {error}") from error
            self._replace(new)

    @asynccontextmanager
    async def edit_state(self) -> AsyncIterator[S]:
        """Edit the state exclusively and atomically: ``async with ctx.store.edit_state() as state:``.

        The block edits a copy, which shares with the state what cannot be copied, such as locks and clients.

        Raises:
            WorkflowRuntimeError: The block itself writes to the store in another way, which would deadlock.
        """
        editing = self.editing
        if editing.lock is None:
            editing.lock = asyncio.Lock()
        async with self._writing():
            pass  # wait for the editing task, unless it is this one
        async with editing.lock:
            editing.editor = asyncio.current_task()
            try:
                edited = copy_to_edit(self._holder.state)
                yield edited
                self._replace(edited)
            finally:
                editing.editor = None

    @asynccontextmanager
    async def _writing(self) -> AsyncIterator[None]:
        """Wait until no task edits the state."""
        lock = self.editing.lock
        if lock is None or not lock.locked():
            yield
            return
        if self.editing.editor is asyncio.current_task():
            raise WorkflowRuntimeError(
                "inside `edit_state` the state is changed by what that gives, not by the store"
            )
        async with lock:
            yield


class KeptStateStore(StateStore[S]):
    """Access to the state of a run whose changes are recorded: all of them, and nothing else, take effect.

    What is read is a copy, so that a change inside of a value has to be set to count.

    Args:
        keep: Records and applies a change.
    """

    __slots__ = ("_keep",)

    def __init__(self, holder: StateHolder, editing: Editing, keep: Callable[[Saved], None]) -> None:
        self._holder = holder
        self.editing = editing
        self._keep = keep

    async def get(self, path: str, default: Any = _NO_DEFAULT) -> Any:
        """Return a copy of the value at a path, or ``default`` if there is none.

        Raises:
            ValueError: There is no value at the path, and no default.
        """
        return copy_to_edit(await super().get(path, default))

    async def get_state(self) -> S:
        """Return a copy of the whole state; changes to the copy do not affect the state."""
        state: S = copy_to_edit(self._holder.state)
        return state

    def _set(self, path: str, value: Any) -> None:
        draft = draft_of(self._holder.state)
        _put(draft, path, copy_to_edit(value))
        self._keep(changes_in(draft, self._holder.state))

    def _replace(self, state: Any) -> None:
        self._keep(deep_changes_in(copy_to_edit(state), self._holder.state))


def _put(state: Any, path: str, value: Any) -> None:
    *way, last = path.split(".")
    target = state
    for part in way:
        try:
            inner = copy_container(_step_into(target, part))
        except (AttributeError, KeyError):
            inner = {}
        _assign(target, part, inner)
        target = inner
    _assign(target, last, value)


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
