"""Breakpoints: a run halts before or after a step run, can be inspected and edited, and continues.

They replace the object that executes a run's attempts, so a run without breakpoints has no extra cost.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wfc.runtime.core.step_runs import Exit, StepRun
from wfc.runtime.core.ticks import Completed, Failed, ItemCompleted, Paused, Tick
from wfc.runtime.driver.run.halts import Halt, HaltingRun
from wfc.runtime.errors import WorkflowStepDoesNotExistError, WorkflowValidationError
from wfc.runtime.events import Event
from wfc.runtime.plan.outcomes import All
from wfc.runtime.values.drafts import Saved

__all__ = ["Breakpoint", "Breakpoints"]

_BEGINNINGS = (Exit.ACTION, Exit.LIMIT, Exit.TIMEOUT)
"""Ways that a step run takes when it begins; the others go on with one that has paused."""


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A place where a run halts.

    Args:
        before: A step's name: before each of its step runs.
        after: A step's name: when the result of one of its step runs has been recorded. With neither of the
            two: before every step run.
        when: A condition, called with the halt that would result; the run halts only if it holds.
    """

    before: str | None = None
    after: str | None = None
    when: Callable[[Halt], bool] | None = None

    def __post_init__(self) -> None:
        if self.before is not None and self.after is not None:
            raise WorkflowValidationError("a breakpoint is before a step or after one: make two of them")


class Breakpoints:
    """The breakpoints of one run, and the place where it has halted."""

    __slots__ = ("_done", "_points", "_run", "_waiting", "_watching", "halt")

    def __init__(self, run: HaltingRun) -> None:
        self._run = run
        run.workers.bare = False
        self._points: tuple[Breakpoint, ...] = ()
        self._waiting: deque[tuple[Halt, asyncio.Future[None] | None]] = deque()
        self._watching: list[asyncio.Future[None]] = []
        # what step runs gave that ``run_step`` has let go; ``None``: it waits for it
        self._done: dict[int, tuple[Event, ...] | None] = {}
        self.halt: Halt | None = None
        run.future.add_done_callback(lambda _: self._tell())

    def set(self, points: tuple[Breakpoint, ...]) -> None:
        """Set the breakpoints of the run, replacing all earlier ones.

        Raises:
            WorkflowStepDoesNotExistError: The workflow has no step of a name.
        """
        for name in [name for point in points for name in (point.before, point.after) if name is not None]:
            if name not in self._run.execution.plan.by_name:
                raise WorkflowStepDoesNotExistError(f"there is no step `{name}`")
        self._points = points

    def held(self) -> list[StepRun]:
        """Return the step runs that are held until the run continues."""
        first = [self.halt] if self.halt is not None and self.halt.at == "before" else []
        return [halt._step_run for halt in [*first, *(halt for halt, gate in self._waiting if gate)]]

    # --- what the run does

    async def attempt(self, step_run: StepRun) -> Tick:
        """Execute an attempt, once the run is not halted."""
        halt = Halt(self._run, self.held, step_run, "before")
        if self.halt is not None or self._hits(halt):
            await self._wait(halt)
        try:
            tick: Tick = await self._run.workers.attempt_at_once(step_run)
        except BaseException:
            self._record(step_run, ())
            raise
        if isinstance(tick, Completed | Failed | ItemCompleted | Paused):
            emitted = _events(tick.emitted) if isinstance(tick, Completed) else ()
            self._record(step_run, emitted)
            after = Halt(self._run, self.held, step_run, "after", emitted)
            if not isinstance(tick, Paused) and self._will_hit(after, tick.saved):
                # what follows is held from now on, and the tick itself is taken in before anybody looks
                if self.halt is None:
                    self._stop(after)
                else:
                    self._waiting.append((after, None))
        return tick

    async def _wait(self, halt: Halt) -> None:
        gate: asyncio.Future[None] = self._run.loop.create_future()
        entry = halt, gate
        self._waiting.append(entry)
        if self.halt is None:
            self._stop(halt)
        try:
            await gate
        finally:
            if entry in self._waiting:
                self._waiting.remove(entry)

    def _hits(self, halt: Halt) -> bool:
        """Return whether a breakpoint applies to a halt."""
        if halt.at == "before" and (halt.attempt > 1 or halt._step_run.exit not in _BEGINNINGS):
            return False
        return any(self._is_at(point, halt) for point in self._points)

    def _will_hit(self, halt: Halt, saved: Saved) -> bool:
        """Return whether a breakpoint applies to a halt once a change of the state is made."""
        halt.expect(saved)
        hits = self._hits(halt)
        halt.expect(None)
        return hits

    def _is_at(self, point: Breakpoint, halt: Halt) -> bool:
        if halt.at == "after":
            if point.after != halt.step:
                return False
        elif point.after is not None or point.before not in {None, halt.step}:
            return False
        if point.when is None:
            return True
        try:
            return bool(point.when(halt))
        except Exception as error:
            halt.problem = error
            return True

    def _stop(self, halt: Halt) -> None:
        self.halt = halt
        halt.reach()
        self._run.hold_deadline()
        self._run.loop.call_soon(self._tell)

    def _tell(self) -> None:
        watching, self._watching = self._watching, []
        for one in watching:
            if not one.done():
                one.set_result(None)

    def _record(self, step_run: StepRun, emitted: tuple[Event, ...]) -> None:
        if step_run.number in self._done:
            self._done[step_run.number] = emitted
            self._run.loop.call_soon(self._tell)

    # --- what whoever looks on does

    async def halted(self) -> Halt | None:
        """Wait until the run halts; return the halt, or ``None`` if the run is over."""
        await self._until(lambda: self.halt is not None)
        return None if self._run.is_done else self.halt

    async def _until(self, holds: Callable[[], bool]) -> None:
        first = True
        while first or not (holds() or self._run.is_done):
            first = False
            watch: asyncio.Future[None] = self._run.loop.create_future()
            self._watching.append(watch)
            if holds() or self._run.is_done:
                self._run.loop.call_soon(self._tell)  # at the next turn, when what happened is taken in
            await watch

    def go_on(self) -> None:
        """Continue the run to the next breakpoint."""
        halt, self.halt = self.halt, None
        if halt is None:
            return
        halt.take_edits()
        self._release(halt)
        while self._waiting and self.halt is None:
            following, gate = self._waiting[0]
            if gate is None:
                self._waiting.popleft()
                self._stop(following)
            elif self._hits(following):
                self._stop(following)
            else:
                self._release(following)
        if self.halt is None:
            self._run.resume_deadline()

    def _release(self, halt: Halt) -> None:
        for entry in self._waiting:
            if entry[0] is halt:
                self._waiting.remove(entry)
                if entry[1] is not None and not entry[1].done():
                    entry[1].set_result(None)
                return

    async def run_step(self) -> list[Event] | None:
        """Execute the step run before which the run has halted, until its result is recorded.

        Returns:
            The events that it emitted; ``None`` if the run is over.
        """
        halt = await self.halted()
        if halt is None:
            return None
        if halt.at == "after":
            self.go_on()
            return await self.run_step()
        number = halt.number
        self._done[number] = None
        self.go_on()
        await self._until(lambda: self._done[number] is not None)
        return list(self._done.pop(number) or ())


def _events(emitted: Any) -> tuple[Event, ...]:
    if isinstance(emitted, Event):
        return (emitted,)
    if isinstance(emitted, All):
        return tuple(event for one in emitted.events for event in _events(one))
    return tuple(emitted) if isinstance(emitted, list) else ()
