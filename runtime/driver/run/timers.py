"""The timers of a run, on its event loop's clock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Set

__all__ = ["Timers"]


class Timers:
    """The timers of one run.

    Args:
        fire: Called with the number of a timer that expires.
    """

    __slots__ = ("_fire", "_handles", "_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop, fire: Callable[[int], None]) -> None:
        self._loop = loop
        self._fire = fire
        self._handles: dict[int, asyncio.TimerHandle] = {}

    def start(self, timer: int, seconds: float) -> None:
        """Start a timer."""
        self._handles[timer] = self._loop.call_later(seconds, self._run_out, timer)

    def _run_out(self, timer: int) -> None:
        del self._handles[timer]
        self._fire(timer)

    def stop(self, timer: int) -> None:
        """Stop a timer if it is running."""
        handle = self._handles.pop(timer, None)
        if handle is not None:
            handle.cancel()

    def stop_all(self) -> None:
        """Stop all timers."""
        for handle in self._handles.values():
            handle.cancel()
        self._handles.clear()

    def running(self) -> Set[int]:
        """Return the numbers of the timers that are running."""
        return self._handles.keys()
