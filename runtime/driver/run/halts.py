"""A halted run: what can be seen of it, and edited in it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from wfc.runtime.core.body_ticks import Edited
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.halt_ticks import Place
from wfc.runtime.core.step_runs import Exit, StepRun
from wfc.runtime.core.ticks import Replaced, Tick
from wfc.runtime.driver.run.children import Children, Parent
from wfc.runtime.errors import WorkflowStepDoesNotExistError, WorkflowValidationError
from wfc.runtime.events import Event, event_name
from wfc.runtime.values.drafts import Saved, deep_changes_in, deep_draft_of, draft_of, save

__all__ = ["Halt", "HaltingRun", "PendingRun"]


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
    def above(self) -> HaltingRun | None:
        """The run that this one is a part of."""

    @property
    def parent(self) -> Parent | None:
        """The step run that has started this run, if it is not on its own."""

    @property
    def children(self) -> Children[Any]:
        """The runs that this run has started."""

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

    bare: bool
    """Whether nobody looks on and nothing is doubled, so that the shortest way may be taken."""

    def attempt_at_once(self, step_run: StepRun) -> Awaitable[Tick]:
        """Start an attempt, whether it is halted or not."""

    @property
    def port(self) -> object | None:
        """Where the run's ticks are kept."""

    def check_place(self, place: str) -> None:
        """Check a place to halt at."""

    @property
    def has_begun(self) -> bool:
        """Whether the run has taken its start event."""

    @property
    def is_to_be_restored(self) -> bool:
        """Whether it is a stored run that had begun, and has not been restored here yet."""

    def take(self, tick: Tick) -> None:
        """Apply a tick from outside, and start the step runs that are then ready."""

    def note_halt(self, at: Place, number: int, place: str, held: tuple[int, ...]) -> None:
        """Let the run's deadline stand still, and record where the run is halted."""

    def end_halt(self) -> None:
        """Let the run's deadline go on."""

    def rests(self) -> None:
        """Let the engine know that nothing happens before somebody lets the run go on."""


class Halt:
    """A halted run: no step run begins, but those that were active when it halted still finish.

    Args:
        at: Whether the run has halted before or after the step run.
        number: The number of the step run.
        step: The step's name.
        place: That, or where it is within an agent that a step lets work, such as ``settle/turn 3/refund``; empty for
            what nobody halts at.
        run_id: The id of its run, which is that of the agent there.
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
        "place",
        "problem",
        "run_id",
        "step",
    )

    def __init__(
        self,
        run: HaltingRun,
        held: Callable[[], list[StepRun]],
        step_run: StepRun,
        at: Literal["before", "after"],
        emitted: tuple[Event, ...] = (),
        place: str = "",
    ) -> None:
        self._run = run
        self.run_id = run.run_id
        self.place = place
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
        return f"<Halt {self.at} {self.place or self.step} {self.number} of {self.run_id}>"
