"""The end of a run: active work is stopped, resources are closed, and watchers are notified."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, MutableSequence, Sequence
from datetime import datetime
from typing import Any, Protocol

from wfc.runtime.core.advance.releasing import finish_run
from wfc.runtime.core.execution import NONE, Execution
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.driver.run.children import NO_CHILDREN, Children
from wfc.runtime.driver.run.timers import Timers
from wfc.runtime.errors import StepFailedError, WorkflowCancelledByUser, WorkflowTimeoutError
from wfc.runtime.events import StopEvent, WorkflowCancelledEvent, WorkflowFailedEvent, WorkflowTimedOutEvent
from wfc.runtime.tracing.runs import Trace

__all__ = ["end", "last_event"]

PATIENCE = 5.0
"""Seconds that steps which are cancelled have to clean up, before what they used is closed."""


class EndingRun(Protocol):
    """The interface of a run that its end uses."""

    active_at_end: Sequence[str]
    """The steps that were at work when its time was up."""

    closing: asyncio.Task[None] | None
    """What closes its resources, once it is at it."""

    @property
    def execution(self) -> Execution:
        """The run's state of execution, as data."""

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The run's event loop."""

    @property
    def clock(self) -> Callable[[], datetime]:
        """The function that returns the time of day."""

    @property
    def children(self) -> Children[Any]:
        """The runs that this run has started."""

    @property
    def timers(self) -> Timers | None:
        """The run's timers; ``None`` if it never had one."""

    @property
    def ready(self) -> MutableSequence[StepRun]:
        """The step runs that may begin, in order."""

    @property
    def trace(self) -> Trace | None:
        """The run's spans; ``None`` if there is no tracing."""

    @property
    def timeout(self) -> float | None:
        """The number of seconds that the run may take."""

    @property
    def needs_closing(self) -> bool:
        """Return whether steps have used resources that must be closed with the run."""

    def active_steps(self) -> list[str]:
        """Return the names of the steps that are running, paused, or wait to be tried again."""

    def stop_deadline(self) -> None:
        """Stop the run's deadline."""

    def carry_out_effects(self) -> None:
        """Carry out the effects of the last ticks."""

    async def close_resources(self) -> None:
        """Close the resources that the steps have used."""

    def show_end(self) -> None:
        """Show the last event to all watchers, if there are any, and close the streams."""

    def settle(self) -> None:
        """Let those know who wait for the end of the run."""

    def finish(self, tasks: set[asyncio.Task[Any]]) -> None:
        """Release the run; ``tasks`` are those that clean up after it."""


def end(run: EndingRun) -> None:
    """End a run whose execution makes no further progress: at once, or after the resources of its steps are closed."""
    execution = run.execution
    if isinstance(execution.outcome, WorkflowTimeoutError):
        run.active_at_end = run.active_steps()
    run.stop_deadline()
    if execution.paused or execution.inbox:
        finish_run(execution)
        run.carry_out_effects()
    if run.children is not NO_CHILDREN:
        run.children.stop_all()
    if run.timers is not None:
        run.timers.stop_all()
    tasks = _cancel_tasks(run) if execution.in_flight else set()
    run.ready.clear()
    execution.queues = NONE
    if run.needs_closing:
        run.closing = run.loop.create_task(_close(run, tasks))
    else:
        _conclude(run, tasks)


def _cancel_tasks(run: EndingRun) -> set[asyncio.Task[Any]]:
    """Cancel the tasks of the step runs that are under way, but for the present one; return them."""
    here = asyncio.current_task() if asyncio._get_running_loop() is run.loop else None
    in_flight = run.execution.in_flight
    tasks = {one.task for one in in_flight.values() if one.task is not None and one.task is not here}
    in_flight.clear()
    for task in tasks:
        task.cancel()
    return tasks


async def _close(run: EndingRun, tasks: set[asyncio.Task[Any]]) -> None:
    """Close the resources of the steps once these have stopped; then conclude the run."""
    try:
        if tasks:
            await asyncio.wait(tasks, timeout=PATIENCE)
        await run.close_resources()
    finally:
        _conclude(run, tasks)


def _conclude(run: EndingRun, tasks: set[asyncio.Task[Any]]) -> None:
    """Notify the caller, the parent, the engine and the watchers that the run is over.

    Args:
        tasks: The tasks that clean up after the run.
    """
    outcome = run.execution.outcome
    run.show_end()
    assert outcome is not None
    if run.trace is not None:
        run.trace.end(outcome)
    run.settle()
    run.finish(tasks)


def last_event(run: EndingRun) -> StopEvent:
    """Return the last event of the stream of a run that is over."""
    error: Any = run.execution.outcome
    if isinstance(error, StopEvent):
        return error
    if isinstance(error, WorkflowTimeoutError):
        return WorkflowTimedOutEvent(timeout=run.timeout or 0.0, active_steps=list(run.active_at_end))
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
