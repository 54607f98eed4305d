"""Breakpoints: a run halts before or after a step run, can be inspected and edited, and continues.

They replace the object that executes a run's attempts, so a run without breakpoints has no extra cost.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from wfc.runtime.core.halt_ticks import BreakpointsSet, Stops
from wfc.runtime.core.step_runs import Exit, StepRun
from wfc.runtime.core.ticks import Completed, Failed, ItemCompleted, Paused, Tick
from wfc.runtime.driver.run.halting_places import is_at, place_of
from wfc.runtime.driver.run.halts import Halt, HaltingRun
from wfc.runtime.errors import WorkflowValidationError
from wfc.runtime.events import Event
from wfc.runtime.plan.outcomes import All
from wfc.runtime.values.drafts import Saved

__all__ = ["Breakpoint", "Breakpoints"]

_BEGINNINGS = (Exit.ACTION, Exit.LIMIT, Exit.TIMEOUT)
"""Ways that a step run takes when it begins; the others go on with one that has paused."""

_ANY: Final = ("", 0)
"""A step run that is let go, whichever it is."""


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A place where a run halts.

    Args:
        before: A step's name: before each of its step runs. Or a place within the agent that it lets work:
            ``settle/turn 3`` is before the model's third reply, ``settle/turn 3/refund`` before a call of that tool
            in that turn, ``settle/turn/refund`` in any turn.
        after: The same: when the result of a step run has been recorded. With neither of the two: before every step
            run, and before each reply and call of agents.
        when: A condition, called with the halt that would result; the run halts only if it holds.
    """

    before: str | None = None
    after: str | None = None
    when: Callable[[Halt], bool] | None = None

    def __post_init__(self) -> None:
        if self.before is not None and self.after is not None:
            raise WorkflowValidationError("a breakpoint is before a step or after one: make two of them")


