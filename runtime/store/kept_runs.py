"""A run whose ticks are kept, as far as its port asks for it: one that is under way, or is over.

A run and its port know each other. In place of a run that is over the port gets another object, in which nothing
happens, so that the run is freed as soon as nobody has it any more, and not by the collector, which goes through all
objects of the process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, Protocol

from wfc.runtime.core.effects import Effect
from wfc.runtime.core.execution import Execution
from wfc.runtime.store.journal import KeyTaken

__all__ = ["EndedRun", "KeptRun"]


class KeptRun(Protocol):
    """The interface of a run that its port uses."""

    @property
    def execution(self) -> Execution:
        """The run's state of execution, as data."""

    @property
    def now(self) -> Callable[[], int]:
        """The function that returns the moment, as the run counts moments."""

    @property
    def is_held_back(self) -> bool:
        """Whether the run has halted at a breakpoint, and all that is at work only waits for it to go on."""

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The run's event loop."""

    @property
    def needs_closing(self) -> bool:
        """Return whether steps have used resources that must be closed with the run."""

    def give_way(self, taken: KeyTaken) -> None:
        """Be told that it was not created: another run has its key."""

    def carry_out_one(self, effect: Effect) -> None:
        """Carry out an effect now."""

    def conclude(self) -> None:
        """Begin the end of the run, which its execution has come to."""

    def wake_workers(self) -> None:
        """Start the step runs that are ready, soon."""

    def go_on(self) -> None:
        """Start the step runs that are ready: now, if a worker waits for them."""

    def abandon(self, error: Exception) -> None:
        """Stop all that is under way here; nothing of it is recorded."""

    def release_worker(self) -> None:
        """Let the worker end that waits for what is recorded just now."""

    def rests(self) -> None:
        """Be told that nothing happens before somebody answers, or a timer fires."""


class EndedRun:
    """What is left of a run for its port.

    Args:
        execution: The run's state of execution at its end.
        now: Returns the moment, as the run has counted moments.
        loop: The run's event loop.
    """

    is_held_back: Final = False
    needs_closing: Final = False

    def __init__(self, execution: Execution, now: Callable[[], int], loop: asyncio.AbstractEventLoop) -> None:
        self.execution = execution
        self.now = now
        self.loop = loop

    def _ignore(self, *_: Any) -> None:
        """Do nothing: it is over."""

    give_way = carry_out_one = conclude = wake_workers = go_on = abandon = release_worker = rests = _ignore
