"""Bodies of steps that wait for an event, and stay where they are meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from wfc.runtime.core.event_waits import EventWait
from wfc.runtime.core.execution import NONE
from wfc.runtime.events import Event

if TYPE_CHECKING:
    from wfc.runtime.core.step_runs import StepRun, WaitKey
    from wfc.runtime.driver.run import Run

__all__ = ["Waits"]

E = TypeVar("E", bound=Event)


class Waits:
    """The waiting bodies of one run."""

    __slots__ = ("_futures", "_run")

    def __init__(self, run: Run) -> None:
        self._run = run
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
        """See ``Context.wait_for_event``."""
        execution = self._run.execution
        wanted = event_type, waiter_id, dict(requirements)
        for answer in getattr(step_run, "answers", ()):
            if answer.key == wanted and answer.attempt < step_run.attempt:
                answer.attempt = step_run.attempt
                return answer.event  # type: ignore[no-any-return]
        number = self._register(step_run, wanted)
        waiting: asyncio.Future[E] = self._run.loop.create_future()
        self._futures[number] = waiting
        if question is not None and waiter_id not in execution.asked_waits:
            self._run.watchers.publish(question)
        if waiter_id is not None:
            if not execution.asked_waits:
                execution.asked_waits = {}
            execution.asked_waits[waiter_id] = None
        try:
            async with asyncio.timeout(seconds):
                return await waiting
        finally:
            execution.event_waits.pop(number, None)
            self._futures.pop(number, None)

    def _register(self, step_run: StepRun, wanted: WaitKey) -> int:
        """Has an event looked out for; a wait of the same run that a snapshot held is over by that."""
        execution = self._run.execution
        if execution.event_waits is NONE:
            execution.event_waits = {}
        for number, waiter in list(execution.event_waits.items()):
            if waiter.run is step_run and waiter.attempt < step_run.attempt and waiter.key == wanted:
                del execution.event_waits[number]
        number = execution.number = execution.number + 1
        event_type, waiter_id, requirements = wanted
        execution.event_waits[number] = EventWait(event_type, requirements, step_run, waiter_id)
        return number

    def resolve(self, number: int, event: Event) -> None:
        """Gives a body what it waits for."""
        waiting = self._futures.pop(number, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(event)
