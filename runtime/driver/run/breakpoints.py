"""Breakpoints: a run halts before or after a step run, can be inspected and edited, and continues.

They replace the object that executes a run's attempts, so a run without breakpoints has no extra cost.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import Exit, StepRun
from wfc.runtime.core.ticks import Completed, Edited, Failed, ItemCompleted, Paused, Replaced, Tick
from wfc.runtime.driver.run.workers import Workers
from wfc.runtime.errors import WorkflowStepDoesNotExistError, WorkflowValidationError
from wfc.runtime.events import Event, event_name
from wfc.runtime.plan.outcomes import All
from wfc.runtime.values.drafts import Saved, deep_changes_in, deep_draft_of, draft_of, save

__all__ = ["Breakpoint", "Breakpoints", "Halt", "PendingRun"]

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


@dataclass(frozen=True, slots=True)
class PendingRun:
    """A step run that has not begun.

    Args:
        number: The step run's number in its run.
        step: The step's name.
        event: Its input: an event, a list of them, or those of a join by the position of its parameter.
    """

    number: int
    step: str
    event: Any


class HaltingRun(Protocol):
    """The interface of a run that breakpoints use."""

    @property
    def run_id(self) -> str:
        """The run's id."""

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The run's event loop."""

    @property
    def future(self) -> asyncio.Future[Any]:
        """The future of the run's end."""

    @property
    def is_done(self) -> bool:
        """Return whether the run is over."""

    @property
    def execution(self) -> Execution:
        """The run's state of execution, as data."""

    @property
    def workers(self) -> Workers:
        """The run's workers."""

    @property
    def port(self) -> object | None:
        """Where the run's ticks are kept."""

    def take(self, tick: Tick) -> None:
        """Apply a tick from outside, and start the step runs that are then ready."""

    def hold_deadline(self) -> None:
        """Let the run's deadline stand still."""

    def resume_deadline(self) -> None:
        """Let the run's deadline go on."""


class Halt:
    """A halted run: no step run begins, but those that were active when it halted still finish.

    Args:
        at: Whether the run has halted before or after the step run.
        number: The number of the step run.
        step: The step's name.
        attempt: The number of the attempt, from 1.
        emitted: After the step run: the events that it emitted.
        problem: What the breakpoint's condition raised, if it did; then the run halts in any case.
    """

    __slots__ = (
        "_edited",
        "_held",
        "_is_reached",
        "_run",
        "_step_run",
        "_to_be",
        "at",
        "attempt",
        "emitted",
        "number",
        "problem",
        "step",
    )

    def __init__(
        self,
        run: HaltingRun,
        held: Callable[[], list[StepRun]],
        step_run: StepRun,
        at: Literal["before", "after"],
        emitted: tuple[Event, ...] = (),
    ) -> None:
        self._run = run
        self._held = held
        self._step_run = step_run
        self.at = at
        self.number = step_run.number
        self.step = step_run.step.name
        self.attempt = step_run.attempt
        self.emitted = emitted
        self.problem: Exception | None = None
        self._to_be: Any = None  # the state that there will be, while the step run's tick is not taken in
        self._is_reached = False
        self._edited: tuple[Any, Any] | None = None  # what whoever looks on edits, and as it was before

    @property
    def event(self) -> Any:
        """The input of the step run; see ``PendingRun``."""
        return self._step_run.event

    @property
    def state(self) -> Any:
        """The run's state: changes to it take effect, in a run whose ticks are kept when it goes on."""
        if self._to_be is not None:
            return self._to_be
        state = self._run.execution.state
        if self._run.port is None:
            return state
        if not self._is_reached:
            return deep_draft_of(state)
        if self._edited is None:
            self._edited = deep_draft_of(state), deep_draft_of(state)
        return self._edited[0]

    def reach(self) -> None:
        """Let whoever looks on edit the state, now that the run has halted here."""
        self._is_reached = True

    def take_edits(self) -> None:
        """Record what was changed in the state of a run whose ticks are kept."""
        edited, self._edited, self._is_reached = self._edited, None, False
        if edited is not None and (saved := deep_changes_in(*edited)) is not None:
            self._run.take(Edited(None, 0, saved))

    def expect(self, saved: Saved) -> None:
        """Show the state with a change that is about to be applied; ``None``: the state as it is."""
        self._to_be = None if saved is None else save(draft_of(self._run.execution.state), saved)

    @property
    def pending(self) -> list[PendingRun]:
        """The step runs that are to begin, in their order; ``handler.cancel_step(number)`` drops one."""
        return [PendingRun(one.number, one.step.name, one.event) for one in self._pending()]

    def _pending(self) -> list[StepRun]:
        execution = self._run.execution
        queued = [one for queue in execution.queues.values() for one in queue]
        found = {one.number: one for one in [*self._held(), *execution.starting, *queued]}
        return [one for one in found.values() if one.exit is not Exit.DROPPED]

    @property
    def at_work(self) -> list[str]:
        """The names of the steps that were active when the run halted, and are not done."""
        waiting = {one.number for one in self._pending()}
        return [
            run.step.name for number, run in self._run.execution.in_flight.items() if number not in waiting
        ]

    def replace(self, number: int, event: Event) -> None:
        """Replace the event of a pending step run.

        Raises:
            WorkflowStepDoesNotExistError: There is no pending step run with that number.
            WorkflowValidationError: The step run takes several events, or its step does not accept this one.
        """
        for one in self._pending():
            if one.number == number:
                break
        else:
            raise WorkflowStepDoesNotExistError(f"no step run with the number {number} is pending")
        if not isinstance(one.event, Event):
            raise WorkflowValidationError(f"step `{one.step.name}` has joined events, which stay as they are")
        if not one.step.takes(type(event)):
            raise WorkflowValidationError(f"step `{one.step.name}` does not accept {event_name(event)}")
        self._run.take(Replaced(number, event))

    def __repr__(self) -> str:
        return f"<Halt {self.at} {self.step} {self.number} of {self._run.run_id}>"


class Breakpoints:
    """The breakpoints of one run, and the place where it has halted."""

    __slots__ = ("_attempt", "_done", "_points", "_run", "_waiting", "_watching", "halt")

    def __init__(self, run: HaltingRun) -> None:
        self._run = run
        self._attempt, run.workers.attempt = run.workers.attempt, self.attempt
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
            tick: Tick = await self._attempt(step_run)
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
