"""Gates that admit a limited number of concurrent runs; further runs wait in order of arrival."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from threading import RLock
from typing import Any, Protocol

from wfc.runtime.driver.loops import call_soon

__all__ = ["Admission", "Gate", "GateName", "StoredAdmission"]

GateName = tuple[str, ...]
"""What a gate is for: ``key`` or ``runs``, a workflow, and the value by which its runs are counted."""

CLEANING = 5.0
"""Seconds that the steps of a run that is over may clean up before the next run has its place."""


class GatedRun(Protocol):
    """The interface of a run that gates use."""

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The run's event loop."""

    @property
    def is_done(self) -> bool:
        """Return whether the run is over."""

    def begin(self) -> None:
        """Start the run in the event loop's next iteration."""


class Gate:
    """A gate that admits at most ``most`` runs at once; ``name`` is for the owner of the gate."""

    __slots__ = ("_inside", "_waiting", "most", "name")

    def __init__(self, most: int, name: GateName | None = None) -> None:
        self.name = name
        self.most = most
        self._inside = 0
        self._waiting: deque[Admission] = deque()

    def enter(self, passage: Admission) -> bool:
        """Admit a run or put it into the queue; return whether it was admitted at once."""
        if self._inside < self.most:
            self._inside += 1
            return True
        self._waiting.append(passage)
        return False

    def leave(self) -> None:
        """Pass the place to the next waiting run that is not over."""
        while self._waiting:
            passage = self._waiting.popleft()
            if not (passage.run.is_done or passage.run.loop.is_closed()):
                call_soon(passage.run.loop, passage.go_on)
                return
        self._inside -= 1

    def forget(self, passage: Admission) -> None:
        """Remove a run from the queue."""
        if passage in self._waiting:
            self._waiting.remove(passage)

    @property
    def is_free(self) -> bool:
        """Return whether no run is admitted or waiting."""
        return not self._inside and not self._waiting


class Admission:
    """A run's passage through its gates: it begins after the last gate, and leaves all gates when it is over.

    Args:
        lock: Held while gates change, because their runs may be in different threads.
        left: Called with the gates that the run has left.
    """

    __slots__ = ("_at", "_gates", "_left", "_lock", "run")

    def __init__(
        self, run: GatedRun, gates: list[Gate], lock: RLock, left: Callable[[list[Gate]], None]
    ) -> None:
        self.run = run
        self._gates = gates
        self._at = 0
        self._lock = lock
        self._left = left

    def start(self) -> None:
        """Pass the gates that are open; begin the run if it has passed all of them."""
        with self._lock:
            while self._at < len(self._gates):
                if not self._gates[self._at].enter(self):
                    return
                self._at += 1
        self.run.begin()

    def go_on(self) -> None:
        """Continue after the gate at which the run was waiting."""
        self._at += 1
        if self.run.is_done:
            self._leave()
        else:
            self.start()

    @property
    def may_begin(self) -> bool:
        """Whether the run has passed all of its gates."""
        return self._at == len(self._gates)

    def holds(self, gate: Gate) -> bool:
        """Return whether the run has passed a gate."""
        return gate in self._gates[: self._at]

    def places(self) -> dict[GateName, int]:
        """Return what gates with names the run has passed, with how many each admits."""
        return {gate.name: gate.most for gate in self._gates[: self._at] if gate.name is not None}

    def over(self, tasks: set[asyncio.Task[Any]]) -> None:
        """Leave all gates once ``tasks``, those of the steps of the ended run, have cleaned up."""
        if not tasks:
            self._leave()
            return
        left = set(tasks)

        def done(task: asyncio.Task[Any]) -> None:
            left.discard(task)
            if not left:
                late.cancel()
                self._leave()

        late = self.run.loop.call_later(CLEANING, self._leave)
        for task in tasks:
            task.add_done_callback(done)

    def _leave(self) -> None:
        with self._lock:
            gates, self._gates = self._gates, []
            for gate in gates[: self._at]:
                gate.leave()
            for gate in gates[self._at :]:
                gate.forget(self)
            self._left(gates)


class StoredAdmission(Admission):
    """The passage of a stored run through gates that all processes of its store share, and then through its process'.

    Args:
        shared: The gates of the store, with how many each admits.
        gates: Those of the process.
        left_store: Called with the run when it has left all gates.
    """

    __slots__ = ("_left_store", "_shared", "is_inside")

    def __init__(
        self,
        run: GatedRun,
        shared: dict[GateName, int],
        gates: list[Gate],
        lock: RLock,
        left: Callable[[list[Gate]], None],
        left_store: Callable[[Any], None],
    ) -> None:
        super().__init__(run, gates, lock, left)
        self._shared = shared
        self._left_store = left_store
        self.is_inside = False

    def start(self) -> None:
        """Pass the gates of the process, once the store has let the run in."""
        if self.is_inside:
            super().start()

    def let_in(self) -> None:
        """Let the run go on, as the store has let it in."""
        if not (self.is_inside or self.run.is_done):
            self.is_inside = True
            self.start()

    @property
    def may_begin(self) -> bool:
        """Whether the run has passed all of its gates."""
        return self.is_inside and super().may_begin

    def places(self) -> dict[GateName, int]:
        """Return what gates with names the run has passed, with how many each admits."""
        return self._shared if self.is_inside else {}

    def _leave(self) -> None:
        super()._leave()
        self._left_store(self.run)
