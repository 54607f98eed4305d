"""Workers: tasks that take step runs from a run's queue, one after the other.

A step that does not wait needs no task of its own and no iteration of the event loop. While a worker waits
inside a step, another takes over; nothing polls.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio import CancelledError, Task
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import Context as Variables
from contextvars import copy_context
from functools import partial
from typing import Any, Protocol

from wfc.runtime.core.advance import advance
from wfc.runtime.core.moments import SECOND
from wfc.runtime.core.step_runs import Exit, StepRun
from wfc.runtime.core.ticks import Cancelled, Completed, Tick
from wfc.runtime.driver.current_step import enter_run
from wfc.runtime.driver.run.attempts import AttemptingRun, failed_attempt, make_attempt, settle
from wfc.runtime.errors import RunLostError, SnapshotError, StepError, WorkflowRuntimeError
from wfc.runtime.store.port import Port
from wfc.runtime.tracing.runs import Trace

__all__ = ["Workers"]

TURN = SECOND // 200
"""How long a worker may keep the event loop for itself, as the run counts moments."""

MOST_IN_A_TURN = 1000
"""Step runs after which a worker gives others a turn, also where a clock stands still or was put back."""

_EAGER = sys.version_info >= (3, 12)


class HaltedAttempts(Protocol):
    """The interface of a run's breakpoints that workers use."""

    def attempt(self, step_run: StepRun) -> Awaitable[Tick]:
        """Start an attempt, once the run is not halted."""


class WorkingRun(AttemptingRun, Protocol):
    """The interface of a run that workers use."""

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The run's event loop."""

    @property
    def future(self) -> asyncio.Future[Any]:
        """The future of the run's end."""

    @property
    def now(self) -> Callable[[], int]:
        """The function that returns the moment, as the run counts moments."""

    @property
    def trace(self) -> Trace | None:
        """The run's spans; ``None`` if there is no tracing."""

    @property
    def port(self) -> Port | None:
        """The run's port to its journal; ``None`` in memory."""

    @property
    def ready(self) -> deque[StepRun]:
        """The step runs that may begin, in order."""

    @property
    def breakpoints(self) -> HaltedAttempts | None:
        """The run's breakpoints; ``None`` if it has none."""

    @property
    def has_begun(self) -> bool:
        """Whether the run has taken its start event."""

    def start(self) -> None:
        """Take the start event, and the events sent since then."""

    def apply(self, tick: Tick) -> None:
        """Apply a tick and carry out its effects, except starting step runs."""

    def carry_out(self) -> None:
        """Carry out the effects of the last ticks, except starting step runs."""

    def cancel(self, reason: str = ...) -> None:
        """End the run at once."""

    def abandon(self, error: Exception) -> None:
        """Stop all that is under way here; nothing of it is recorded."""