class Breakpoints:
    """The breakpoints of one run and of the agents at work in it, and the place where it has halted."""

    __slots__ = (
        "_done",
        "_let_go",
        "_passed",
        "_points",
        "_put_off",
        "_run",
        "_stands",
        "_stood",
        "_waiting",
        "_watching",
        "halt",
    )

    def __init__(self, run: HaltingRun) -> None:
        self._run = run
        run.bare = False
        self._points: tuple[Breakpoint, ...] = ()
        self._waiting: deque[tuple[Halt, asyncio.Future[None] | None]] = deque()
        self._watching: list[asyncio.Future[None]] = []
        # what step runs gave that ``run_step`` has let go; ``None``: it waits for it
        self._done: dict[tuple[str, int], tuple[Event, ...] | None] = {}
        self.halt: Halt | None = None
        self._stands = False  # whether the run was halted when it was kept, and has not been let go on
        # the step run that is let go next although it halts, by its run and its number
        self._passed: tuple[str, int] | None = None
        # where it stood within an agent when it was kept: that step run; the place, once it was let go from there
        self._stood: tuple[str, int] | None = None
        self._let_go = ""
        # requests to a stored run that is not restored yet, since it may have to wait for its turn
        self._put_off: list[Callable[[], None]] = []
        run.future.add_done_callback(lambda _: self._tell())

    def set(self, points: tuple[Breakpoint, ...]) -> None:
        """Set the breakpoints of the run, replacing all earlier ones.

        Raises:
            WorkflowStepDoesNotExistError: The workflow has no such step or place.
        """
        for name in [name for point in points for name in (point.before, point.after) if name is not None]:
            self._run.check_place(name)
        if self._puts_off(partial(self.set, points)):
            return
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
        before = [Breakpoint(before=name) for name in stops.before if name.partition("/")[0] in known]
        after = [Breakpoint(after=name) for name in stops.after if name.partition("/")[0] in known]
        self._points = (*before, *after)
        self._stands = bool(stops.at)

    def _puts_off(self, request: Callable[[], None]) -> bool:
        """Keep a request to a stored run until it is restored here; return whether it is kept."""
        if self._run.is_to_be_restored:
            self._put_off.append(request)
        return self._run.is_to_be_restored

    def do_put_off(self) -> None:
        """Fulfil the requests that came before the run was restored here."""
        put_off, self._put_off = self._put_off, []
        for request in put_off:
            request()

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
        if self.halt is None:
            return True
        noted = [self._note_held_in(run) for run in self._runs()]  # all of them, whatever is found
        return all(noted)

    def _note_held_in(self, run: HaltingRun) -> bool:
        stops, halt = run.execution.stops, self.halt
        assert halt is not None
        held = tuple(dict.fromkeys(one.number for one in self.held_in(run)))
        if run.port is None or (() if stops is None else stops.held) == held:
            return True
        if run is self._run:
            run.note_halt(halt.at, self._number_of(halt), halt.place, held)
        elif run is halt._run:
            run.note_halt(halt.at, halt.number, halt.place, held)
        else:
            run.note_halt("before", 0, "", held)  # it has halted elsewhere
        return False

    def _number_of(self, halt: Halt) -> int:
        """Return the number of a step run; for one of an agent that of its own step run that the agent works for."""
        run, number = halt._run, halt.number
        while run is not self._run and run.above is not None and (parent := run.parent) is not None:
            run, number = run.above, parent.number
        return number

    def _runs(self) -> Iterator[HaltingRun]:
        """Yield the run, and the agents at work in it."""
        waiting = [self._run]
        while waiting:
            run = waiting.pop()
            yield run
            waiting += [part for part in run.children.parts() if part.execution.plan.places is not None]

    def held_in(self, run: HaltingRun) -> list[StepRun]:
        """Return the step runs of one of the runs that are held until it continues."""
        first = [self.halt] if self.halt is not None and self.halt.at == "before" else []
        held = [*first, *(halt for halt, gate in self._waiting if gate)]
        return [halt._step_run for halt in held if halt._run is run]

    def held(self) -> list[StepRun]:
        """Return the step runs of the run itself that are held until it continues."""
        return self.held_in(self._run)

    # --- what the run does

    def attempt(self, step_run: StepRun) -> Awaitable[Tick]:
        """Execute an attempt, once the run is not halted."""
        return self.attempt_in(self._run, step_run)

    async def attempt_in(self, run: HaltingRun, step_run: StepRun) -> Tick:
        """Execute an attempt in the run or in an agent at work in it, once it is not halted."""
        held, place = partial(self.held_in, run), place_of(run, step_run)
        halt = Halt(run, held, step_run, "before", place=place)
        if self.is_halted or self._hits(halt):
            await self._wait(halt)
        try:
            tick: Tick = await run.attempt_at_once(step_run)
        except BaseException:
            self._record(halt, ())
            raise
        if isinstance(tick, Completed | Failed | ItemCompleted | Paused):
            emitted = _events(tick.emitted) if isinstance(tick, Completed) else ()
            self._record(halt, emitted)
            after = Halt(run, held, step_run, "after", emitted, place)
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
        elif halt._run.port is not None:
            self._note_held_in(halt._run)  # so that it counts as not begun, should the process end now
            self._run.loop.call_soon(self._run.rests)
        try:
            await gate
        finally:
            if entry in self._waiting:
                self._waiting.remove(entry)

    def _hits(self, halt: Halt) -> bool:
        """Return whether a breakpoint applies to a halt."""
        if halt.at == "before" and (halt.run_id, halt.number) == self._passed:
            self._passed = None
            return False
        if halt.at == "before" and (halt.attempt > 1 or halt._step_run.exit not in _BEGINNINGS):
            return False
        if halt._run is not self._run and not halt.place:
            return False  # what an agent does between its replies and calls
        if halt.at == "before" and self._passed == _ANY:
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
        names = [halt.place, halt.step] if halt._run is self._run else [halt.place]
        if halt.at == "after":
            if point.after is None or not any(is_at(point.after, name) for name in names):
                return False
        elif point.after is not None or not (
            point.before is None or any(is_at(point.before, name) for name in names)
        ):
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
        if halt._run is not self._run:
            halt._run.note_halt(halt.at, halt.number, halt.place, held)
            held = ()
        self._run.note_halt(halt.at, self._number_of(halt), halt.place or halt.step, held)
        self._run.loop.call_soon(self._tell)

    def _tell(self) -> None:
        watching, self._watching = self._watching, []
        for one in watching:
            if not one.done():
                one.set_result(None)

    def _record(self, halt: Halt, emitted: tuple[Event, ...]) -> None:
        if (halt.run_id, halt.number) in self._done:
            self._done[halt.run_id, halt.number] = emitted
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
        if self._puts_off(self.go_on):
            return
        halt, self.halt = self.halt, None
        stops = self._run.execution.stops
        if self._stands and stops is not None:  # before what was held has come as far as here
            self._stands = False
            self._let_go = stops.step if "/" in stops.step else ""
            if stops.at == "before":
                self._passed = self._stood if self._let_go else (self._run.run_id, stops.number)
            self._stood = None
            self._end_halts()
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
        self._end_halts()

    def _end_halts(self) -> None:
        """Let the runs go on that do not stand any more."""
        for run in self._runs():
            if self.halt is None or not (run in (self._run, self.halt._run) or self.held_in(run)):
                run.end_halt()
            elif run is not self._run:
                self._note_held_in(run)

    def restore_in(self, run: HaltingRun, stops: Stops) -> None:
        """Take up where an agent stood that was kept, unless the run has been let go on since."""
        stood = (run.run_id, stops.number) if stops.at == "before" and stops.number else None
        if self._stands:
            self._stood = stood or self._stood
            return
        if stood is not None and stops.step == self._let_go:
            self._passed, self._let_go = stood, ""
        if self.halt is None:
            run.end_halt()

    def step(self) -> None:
        """Let one step run go, the next one; then the run halts, wherever it is."""
        if self._puts_off(self.step):
            return
        stops = self._run.execution.stops
        stands_before = self._stands and stops is not None and stops.at == "before"
        self._points = (Breakpoint(),)
        if not stands_before and (self.halt is None or self.halt.at == "after"):
            self._passed = _ANY
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
        done = halt.run_id, halt.number
        self._done[done] = None
        self.go_on()
        await self._until(lambda: self._done[done] is not None)
        return list(self._done.pop(done) or ())


def _events(emitted: Any) -> tuple[Event, ...]:
    if isinstance(emitted, Event):
        return (emitted,)
    if isinstance(emitted, All):
        return tuple(event for one in emitted.events for event in _events(one))
    return tuple(emitted) if isinstance(emitted, list) else ()
