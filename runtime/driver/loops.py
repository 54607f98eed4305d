"""Calls of functions in the event loop of a run, from any thread or event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

__all__ = ["call_and_await", "call_and_block", "call_soon"]

T = TypeVar("T")


def call_soon(loop: asyncio.AbstractEventLoop, function: Callable[..., Any], *arguments: Any) -> None:
    """Call a function in an event loop: at once if the caller is in it, else soon, if it is not closed."""
    if asyncio._get_running_loop() is loop:
        function(*arguments)
    elif not loop.is_closed():
        loop.call_soon_threadsafe(function, *arguments)


async def call_and_await(loop: asyncio.AbstractEventLoop, function: Callable[..., T], *arguments: Any) -> T:
    """Call a function in an event loop, at once if the caller is in it; return its result."""
    if asyncio.get_running_loop() is loop:
        return function(*arguments)

    async def call() -> T:
        return function(*arguments)

    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(call(), loop))


def call_and_block(loop: asyncio.AbstractEventLoop, function: Callable[..., T], *arguments: Any) -> T:
    """Call a function in an event loop, also from a thread of its own, which waits for the result."""
    if asyncio._get_running_loop() is loop:
        return function(*arguments)

    outcome: Future[T] = Future()

    def call() -> None:
        try:
            outcome.set_result(function(*arguments))
        except BaseException as error:
            outcome.set_exception(error)

    loop.call_soon_threadsafe(call)  # no coroutine, which a loop that ends meanwhile would leave behind
    return outcome.result()
