"""How a run ends: what is under way stops, what was used is closed, and everybody is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Any, Protocol

from wfc.runtime.core.advance.releasing import finish_run
from wfc.runtime.core.execution import NONE, Execution
from wfc.runtime.driver.run.children import Children
from wfc.runtime.driver.run.timers import Timers
from wfc.runtime.driver.run.watchers import Watchers
from wfc.runtime.errors import StepFailedError, WorkflowCancelledByUser, WorkflowTimeoutError
from wfc.runtime.events import StopEvent, WorkflowCancelledEvent, WorkflowFailedEvent, WorkflowTimedOutEvent
from wfc.runtime.tracing.runs import Trace

__all__ = ["Ending"]

PATIENCE = 5.0
"""Seconds that steps which are cancelled have to clean up, before what they used is closed."""


class EndingRun(Protocol):
    """What the end of a run needs of it."""

    @property
    def execution(self) -> Execution:
        """The run as data."""

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """Its event loop."""

    @property
    def future(self) -> asyncio.Future[Any]:
        """Its end."""

    @property
    def clock(self) -> Callable[[], datetime]:
        """Tells the time of day."""

    @property
    def children(self) -> Children[Any]:
        """The runs that it has started."""

    @property
    def timers(self) -> Timers | None:
        """Its timers, if it ever had one."""

    @property
    def watchers(self) -> Watchers:
        """Those who watch it."""

    @property
    def trace(self) -> Trace | None:
        """Its spans, if anybody is told of them."""

    @property
    def timeout(self) -> float | None:
        """Seconds that it may take."""

    @property
    def needs_closing(self) -> bool:
        """Whether its steps have used what is to be closed with it."""

    def active_steps(self) -> list[str]:
        """Return the names of the steps that are running, paused, or wait to be tried again."""

    def stop_deadline(self) -> None:
        """Have it not run out of time any more."""

    def carry_out_effects(self) -> None:
        """Carry out the effects of the last ticks."""

    async def close_resources(self) -> None:
        """Close what its steps have used."""

    def finish(self, tasks: set[asyncio.Task[Any]]) -> None:
        """Let go of the run; ``tasks`` are those that clean up after it."""


class Ending:
    """The end of a run whose execution has an outcome. Nothing moves the run any more."""

    __slots__ = ("_closing", "_run", "active")

    def __init__(self, run: EndingRun) -> None:
        self._run = run
        timed_out = isinstance(run.execution.outcome, WorkflowTimeoutError)
        self.active = run.active_steps() if timed_out else []
        self._closing: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """End it: at once, or when what its steps have used is closed."""
        run = self._run
        execution = run.execution
        run.stop_deadline()
        if execution.paused or execution.inbox:
            finish_run(execution)
            run.carry_out_effects()
        if run.children:
            run.children.stop_all()
        if run.timers is not None:
            run.timers.stop_all()
        here = asyncio.current_task() if asyncio._get_running_loop() is run.loop else None
        tasks = {one.task for one in execution.in_flight.values() if one.task is not None}
        execution.in_flight.clear()
        execution.starting.clear()
        execution.queues = NONE
        for task in tasks:
            if task is not here:
                task.cancel()
        tasks.discard(here)
        if run.needs_closing:
            self._closing = run.loop.create_task(self._close(tasks))
        else:
            self._conclude(tasks)

    async def _close(self, tasks: set[asyncio.Task[Any]]) -> None:
        """Close what the steps may have used once they have stopped; then the run is over."""
        try:
            if tasks:
                await asyncio.wait(tasks, timeout=PATIENCE)
            await self._run.close_resources()
        finally:
            self._conclude(tasks)

    def _conclude(self, tasks: set[asyncio.Task[Any]]) -> None:
        """Tell everybody that the run is over.

        Args:
            tasks: Those that clean up after it.
        """
        run = self._run
        outcome = run.execution.outcome
        run.watchers.close()
        assert outcome is not None
        if run.trace is not None:
            run.trace.end(outcome)
        if isinstance(outcome, StopEvent):
            run.future.set_result(outcome)
        else:
            run.future.set_exception(outcome)
        run.finish(tasks)

    def last_event(self) -> StopEvent:
        """Return what the stream of the run ends with."""
        run = self._run
        error: Any = run.execution.outcome
        if isinstance(error, StopEvent):
            return error
        if isinstance(error, WorkflowTimeoutError):
            return WorkflowTimedOutEvent(timeout=run.timeout or 0.0, active_steps=self.active)
        if isinstance(error, WorkflowCancelledByUser):
            return WorkflowCancelledEvent()
        cause = error.__cause__ if isinstance(error, StepFailedError) else None
        return WorkflowFailedEvent(
            exception=cause if isinstance(cause, Exception) else error,
            step_name=getattr(error, "step", None),
            attempts=getattr(error, "attempt", None),
            elapsed_seconds=getattr(error, "elapsed_seconds", None),
            failed_at=run.clock(),
        )
