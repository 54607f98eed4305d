"""Step bodies that are suspended while they wait for an event."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from wfc.runtime.core.body_ticks import WaitEnded, Waiting
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.moments import SECOND
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.core.ticks import Tick
from wfc.runtime.events import Event

__all__ = ["EventWaits"]

E = TypeVar("E", bound=Event)


class EventWaits:
    """The step bodies of one run that wait for an event.

    Args:
        take: Applies a tick, and starts the step runs that are then ready.
    """

    __slots__ = ("_execution", "_futures", "_loop", "_take")

    def __init__(
        self, loop: asyncio.AbstractEventLoop, execution: Execution, take: Callable[[Tick], None]
    ) -> None:
        self._loop = loop
        self._execution = execution
        self._take = take
        self._futures: dict[int, asyncio.Future[Any]] = {}

    async def wait(
        self,
        step_run: StepRun,
        event_type: type[E],
        question: Event | None,
        waiter_id: str | None,
        requirements: Mapping[str, Any],
        seconds: float | None,
    ) -> E:
        """Wait for an event; see ``Context.wait_for_event``."""
        execution = self._execution
        if seconds is not None and math.isinf(seconds):
            seconds = None
        number = execution.number + 1  # which the tick gives to the wait
        waiting = self._futures[number] = self._loop.create_future()
        timed_out = False
        try:
            self._take(Waiting(step_run.number, event_type, waiter_id, dict(requirements), question, seconds))
            async with asyncio.timeout(self._left(number, seconds)) as bound:
                return await waiting  # type: ignore[no-any-return]
        except TimeoutError:
            timed_out = bound.expired()
            raise
        finally:
            if self._futures.get(number) is waiting:
                del self._futures[number]
            waiter = execution.event_waits.get(number)
            if waiter is not None and waiter.run is step_run and execution.outcome is None:
                self._take(WaitEnded(number, timed_out=timed_out))

    def _left(self, number: int, seconds: float | None) -> float | None:
        """Return the seconds that are left of a wait, which may have begun before its body was cut off."""
        waiter = self._execution.event_waits.get(number)
        if waiter is None or waiter.until is None:
            return seconds
        return max(0, waiter.until - self._execution.at) / SECOND

    def resolve(self, number: int, event: Event | None) -> None:
        """Pass the awaited event to a waiting body, or tell it that it has waited long enough."""
        waiting = self._futures.pop(number, None)
        if waiting is None or waiting.done():
            return
        if event is None:
            waiting.set_exception(TimeoutError())
        else:
            waiting.set_result(event)
