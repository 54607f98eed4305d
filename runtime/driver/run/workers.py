"""Workers: tasks that take step runs from a run's queue, one after the other.

A step that does not wait needs no task of its own and no iteration of the event loop. While a worker waits
inside a step, another takes over; nothing polls.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from abc import abstractmethod
from asyncio import CancelledError, Task
from collections.abc import Awaitable
from contextvars import Context as Variables
from contextvars import copy_context
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from wfc.runtime.core.advance import advance
from wfc.runtime.core.moments import SECOND
from wfc.runtime.core.step_runs import Exit, StepRun
from wfc.runtime.core.ticks import Cancelled, Completed, Tick
from wfc.runtime.driver.current_step import enter_run
from wfc.runtime.driver.run.attempts import failed_attempt, make_attempt, settle
from wfc.runtime.driver.run.reachable import PartRun, ReachableRun
from wfc.runtime.driver.run.standstill import Standstill
from wfc.runtime.driver.run.watchers import Watchers
from wfc.runtime.errors import RunLostError, SnapshotError, StepError, WorkflowRuntimeError
from wfc.runtime.plan.inputs import RunInfo

__all__ = ["WorkingRun"]

R = TypeVar("R", bound=PartRun)

TURN = SECOND // 200
"""How long a worker may keep the event loop for itself after its first step, as the run counts moments."""

MOST_IN_A_TURN = 1000
"""Step runs after which a worker gives others a turn, also where a clock stands still or was put back."""

_EAGER = sys.version_info >= (3, 12)
_AT_ONCE: dict[str, Any] = {"eager_start": True}


class _Turns:
    """How many turns of the event loop workers have begun in a thread: more than one's own, and one has waited."""

    __slots__ = ("begun",)

    def __init__(self) -> None:
        self.begun = 0


class _Here(threading.local):
    """What each thread has for itself."""

    def __init__(self) -> None:
        self.turns = _Turns()


_HERE = _Here()


class HaltedAttempts(Protocol):
    """The interface of a run's breakpoints that workers use."""

    def attempt(self, step_run: StepRun) -> Awaitable[Tick]:
        """Start an attempt, once the run is not halted."""


