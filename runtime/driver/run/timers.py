"""The timers that a run wants, on its event loop's clock."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from wfc.runtime.core.ticks import TimerFired

if TYPE_CHECKING:
    from wfc.runtime.driver.run import Run

__all__ = ["Timers"]


class Timers:
    """The timers of one run."""

    __slots__ = ("_handles", "_run")

    def __init__(self, run: Run) -> None:
        self._run = run
        self._handles: dict[int, asyncio.TimerHandle] = {}

    def start(self, timer: int, seconds: float) -> None:
        """Has the run take in a ``TimerFired`` after so many seconds."""
        self._handles[timer] = self._run.loop.call_later(seconds, self._fire, timer)

    def _fire(self, timer: int) -> None:
        del self._handles[timer]
        self._run.take(TimerFired(timer))

    def stop(self, timer: int) -> None:
        """Lets one not run out."""
        handle = self._handles.pop(timer, None)
        if handle is not None:
            handle.cancel()

    def stop_all(self) -> None:
        """Lets none run out."""
        for handle in self._handles.values():
            handle.cancel()
        self._handles.clear()

    def left(self) -> dict[int, float]:
        """Seconds that are left, by timer; 0 for one that is about to fire."""
        now = self._run.loop.time()
        return {timer: max(0.0, handle.when() - now) for timer, handle in self._handles.items()}
