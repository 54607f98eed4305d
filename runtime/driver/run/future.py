"""The future of a run's end."""

from __future__ import annotations

import asyncio
from typing import Any

from wfc.runtime.events import StopEvent

__all__ = ["RunFuture"]


class RunFuture(asyncio.Future[StopEvent]):
    """The future of a run's end; a failure that is never retrieved is reported to the loop.

    Unlike in asyncio, it is not reported during garbage collection. Runs are part of reference cycles, so the
    collector deletes them; the loop's exception handler shows a traceback, for which Python 3.11 parses code;
    and if the collector was started by another parse, that parse then fails with "AST constructor recursion
    depth mismatch".
    """

    __slots__ = ()

    def settle(self, outcome: StopEvent | Exception | None) -> None:
        """Hand on how the run has ended, unless that is done."""
        if self.done():
            return
        if isinstance(outcome, Exception):
            self.set_exception(outcome)
        else:
            assert outcome is not None
            self.set_result(outcome)

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