class WorkingRun(ReachableRun[R], Generic[R]):
    """The part of a run that executes its step runs; ``R`` is ``Run``.

    Its workers have no object of their own: thousands of runs may be under way at once, and each object of theirs
    costs memory and time of the garbage collector.
    """

    __slots__ = ("_handing_over", "_variables", "bare")

    _resting = False
    _idle: Standstill | None = None  # what a worker waits for while something is recorded

    def _set_up(self) -> None:
        # whether nobody looks on and nothing is doubled, so that the shortest way may be taken
        self.bare = not self.doubles and self.trace is None
        self._handing_over = False
        self._variables: Variables | None = None  # as they were when the run began

    @property
    @abstractmethod
    def breakpoints(self) -> HaltedAttempts | None:
        """The run's breakpoints; ``None`` if it has none."""

    @property
    @abstractmethod
    def watchers(self) -> Watchers:
        """The run's watchers."""

    @abstractmethod
    def start(self) -> None:
        """Take the start event, and the events sent since then."""

    @abstractmethod
    def carry_out(self) -> bool:
        """Carry out the effects of the last ticks, except starting step runs; return whether the run is over."""

    @abstractmethod
    def abandon(self, error: Exception) -> None:
        """Stop all that is under way here; nothing of it is recorded."""

    @abstractmethod
    def context_of(self, step_run: StepRun) -> Any:
        """Return the context of a step run."""

    @abstractmethod
    def info_of(self, step_run: StepRun) -> RunInfo:
        """Return the value of ``run`` in a step's expressions."""

    @abstractmethod
    def part_for(self, step_run: StepRun, name: str) -> Any:
        """Return the workflow for a step's parameter; runs that it starts are parts of the step's run."""

    def spawn_worker(self, *, begin: bool = False, at_once: bool = False) -> None:
        """Start a worker, in a task with its own copy of the context variables from the start of the run.

        Args:
            begin: Whether it is to begin the run.
            at_once: Whether it works before this returns, for which there must be no task at work; from Python 3.12 on.
        """
        variables = copy_context() if self._variables is None else self._variables.copy()
        work = self._work(begin)
        # not `loop.create_task`, whose factory may be eager; and with a name, as asyncio would have to make one up
        if at_once:
            Task(work, loop=self.loop, name=self.run_id, context=variables, **_AT_ONCE)
        else:
            Task(work, loop=self.loop, name=self.run_id, context=variables)

    def wake_workers(self) -> None:
        """Schedule ready step runs for the loop's next iteration, unless a worker takes them before."""
        if self._idle is not None:
            self.release_worker()
        elif not self._handing_over:
            self._handing_over = True
            self.loop.call_soon(self._hand_over)

    def go_on(self) -> None:
        """Let a worker take the ready step runs: before this returns, if one waits. No task may be at work."""
        idle = self._idle
        if idle is None or (wake := idle.wake) is None:
            self.wake_workers()
        else:
            self._idle = idle.wake = None
            idle.context.run(wake, idle)

    def release_worker(self) -> None:
        """Let the worker that waits while something is recorded go on; it ends if there is nothing to do."""
        idle, self._idle = self._idle, None
        if idle is not None:
            idle.go_on_soon()

    def _hand_over(self) -> None:
        """Spawn workers for the remaining step runs, if all other workers wait inside a step or are idle."""
        ready = self.ready
        if _EAGER:
            while (
                ready and not self._resting
            ):  # one of them may rest, and so do all others' step runs with it
                self.spawn_worker(at_once=True)
        elif not self._resting:
            for _ in range(len(ready)):
                self.spawn_worker()
        self._handing_over = False

    async def _work(self, begin: bool) -> None:
        """Execute step runs until none is ready; the first worker of a run begins it."""
        execution, now, port = self.execution, self.now, self.port
        ready = execution.starting if port is None else port.ready
        task: Any = asyncio.current_task(self.loop)
        current, variables, turns, standstill = enter_run(self), copy_context(), _HERE.turns, None
        # those of the first worker are the start of all others'; one that comes after the end leaves none behind
        self._variables = self._variables or (variables if execution.outcome is None else None)
        try:
            if begin and not self.has_begun:
                self.start()
            while ready:
                until, turn = 0, turns.begun + 1
                turns.begun = turn
                for _ in range(MOST_IN_A_TURN):
                    step_run = ready[0]
                    del ready[0]
                    if ready and not self._handing_over:
                        self.wake_workers()
                    step, step_run.task, current.step_run = step_run.step, task, step_run
                    try:
                        tick: Tick = (
                            Completed(step_run.number, await action(self, step_run, None))
                            if step.plain and self.bare and (action := step.action) is not None
                            else await self._attempt_in_turn(step_run)
                        )
                    except BaseException as error:
                        if self._is_known(step_run, error):
                            return
                        tick = self._failure(step_run, task, error)
                    step_run.task = None
                    if port is None:
                        at = now()
                        advance(execution, tick, at)
                    else:
                        try:
                            port.apply(tick)
                        except SnapshotError as refused:
                            self._refused(step_run, refused)
                        at = execution.at
                    del tick  # else it is kept while the next step is at work
                    if (execution.effects or execution.outcome is not None) and self.carry_out():
                        return
                    if copy_context() != variables or task.cancelling():
                        # the step left something behind in this task, and the next one shall not find it
                        self.wake_workers()
                        return
                    if not ready or at > (until or (until := at + TURN)):
                        break
                if ready and turns.begun == turn:  # else others had a turn while it waited in a step
                    await self._rest()
                elif (
                    not ready and port is not None and not self._idle and (port.pending or port.is_recording)
                ):
                    # most step runs begin once that is recorded: to wait here spares a task for each, and to ask
                    # for what is pending first, a call
                    standstill = self._idle = standstill or Standstill(self.loop)
                    await standstill
        except (CancelledError, Exception) as error:
            if self._is_cancelled(error):
                raise
        finally:
            current.leave()  # timers, and runs that were started here, keep this task's variables

    def _is_cancelled(self, error: BaseException) -> bool:
        """End the run that a worker leaves by an exception; return whether its task was cancelled."""
        if not isinstance(error, Exception):
            if self.execution.outcome is None:
                self._stop("the event loop cancelled the run")
            return True
        self.apply(Cancelled(_mistake(error)))  # a mistake of ours, which must not leave the run hanging
        return False

    def _stop(self, reason: str) -> None:
        """End a run whose event loop ends; one with a journal goes on from there, in another process."""
        if self.port is None:
            self.cancel(reason)
        else:
            self.abandon(RunLostError(reason))
        _seen(self.future)  # the loop is about to end: nobody will ask

    async def _rest(self) -> None:
        """Give others a turn of the event loop; this run's step runs that are ready wait for it."""
        self._resting = True
        await asyncio.sleep(0)
        self._resting = False

    def _attempt_in_turn(self, step_run: StepRun) -> Awaitable[Tick]:
        """Start an attempt; steps that take the same event start before its result is there."""
        if step_run.step.shares_events:
            for other in self.ready:
                if other.event is not step_run.event:
                    break
                self.spawn_worker()
        return self.attempt(step_run)

    def attempt(self, step_run: StepRun) -> Awaitable[Tick]:
        """Start an attempt: with the run's breakpoints, if it has any."""
        breakpoints = self.breakpoints
        return self.attempt_at_once(step_run) if breakpoints is None else breakpoints.attempt(step_run)

    def attempt_at_once(self, step_run: StepRun) -> Awaitable[Tick]:
        """Start an attempt, in a span of its own where the run is traced."""
        if self.trace is None:
            return make_attempt(self, step_run)
        return self.trace.attempt(partial(make_attempt, self), step_run)

    def _is_known(self, step_run: StepRun, error: BaseException) -> bool:
        """Return whether an exception is how a step took the end of its run, or its own cancellation."""
        if self.execution.outcome is not None:
            return True
        if step_run.exit is Exit.DROPPED and isinstance(error, Exception | CancelledError):
            self.wake_workers()  # it was cancelled, and its task with it
            return True
        return False

    def _failure(self, step_run: StepRun, task: Task[Any], error: BaseException) -> Tick:
        """Return the tick for a step that raised an exception.

        Raises:
            BaseException: The exception is not the step's own: the loop or the process is ending.
        """
        if isinstance(error, Exception):
            return self._failed(step_run, error)
        if not isinstance(error, CancelledError):
            told = f"{type(error).__name__} ended the run"
            if self.port is None:
                self.apply(Cancelled(WorkflowRuntimeError(told)))
            else:
                self.abandon(RunLostError(told))
            task.add_done_callback(_seen)  # the process ends by it, and nobody will ask the task
            raise error
        if task.cancelling():
            raise error
        return self._failed(step_run, StepError("cancelled", "something that it waited for was cancelled"))

    def _refused(self, step_run: StepRun, refused: SnapshotError) -> None:
        """Let a step fail whose tick cannot be written, by that."""
        try:
            settle(self, step_run, refused, self.apply)
        except SnapshotError as error:  # so is even the error of that
            told = str(error).encode("ascii", "backslashreplace").decode()
            self.apply(Cancelled(WorkflowRuntimeError(f"step `{step_run.step.name}`: {told}")))

    def _failed(self, step_run: StepRun, error: Exception) -> Tick:
        tick = failed_attempt(self, step_run, error)
        return tick if self.trace is None else self.trace.settled(step_run, tick)


def _mistake(error: Exception) -> WorkflowRuntimeError:
    """Return the error with which a run ends after a mistake of ours."""
    failed = WorkflowRuntimeError(f"the runtime failed: {type(error).__name__}: {error}")
    failed.__cause__ = error
    return failed


def _seen(future: asyncio.Future[Any]) -> None:
    """Retrieve a future's exception, so that asyncio does not report it as never retrieved."""
    if future.done() and not future.cancelled():
        future.exception()
