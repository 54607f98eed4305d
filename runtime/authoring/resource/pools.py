"""Pools of objects that are created once, shared, and closed together."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from types import AsyncGeneratorType, GeneratorType
from typing import Any
from weakref import WeakKeyDictionary

from wfc.runtime.errors import WorkflowRuntimeError

__all__ = ["Pool", "open_with", "pool_of_loop"]

Close = Callable[[], Awaitable[None]]


class Pool:
    """A pool of objects by key. The first request creates an object; requests made meanwhile wait for it.

    Args:
        ends_with_loop: Whether to close the remaining objects when the event loop shuts down, as under
            ``asyncio.run``.
    """

    __slots__ = ("__weakref__", "_closers", "_closing", "_ends_with_loop", "_made", "_making", "_watches")

    def __init__(self, *, ends_with_loop: bool = True) -> None:
        self._made: dict[object, Any] = {}
        self._making: dict[tuple[object, int], asyncio.Task[Any]] = {}
        self._closers: list[tuple[asyncio.AbstractEventLoop, object, Close]] = []
        self._closing: asyncio.Task[None] | None = None
        self._ends_with_loop = ends_with_loop
        self._watches: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncGenerator[None, None]] = (
            WeakKeyDictionary()
        )

    @property
    def made(self) -> dict[object, Any]:
        """The objects that exist."""
        return self._made

    @property
    def has_closers(self) -> bool:
        """Whether there are objects to close."""
        return bool(self._closers or self._making)

    async def get(self, key: object, make: Callable[[], Awaitable[Any]]) -> Any:
        """Return the object of a key, creating it if necessary; cancelling a caller does not stop that."""
        if key in self._made:
            return self._made[key]
        loop = asyncio.get_running_loop()
        place = key, id(loop)
        task = self._making.get(place)
        if task is None:
            task = self._making[place] = loop.create_task(self._make(key, place, make))
            task.add_done_callback(_seen)
        return await asyncio.shield(task)

    async def _make(self, key: object, place: tuple[object, int], make: Callable[[], Awaitable[Any]]) -> Any:
        try:
            value = self._made[key] = await make()
            return value
        finally:
            del self._making[place]

    async def close_later(self, key: object, close: Close) -> None:
        """Register ``close`` to be called when the pool closes, in reverse order of registration."""
        loop = asyncio.get_running_loop()
        self._closers.append((loop, key, close))
        if self._ends_with_loop and loop not in self._watches:
            watch = self._watches[loop] = _until_loop_ends(self)
            await anext(watch)

    async def adopt(self, other: Pool) -> None:
        """Take over the objects that another pool has to close."""
        for _loop, key, close in other._closers:
            await self.close_later(key, close)
        other._closers.clear()

    async def close(self) -> None:
        """Close this event loop's objects, last one first. Failures are only reported to the loop."""
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self._close())
        try:
            await asyncio.shield(self._closing)
        finally:
            if self._closing is not None and self._closing.done():
                self._closing = None

    async def _close(self) -> None:
        loop = asyncio.get_running_loop()
        making = [task for (_key, at), task in self._making.items() if at == id(loop)]
        if making:
            await asyncio.wait(making)
        mine = [entry for entry in self._closers if entry[0] is loop]
        self._closers = [entry for entry in self._closers if entry[0] is not loop]
        for _loop, key, close in reversed(mine):
            self._made.pop(key, None)
            try:
                await close()
            except Exception as error:
                loop.call_exception_handler({"message": "a resource could not be closed", "exception": error})


async def _until_loop_ends(pool: Pool) -> AsyncGenerator[None, None]:
    """Close the pool when the event loop shuts down: it closes asynchronous generators and awaits them."""
    try:
        yield
    finally:
        await pool.close()


_OF_LOOPS: WeakKeyDictionary[asyncio.AbstractEventLoop, Pool] = WeakKeyDictionary()


def pool_of_loop() -> Pool:
    """Return the pool of the running event loop, which is closed when the loop shuts down."""
    loop = asyncio.get_running_loop()
    pool = _OF_LOOPS.get(loop)
    if pool is None:
        pool = _OF_LOOPS[loop] = Pool()
    return pool


def _seen(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()  # whoever waits gets it; if nobody does any more, asyncio shall not complain


async def open_with(
    factory: Callable[..., Any], given: dict[str, Any], pool: Pool, key: object, *, closes: bool
) -> Any:
    """Call a factory, register its object with the pool for closing, and return the object.

    Args:
        closes: Whether an object not created by a generator is closed by its ``aclose`` or ``close``.

    Raises:
        WorkflowRuntimeError: The factory is a generator that yields nothing.
    """
    made: Any = factory(**given)
    if isinstance(made, AsyncGeneratorType):
        return await _open_async_generator(made, pool, key)
    if isinstance(made, GeneratorType):
        return await _open_generator(made, pool, key)
    value = await made if inspect.iscoroutine(made) else made
    close = getattr(value, "aclose", None) or getattr(value, "close", None)
    if closes and callable(close):

        async def call() -> None:
            result = close()
            if inspect.isawaitable(result):
                await result

        await pool.close_later(key, call)
    return value


async def _open_async_generator(made: AsyncGeneratorType[Any, None], pool: Pool, key: object) -> Any:
    hooks = sys.get_asyncgen_hooks()
    sys.set_asyncgen_hooks(None, None)  # it is the pool that closes it, and not the event loop
    try:
        first = made.__anext__()
    finally:
        sys.set_asyncgen_hooks(*hooks)
    try:
        value = await first
    except StopAsyncIteration:
        raise WorkflowRuntimeError(f"the factory `{made.__qualname__}` yields nothing") from None

    async def close() -> None:
        try:
            await anext(made)
        except StopAsyncIteration:
            return
        await made.aclose()

    await pool.close_later(key, close)
    return value


async def _open_generator(made: GeneratorType[Any, None, None], pool: Pool, key: object) -> Any:
    try:
        value = next(made)
    except StopIteration:
        raise WorkflowRuntimeError(f"the factory `{made.__qualname__}` yields nothing") from None

    async def close() -> None:
        if next(made, made) is not made:
            made.close()

    await pool.close_later(key, close)
    return value
