"""Bodies of steps that wait for an event, and stay where they are meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from wfc.runtime.events import Event
from wfc.runtime.execution import NONE
from wfc.runtime.ticks import Waiter

if TYPE_CHECKING:
    from wfc.runtime.execution import StepRun
    from wfc.runtime.run import Run

__all__ = ["Waits"]

E = TypeVar("E", bound=Event)


class _Answer:
    """What a body has waited for, and the last attempt that got it."""

    __slots__ = ("attempt", "event", "wanted")

    def __init__(self, wanted: object, event: Any, attempt: int) -> None:
        self.wanted = wanted
        self.event = event
        self.attempt = attempt


class Waits:
    """The waiting bodies of one run."""

    __slots__ = ("_answers", "_asked", "_futures", "_last", "_run")

    def __init__(self, run: Run) -> None:
        self._run = run
        self._futures: dict[int, asyncio.Future[Any]] = {}
        self._asked: set[str] = set()  # ids of waits whose question has been published
        self._answers: dict[int, list[_Answer]] = {}  # by step run, of those that may be tried again
        self._last = 0

    async def wait(
        self,
        step_run: StepRun,
        event_type: type[E],
        question: Event | None,
        waiter_id: str | None,
        requirements: Mapping[str, Any],
        seconds: float | None,
    ) -> E:
        """See ``Context.wait_for_event``."""
        execution = self._run.execution
        wanted = event_type, waiter_id, dict(requirements)
        for answer in self._answers.get(step_run.number, ()):
            if answer.wanted == wanted and answer.attempt < step_run.attempt:
                answer.attempt = step_run.attempt
                return answer.event  # type: ignore[no-any-return]
        if execution.waiters is NONE:
            execution.waiters = {}
        number = self._last = self._last + 1
        until = None if seconds is None else self._run.loop.time() + seconds
        execution.waiters[number] = Waiter(event_type, requirements, step_run, waiter_id, until)
        waiting: asyncio.Future[E] = self._run.loop.create_future()
        self._futures[number] = waiting
        if question is not None and waiter_id not in self._asked:
            self._run.publish(question)
        if waiter_id is not None:
            self._asked.add(waiter_id)
        try:
            async with asyncio.timeout(seconds):
                event = await waiting
        finally:
            execution.waiters.pop(number, None)
            self._futures.pop(number, None)
        if step_run.step.retry is not None:
            self._answers.setdefault(step_run.number, []).append(_Answer(wanted, event, step_run.attempt))
        return event

    def resolve(self, number: int, event: Event) -> None:
        """Gives a body what it waits for."""
        waiting = self._futures.pop(number, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(event)
