"""Breakpoints: a run halts before or after a step run, can be inspected and edited, and continues.

They replace the object that executes a run's attempts, so a run without breakpoints has no extra cost.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wfc.runtime.core.halt_ticks import BreakpointsSet, Stops
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

    __slots__ = ("_done", "_passed", "_points", "_run", "_stands", "_waiting", "_watching", "halt")

    def __init__(self, run: HaltingRun) -> None:
        self._run = run
        run.workers.bare = False
        self._points: tuple[Breakpoint, ...] = ()
        self._waiting: deque[tuple[Halt, asyncio.Future[None] | None]] = deque()
        self._watching: list[asyncio.Future[None]] = []
        # what step runs gave that ``run_step`` has let go; ``None``: it waits for it
        self._done: dict[int, tuple[Event, ...] | None] = {}
        self.halt: Halt | None = None
        self._stands = False  # whether the run was halted when it was kept, and has not been let go on
        self._passed: int | None = (
            None  # the step run that is let go next although it halts; 0: whichever it is
        )
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
        self.record()

    def record(self) -> None:
        """Record the breakpoints of a run whose ticks are kept, as far as they are steps without a condition."""
        run = self._run
        if (
            run.port is None
            or not run.has_begun
            or any(not (one.before or one.after) for one in self._points)
        ):
            return
        before = tuple(one.before for one in self._points if one.before is not None and one.when is None)
        after = tuple(one.after for one in self._points if one.after is not None and one.when is None)
        stops = run.execution.stops or Stops()
        if (stops.before, stops.after) != (before, after):
            run.take(BreakpointsSet(before, after))

    def restore(self, stops: Stops) -> None:
        """Take up the breakpoints of a run that was kept; one that was halted stays so until it is let go on."""
        known = self._run.execution.plan.by_name
        before = [Breakpoint(before=name) for name in stops.before if name in known]
        self._points = (*before, *(Breakpoint(after=name) for name in stops.after if name in known))
        self._stands = bool(stops.at)

    @property
    def is_halted(self) -> bool:
        """Whether the run has halted, here or before it was kept."""
        return self._stands or self.halt is not None

    @property
    def holds_all(self) -> bool:
        """Whether the run has halted, and all that is at work in it only waits for it to go on."""
        if not self.is_halted:
            return False
        held = {one.number for one in self.held()}
        return all(number in held for number in self._run.execution.in_flight)

    def note_held(self) -> bool:
        """Record which step runs have not begun because of the halt; return whether that was recorded already."""
        stops = self._run.execution.stops
        held = tuple(dict.fromkeys(one.number for one in self.held()))
        if stops is None or self.halt is None or stops.held == held:
            return True
        self._run.note_halt(self.halt.at, self.halt._step_run, held)
        return False

    def held(self) -> list[StepRun]:
        """Return the step runs that are held until the run continues."""
        first = [self.halt] if self.halt is not None and self.halt.at == "before" else []
        return [halt._step_run for halt in [*first, *(halt for halt, gate in self._waiting if gate)]]

    # --- what the run does

    async def attempt(self, step_run: StepRun) -> Tick:
        """Execute an attempt, once the run is not halted."""
        halt = Halt(self._run, self.held, step_run, "before")
        if self.is_halted or self._hits(halt):
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
        elif self._run.port is not None:
            self.note_held()  # so that it counts as not begun, should the process end now
            self._run.loop.call_soon(self._run.rests)
        try:
            await gate
        finally:
            if entry in self._waiting:
                self._waiting.remove(entry)

    def _hits(self, halt: Halt) -> bool:
        """Return whether a breakpoint applies to a halt."""
        if halt.at == "before" and halt.number == self._passed:
            self._passed = None
            return False
        if halt.at == "before" and (halt.attempt > 1 or halt._step_run.exit not in _BEGINNINGS):
            return False
        if halt.at == "before" and self._passed == 0:
            self._passed = None
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
        self.halt, self._stands = halt, False
        halt.reach()
        held = (halt.number,) if halt.at == "before" else ()
        self._run.note_halt(halt.at, halt._step_run, held)
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
        stops = self._run.execution.stops
        if self._stands and stops is not None:  # before what was held has come as far as here
            self._stands = False
            if stops.at == "before":
                self._passed = stops.number
            self._run.end_halt()
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
            self._run.end_halt()

    def step(self) -> None:
        """Let one step run go, the next one; then the run halts, wherever it is."""
        stops = self._run.execution.stops
        stands_before = self._stands and stops is not None and stops.at == "before"
        self._points = (Breakpoint(),)
        if not stands_before and (self.halt is None or self.halt.at == "after"):
            self._passed = 0
        self.go_on()

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
