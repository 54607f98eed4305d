"""The future of a run's end."""

from __future__ import annotations

import asyncio
from typing import Any

from wfc.runtime.events import StopEvent

__all__ = ["RunFuture"]


class RunFuture(asyncio.Future[StopEvent]):
    """The end of a run. If it is a failure that nobody asks for, the loop is told so, as of each future.

    But not while garbage is being collected, as asyncio does: a run is part of cycles, so that this is where it ends;
    its exception handler shows a traceback, for which Python 3.11 parses code; and where the collector was started
    by another parse, that one then fails with "AST constructor recursion depth mismatch".
    """

    def __del__(self) -> None:
        if not self._log_traceback:
            return
        self._log_traceback = False
        loop = self.get_loop()
        context: dict[str, Any] = {"message": f"a run failed, and nobody awaited it: {self.exception()}"}
        if loop.is_closed():
            loop.call_exception_handler(context)  # without a traceback
            return
        context["exception"] = self.exception()
        loop.call_soon_threadsafe(loop.call_exception_handler, context)
