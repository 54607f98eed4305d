"""Runs are put to rest in the store: they take no memory until somebody answers, or their time has come."""

from __future__ import annotations

from collections.abc import Callable, Container, Coroutine
from typing import Any

from wfc.runtime.core.moments import SECOND
from wfc.runtime.driver.engine.inboxes import Inboxes, LiveRuns
from wfc.runtime.driver.engine.kept_values import next_moment, open_tasks
from wfc.runtime.driver.gates import StoredAdmission
from wfc.runtime.driver.run import Run
from wfc.runtime.errors import RunLostError, RunParkedError, StoreError
from wfc.runtime.store.journal import Entry, Lost
from wfc.runtime.store.sql.journal import SqlJournal

__all__ = ["Resting"]

SOON = 10 * SECOND
"""A run that a timer wakes within this time is not put to rest."""


class Resting:
    """Puts the runs of one process to rest.

    Args:
        adopt: Gives a run that was in memory until now a port to the store.
        later: Lets something be done soon, in the running loop.
    """

    def __init__(
        self,
        journal: SqlJournal,
        registry: LiveRuns,
        inboxes: Inboxes,
        adopt: Callable[[Run], None],
        later: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._journal = journal
        self._registry = registry
        self._inboxes = inboxes
        self._adopt = adopt
        self._later = later

    def park(self, run: Run) -> bool:
        """Begin to write a run that rests, with its parts, and to forget it here; return whether it does rest.

        One that was in memory until now is written for the first time.

        Raises:
            SnapshotError: It cannot be written.
        """
        if run.port is not None and run.port.is_parking:  # as somebody else has asked for it too
            return True
        if isinstance(run.passage, StoredAdmission) and not run.passage.is_inside:
            return self._park_outside(run)
        every = list(dict.fromkeys([run, *_all_parts(run)]))
        if any(self._inboxes.is_reading(one) or one.children.has_news or not _rests(one) for one in every):
            return False
        if any(self._waits_here(one, every) for one in every):
            return False
        if run.breakpoints is not None and not run.breakpoints.note_held():
            return False  # it rests once that is recorded
        is_halted = run.breakpoints is not None and run.breakpoints.is_halted
        for one in every:
            if one.port is None:
                self._adopt(one)
                self._note_questions(one)
        wake_at = None if is_halted else min(filter(None, map(_wake_at, every)), default=None)
        entries = [
            one.port.park(wake_at, is_halted=is_halted and one is run)
            for one in every
            if one.port is not None
        ]
        self._later(self._park(run, entries))
        return True

    def _park_outside(self, run: Run) -> bool:
        """Begin to put a run to rest that may not begin yet; it is due when it has its places."""
        port = run.port
        if port is None or port.is_recording or run.early or self._inboxes.is_reading(run) or run.is_done:
            return False
        self._later(self._park(run, [port.rest_outside()]))
        return True

    def _waits_here(self, run: Run, parked: Container[Run]) -> bool:
        """Return whether a run waits for one that it has joined, which is under way in this process."""
        joined = (self._registry.run(one.joined) for one in run.execution.paused.values() if one.joined)
        return any(one is not None and not one.is_done and one not in parked for one in joined)

    def _note_questions(self, run: Run) -> None:
        """Record the open questions of a run that was in memory until now."""
        assert run.port is not None
        for row in open_tasks(run.execution):
            run.port.note(row)

    async def _park(self, run: Run, entries: list[Entry]) -> None:
        try:
            await self._journal.append_together(entries)
        except (Lost, StoreError) as error:
            run.abandon(RunLostError(str(error)))
        else:
            told = f"the run {run.run_id} rests in its store until somebody answers, or its time has come"
            if run.breakpoints is not None and run.breakpoints.is_halted:
                told = f"the run {run.run_id} has halted, and rests in its store until it is resumed"
            run.abandon(RunParkedError(told, run.run_id))


def _all_parts(run: Run) -> list[Run]:
    return [found for part in run.children.parts() for found in (part, *_all_parts(part))]


def _rests(run: Run) -> bool:
    """Return whether nothing happens in a run, apart from its parts, before somebody answers or a timer fires."""
    execution = run.execution
    soon = run.now() + SOON
    is_halted = run.breakpoints is not None and run.breakpoints.is_halted  # then it does not wake by itself
    if not is_halted and any(due < soon for due in execution.due_at.values()):
        return False
    if run.port is not None:  # a part that has just been restored begins a moment later
        return run.has_begun and run.port.is_idle
    return run.has_begun and execution.outcome is None and not execution.in_flight and not run.early


def _wake_at(run: Run) -> int | None:
    return next_moment(run.execution)
