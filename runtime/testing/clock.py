"""An event loop whose clock jumps to the next timer instead of waiting for it."""

from __future__ import annotations

import asyncio
import selectors
import time
from asyncio import events
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar, TypeVarTuple

__all__ = ["DeadlockError", "VirtualTimeLoop", "run_virtually"]

T = TypeVar("T")
Args = TypeVarTuple("Args")

START: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""The default start of the virtual clock."""


class DeadlockError(RuntimeError):
    """Everything is waiting, and there is no timer, thread or connection left that could end the wait."""


class _JumpingSelector(selectors.BaseSelector):
    """A selector that really waits only while connections, threads or processes are open.

    Then the clock runs as fast as the real one; otherwise it jumps to the next timer.
    """

    def __init__(self) -> None:
        self._real = selectors.DefaultSelector()
        self.now = 0.0
        self.outside = 0  # threads and processes that work for the loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = self._real.select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        # one registered file is the loop's own, by which other threads wake it
        if self.outside or len(self._real.get_map()) > 1:
            start = time.monotonic()
            ready = self._real.select(timeout)
            passed = time.monotonic() - start
            self.now += passed if ready or timeout is None else max(passed, timeout)
            return ready
        if timeout is None:
            raise DeadlockError("everything waits, and nothing is left that could end it")
        self.now += timeout
        return []

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_key(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.get_key(fileobj)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop in which sleeping takes no time; order and times are as in a real one.

    Args:
        start: Date and time when the loop begins.
    """

    def __init__(self, start: datetime = START) -> None:
        self._jumping = _JumpingSelector()
        self._start = start
        super().__init__(self._jumping)

    def time(self) -> float:
        """Return the seconds since the loop began."""
        return self._jumping.now

    def today(self) -> datetime:
        """Return the current date and time of the virtual clock."""
        return self._start + timedelta(seconds=self._jumping.now)

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[*Args], T], *args: *Args
    ) -> asyncio.Future[T]:
        """Run a function in another thread; the clock waits for it."""
        future = super().run_in_executor(executor, func, *args)
        self._jumping.outside += 1
        future.add_done_callback(self._one_less_outside)
        return future

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Join the threads; the clock waits for them."""
        self._jumping.outside += 1
        try:
            await super().shutdown_default_executor()
        finally:
            self._one_less_outside()

    async def subprocess_exec(self, protocol_factory: Callable[[], Any], *args: Any, **kwargs: Any) -> Any:
        """Start a process; the clock waits for it."""
        return await self._watched(super().subprocess_exec, protocol_factory, *args, **kwargs)

    async def subprocess_shell(self, protocol_factory: Callable[[], Any], *args: Any, **kwargs: Any) -> Any:
        """Start a shell; the clock waits for it."""
        return await self._watched(super().subprocess_shell, protocol_factory, *args, **kwargs)

    async def _watched(
        self, start: Callable[..., Any], protocol_factory: Callable[[], Any], *args: Any, **kwargs: Any
    ) -> Any:
        def watched_protocol() -> Any:
            protocol = protocol_factory()
            exited = protocol.process_exited

            def process_exited() -> None:
                self._one_less_outside()
                exited()

            protocol.process_exited = process_exited
            return protocol

        self._jumping.outside += 1
        try:
            return await start(watched_protocol, *args, **kwargs)
        except BaseException:
            self._one_less_outside()
            raise

    def _one_less_outside(self, _: object = None) -> None:
        self._jumping.outside -= 1


def run_virtually(main: Callable[[], Any], *, start: datetime = START) -> Any:
    """Run a coroutine function in a new loop with a virtual clock, and return its result.

    Raises:
        DeadlockError: The coroutine waits for something that cannot happen.
        RuntimeError: It is called inside a running event loop.
    """
    if events._get_running_loop() is not None:
        raise RuntimeError("a virtual clock cannot be started inside a running event loop")
    with asyncio.Runner(loop_factory=lambda: VirtualTimeLoop(start)) as runner:
        return runner.run(main())
