"""Bodies of steps that wait for an event, and stay where they are meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from wfc.runtime.events import Event
from wfc.runtime.execution import NONE
from wfc.runtime.ticks import Waiter

if TYPE_CHECKING:
    from wfc.runtime.run import Run

__all__ = ["Waits"]

E = TypeVar("E", bound=Event)


class Waits:
    """The waiting bodies of one run."""

    __slots__ = ("_asked", "_futures", "_last", "_run")

    def __init__(self, run: Run) -> None:
        self._run = run
        self._futures: dict[int, asyncio.Future[Any]] = {}
        self._asked: set[str] = set()  # ids of waits whose question has been published
        self._last = 0

    async def wait(
        self,
        event_type: type[E],
        question: Event | None,
        waiter_id: str | None,
        requirements: Mapping[str, Any],
        seconds: float | None,
    ) -> E:
        """See ``Context.wait_for_event``."""
        execution = self._run.execution
        if execution.waiters is NONE:
            execution.waiters = {}
        number = self._last = self._last + 1
        execution.waiters[number] = Waiter(event_type, requirements)
        waiting: asyncio.Future[E] = self._run.loop.create_future()
        self._futures[number] = waiting
        if question is not None and waiter_id not in self._asked:
            self._run.publish(question)
        if waiter_id is not None:
            self._asked.add(waiter_id)
        try:
            async with asyncio.timeout(seconds):
                return await waiting
        finally:
            execution.waiters.pop(number, None)
            self._futures.pop(number, None)

    def resolve(self, number: int, event: Event) -> None:
        """Gives a body what it waits for."""
        waiting = self._futures.pop(number, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(event)
