"""The wait of a worker until something is recorded, which ends within the call that ends it."""

from __future__ import annotations

from asyncio import AbstractEventLoop, CancelledError
from collections.abc import Callable, Generator
from contextvars import Context
from typing import Any, Final, NoReturn

__all__ = ["Standstill"]

_NOTHING: Final[Callable[[], object]] = tuple
"""The ``result`` of a wait that was not cancelled: a built-in, as each task calls it each time it goes on."""


class Standstill:
    """What one task awaits, once or often, until it is told to go on.

    A commit lets many runs go on. With a future each of them would take a callback of its own and wait for the loop's
    next turn; here each goes on as soon as the one before it waits again.

    To asyncio this is a future, as ``asyncio.isfuture`` defines one: a task that awaits it adds a callback, and goes on
    when that is called. Only a task may await it, and only one at a time.

    While a task waits, ``wake`` is the callback and ``context`` the context variables to call it in:
    ``context.run(wake, standstill)`` lets the task go on before it returns, and is for callers that are no task. The
    task then calls ``result``, which raises ``CancelledError`` if the wait was cancelled.
    """

    __slots__ = ("_asyncio_future_blocking", "_loop", "context", "result", "wake")

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._asyncio_future_blocking = False
        self._loop = loop
        self.wake: Callable[[Standstill], Any] | None = None
        self.context: Context
        self.result = _NOTHING

    def __await__(self) -> Generator[Standstill, None, None]:
        self._asyncio_future_blocking = True
        # an iterator is all that a task needs, and a generator would be entered twice
        return iter((self,))  # type: ignore[return-value]

    def go_on_soon(self) -> None:
        """Let the task go on in the loop's next turn."""
        wake, self.wake = self.wake, None
        if wake is not None:
            self._loop.call_soon(wake, self, context=self.context)

    # --- what tasks call

    def add_done_callback(self, wake: Callable[[Standstill], Any], *, context: Context) -> None:
        """Let the task wait: it goes on by this callback."""
        self.wake, self.context = wake, context

    def cancel(self, msg: object = None) -> bool:
        """Let the task go on with a cancellation; return whether it still waited."""
        if self.wake is None:
            return False

        def result() -> NoReturn:
            self.result = _NOTHING
            raise CancelledError() if msg is None else CancelledError(msg)

        self.result = result
        self.go_on_soon()
        return True
