"""How a run ends: what is under way stops, what was used is closed, and everybody is told."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from wfc.runtime.core.advance.releasing import finish_run
from wfc.runtime.core.execution import NONE
from wfc.runtime.driver.engine.children import stop_all
from wfc.runtime.errors import StepFailedError, WorkflowCancelledByUser, WorkflowTimeoutError
from wfc.runtime.events import StopEvent, WorkflowCancelledEvent, WorkflowFailedEvent, WorkflowTimedOutEvent

if TYPE_CHECKING:
    from wfc.runtime.driver.run import Run

__all__ = ["Ending", "last_event"]

PATIENCE = 5.0
"""Seconds that steps which are cancelled have to clean up, before what they used is closed."""


class Ending:
    """The end of a run whose execution has an outcome. Nothing moves the run any more."""

    __slots__ = ("_closing", "_run", "active")

    def __init__(self, run: Run) -> None:
        self._run = run
        timed_out = isinstance(run.execution.outcome, WorkflowTimeoutError)
        self.active = run.active_steps() if timed_out else []
        self._closing: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Ends it: at once, or when what its steps have used is closed."""
        run = self._run
        execution = run.execution
        if run.deadline is not None:
            run.deadline.cancel()
        if execution.paused or execution.inbox:
            finish_run(execution)
            run.do_what_is_wanted()
        if run.children:
            stop_all(run)
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
        """Once the steps have stopped that were at work, closes what they may have used; and then the run is over."""
        try:
            if tasks:
                await asyncio.wait(tasks, timeout=PATIENCE)
            await self._run.resources.pool.close()
        finally:
            self._conclude(tasks)

    def _conclude(self, tasks: set[asyncio.Task[Any]]) -> None:
        """Tells everybody that the run is over.

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
        run.is_over(tasks)


def last_event(run: Run) -> StopEvent:
    """What the stream of a run that is over ends with."""
    error: Any = run.execution.outcome
    if isinstance(error, StopEvent):
        return error
    if isinstance(error, WorkflowTimeoutError):
        active = run.ending.active if run.ending is not None else []
        return WorkflowTimedOutEvent(timeout=run.workflow.timeout or 0.0, active_steps=active)
    if isinstance(error, WorkflowCancelledByUser):
        return WorkflowCancelledEvent()
    return WorkflowFailedEvent(
        exception=error.__cause__ if isinstance(error, StepFailedError) and error.__cause__ else error,
        step_name=getattr(error, "step", None),
        attempts=getattr(error, "attempt", None),
        elapsed_seconds=getattr(error, "elapsed_seconds", None),
        failed_at=run.clock(),
    )
