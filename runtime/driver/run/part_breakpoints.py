"""The breakpoints within a run that is a part of another: they are those of the run at the top."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Generic, Protocol, TypeVar

from wfc.runtime.core.halt_ticks import Stops
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.core.ticks import Tick
from wfc.runtime.driver.run.halts import HaltingRun

__all__ = ["PartBreakpoints"]


class BreakpointsAbove(Protocol):
    """The interface of the breakpoints of the run at the top."""

    @property
    def is_halted(self) -> bool:
        """Whether it has halted."""

    def attempt_in(self, run: HaltingRun, step_run: StepRun) -> Awaitable[Tick]:
        """Execute an attempt in one of its parts, once it is not halted."""

    def held_in(self, run: HaltingRun) -> list[StepRun]:
        """Return the step runs of a part that are held until the run continues."""

    def restore_in(self, run: HaltingRun, stops: Stops) -> None:
        """Take up where a part stood that was kept."""


T = TypeVar("T", bound=BreakpointsAbove)


class PartBreakpoints(Generic[T]):
    """The breakpoints within a part of a run; ``top`` has those of the whole."""

    __slots__ = ("_run", "top")

    def __init__(self, run: HaltingRun, top: T) -> None:
        self._run = run
        self.top = top
        run.bare = False

    @property
    def is_halted(self) -> bool:
        """Whether the run at the top has halted, here or anywhere."""
        return self.top.is_halted

    @property
    def holds_all(self) -> bool:
        """Whether it has halted, and all that is at work in this part only waits for it to go on."""
        held = {one.number for one in self.top.held_in(self._run)}
        return self.is_halted and all(number in held for number in self._run.execution.in_flight)

    def attempt(self, step_run: StepRun) -> Awaitable[Tick]:
        """Execute an attempt, once the run at the top is not halted."""
        return self.top.attempt_in(self._run, step_run)

    def note_held(self) -> bool:
        """Record nothing: the run at the top does."""
        return True

    def record(self) -> None:
        """Record nothing: breakpoints are recorded with the run at the top."""

    def restore(self, stops: Stops) -> None:
        """Take up where this part stood when it was kept."""
        self.top.restore_in(self._run, stops)