class Workers:
    """The workers of one run."""

    __slots__ = ("_handing_over", "_idle", "_resting", "_run", "_variables", "bare")

    def __init__(self, run: WorkingRun) -> None:
        self._run = run
        self.bare = True  # nobody looks on and nothing is doubled, so the shortest way may be taken
        self._handing_over = False
        self._resting = False
        self._idle: asyncio.Future[None] | None = None  # what a worker waits for while something is recorded
        self._variables: Variables | None = None

    def spawn(self, work: Coroutine[Any, Any, None], **options: Any) -> None:
        """Start a task with its own copy of the context variables from the start of the run."""
        if self._variables is None:
            self._variables = copy_context()
        # not `loop.create_task`, whose factory may be eager
        Task(work, loop=self._run.loop, context=self._variables.copy(), **options)

    def wake(self) -> None:
        """Schedule ready step runs for the loop's next iteration, unless a worker takes them before."""
        idle = self._idle
        if idle is not None:
            self._idle = None
            if not idle.done():
                idle.set_result(None)
        elif not self._handing_over:
            self._handing_over = True
            self._run.loop.call_soon(self._hand_over)

    def release(self) -> None:
        """Let the worker that waits while something is recorded go on; it ends if there is nothing to do."""
        idle, self._idle = self._idle, None
        if idle is not None and not idle.done():
            idle.set_result(None)

    def _hand_over(self) -> None:
        """Spawn workers for the remaining step runs, if all other workers wait inside a step or are idle."""
        ready = self._run.ready
        if not self._resting:
            if _EAGER:
                while ready:
                    self.spawn(self.work(), eager_start=True)
            else:
                for _ in range(len(ready)):
                    self.spawn(self.work())
        self._handing_over = False

    async def work(self, *, begin: bool = False) -> None:
        """Execute step runs until none is ready; the first worker of a run begins it."""
        run = self._run
        execution, ready, now, port = run.execution, run.ready, run.now, run.port
        task: Task[Any] | None = asyncio.current_task()
        assert task is not None
        current, variables = enter_run(run), copy_context()
        try:
            if begin and not run.has_begun:
                run.start()
            while ready:
                until = now() + TURN
                for _ in range(MOST_IN_A_TURN):
                    step_run = ready.popleft()
                    if ready and not self._handing_over:
                        self.wake()
                    step_run.task, current.step_run = task, step_run
                    step = step_run.step
                    try:
                        if step.plain and self.bare:
                            assert step.action is not None
                            tick: Tick = Completed(step_run.number, await step.action(run, step_run, None))
                        else:
                            make = self._attempt_with_others if step.shares_events else self.attempt
                            tick = await make(step_run)
                    except BaseException as error:
                        if self._is_known(step_run, error):
                            return
                        tick = self._failure(step_run, task, error)
                    step_run.task = None
                    if port is None:
                        at = now()
                        advance(execution, tick, at)
                    else:
                        self._record(port, step_run, tick)
                        at = execution.at
                    if (execution.effects or execution.outcome is not None) and self._is_over():
                        return
                    if copy_context() != variables or task.cancelling():
                        # the step left something behind in this task, and the next one shall not find it
                        self.wake()
                        return
                    if not ready or at > until:
                        break
                if ready:
                    await self._rest()
                elif port is not None and self._idle is None and port.is_recording:
                    # most step runs begin once that is recorded: to wait here spares a task for each
                    self._idle = asyncio.Future(loop=run.loop)
                    await self._idle
        except CancelledError:
            if execution.outcome is None:
                self._stop("the event loop cancelled the run")
            raise
        except Exception as error:  # a mistake of ours, which must not leave the run hanging
            run.apply(Cancelled(_mistake(error)))

    def _stop(self, reason: str) -> None:
        """End a run whose event loop ends; one with a journal goes on from there, in another process."""
        run = self._run
        if run.port is None:
            run.cancel(reason)
        else:
            run.abandon(RunLostError(reason))
        _seen(run.future)  # the loop is about to end: nobody will ask

    def _is_over(self) -> bool:
        """Carry out what the last tick has made happen; return whether the run is over."""
        self._run.carry_out()
        return self._run.execution.outcome is not None

    async def _rest(self) -> None:
        """Give others a turn of the event loop; this run's step runs that are ready wait for it."""
        self._resting = True
        await asyncio.sleep(0)
        self._resting = False

    def _attempt_with_others(self, step_run: StepRun) -> Awaitable[Tick]:
        """Start an attempt; steps that take the same event start before its result is there."""
        for other in self._run.ready:
            if other.event is not step_run.event:
                break
            self.spawn(self.work())
        return self.attempt(step_run)

    def attempt(self, step_run: StepRun) -> Awaitable[Tick]:
        """Start an attempt: with the run's breakpoints, if it has any."""
        breakpoints = self._run.breakpoints
        return self.attempt_at_once(step_run) if breakpoints is None else breakpoints.attempt(step_run)

    def attempt_at_once(self, step_run: StepRun) -> Awaitable[Tick]:
        """Start an attempt, in a span of its own where the run is traced."""
        run = self._run
        if run.trace is None:
            return make_attempt(run, step_run)
        return run.trace.attempt(partial(make_attempt, run), step_run)

    def _is_known(self, step_run: StepRun, error: BaseException) -> bool:
        """Return whether an exception is how a step took the end of its run, or its own cancellation."""
        if self._run.execution.outcome is not None:
            return True
        if step_run.exit is Exit.DROPPED and isinstance(error, Exception | CancelledError):
            self.wake()  # it was cancelled, and its task with it
            return True
        return False

    def _failure(self, step_run: StepRun, task: Task[Any], error: BaseException) -> Tick:
        """Return the tick for a step that raised an exception.

        Raises:
            BaseException: The exception is not the step's own: the loop or the process is ending.
        """
        if isinstance(error, Exception):
            return self._failed(step_run, error)
        run = self._run
        if not isinstance(error, CancelledError):
            told = f"{type(error).__name__} ended the run"
            if run.port is None:
                run.apply(Cancelled(WorkflowRuntimeError(told)))
            else:
                run.abandon(RunLostError(told))
            task.add_done_callback(_seen)  # the process ends by it, and nobody will ask the task
            raise error
        if task.cancelling():
            raise error
        return self._failed(step_run, StepError("cancelled", "something that it waited for was cancelled"))

    def _record(self, port: Port, step_run: StepRun, tick: Tick) -> None:
        """Apply and record the tick of a step run; where it cannot be written, the step has failed by that."""
        try:
            port.apply(tick)
        except SnapshotError as refused:
            self._refused(step_run, refused)

    def _refused(self, step_run: StepRun, refused: SnapshotError) -> None:
        run = self._run
        try:
            settle(run, step_run, refused, run.apply)
        except SnapshotError as error:  # so is even the error of that
            told = str(error).encode("ascii", "backslashreplace").decode()
            run.apply(Cancelled(WorkflowRuntimeError(f"step `{step_run.step.name}`: {told}")))

    def _failed(self, step_run: StepRun, error: Exception) -> Tick:
        run = self._run
        tick = failed_attempt(run, step_run, error)
        return tick if run.trace is None else run.trace.settled(step_run, tick)


def _mistake(error: Exception) -> WorkflowRuntimeError:
    """Return the error with which a run ends after a mistake of ours."""
    failed = WorkflowRuntimeError(f"the runtime failed: {type(error).__name__}: {error}")
    failed.__cause__ = error
    return failed


def _seen(future: asyncio.Future[Any]) -> None:
    """Retrieve a future's exception, so that asyncio does not report it as never retrieved."""
    if future.done() and not future.cancelled():
        future.exception()
