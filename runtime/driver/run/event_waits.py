"""Step bodies that are suspended while they wait for an event."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from wfc.runtime.core.advance.event_waits import take_kept_event
from wfc.runtime.core.event_waits import EventWait
from wfc.runtime.core.execution import NONE, Execution
from wfc.runtime.core.step_runs import StepRun, WaitKey
from wfc.runtime.events import Event

__all__ = ["EventWaits"]

E = TypeVar("E", bound=Event)


class EventWaits:
    """The step bodies of one run that wait for an event.

    Args:
        publish: Shows a question to the watchers of the run.
    """

    __slots__ = ("_execution", "_futures", "_loop", "_publish")

    def __init__(
        self, loop: asyncio.AbstractEventLoop, execution: Execution, publish: Callable[[Event], None]
    ) -> None:
        self._loop = loop
        self._execution = execution
        self._publish = publish
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
        wanted = event_type, waiter_id, dict(requirements)
        for answer in getattr(step_run, "answers", ()):
            if answer.key == wanted and answer.attempt < step_run.attempt:
                answer.attempt = step_run.attempt
                return answer.event  # type: ignore[no-any-return]
        number = self._register(step_run, wanted)
        kept: Any = take_kept_event(execution, number)
        if question is not None and waiter_id not in execution.asked_waits:
            self._publish(question)
        if waiter_id is not None:
            if not execution.asked_waits:
                execution.asked_waits = {}
            execution.asked_waits[waiter_id] = None
        if kept is not None:
            return kept  # type: ignore[no-any-return]
        waiting: asyncio.Future[E] = self._loop.create_future()
        self._futures[number] = waiting
        try:
            async with asyncio.timeout(seconds):
                return await waiting
        finally:
            execution.event_waits.pop(number, None)
            self._futures.pop(number, None)

    def _register(self, step_run: StepRun, wanted: WaitKey) -> int:
        """Register a wait for an event; it replaces the same wait of an earlier attempt of the step run."""
        execution = self._execution
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
        """Pass the awaited event to a waiting body."""
        waiting = self._futures.pop(number, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(event)
