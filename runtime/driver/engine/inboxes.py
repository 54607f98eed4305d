"""What is posted to the stored runs of a process: their inboxes are read when a bell rings."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any, Final, Protocol

from wfc.runtime.driver.engine.awaited import AwaitedEnds, KnownWorkflows
from wfc.runtime.driver.engine.posted import take_item
from wfc.runtime.driver.gates import StoredAdmission
from wfc.runtime.driver.run import Run
from wfc.runtime.errors import StoreError, WorkflowError
from wfc.runtime.store.sql.journal import SqlJournal

__all__ = ["Inboxes"]

BEFORE_IT_BEGINS: Final = ("place", "cancel")
"""What a run takes that may not begin yet."""


class LiveRuns(KnownWorkflows, Protocol):
    """The part of an engine that knows its live runs."""

    def run(self, run_id: str) -> Run | None:
        """Return the live run with an id."""

    def rests(self, run: Run) -> None:
        """Be told that nothing happens in a run before somebody answers, or a timer fires."""


class Inboxes:
    """The inboxes of the stored runs of one process.

    Args:
        later: Lets something be done soon, in the running loop.

    ``awaited`` has those runs that wait for the ends of others, of which their inboxes tell them.
    """

    def __init__(
        self,
        journal: SqlJournal,
        registry: LiveRuns,
        later: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._journal = journal
        self._registry = registry
        self._later = later
        self._loop: asyncio.AbstractEventLoop | None = None  # which hears the bell
        self._reading: Counter[str] = Counter()  # the ids of runs whose inboxes are being read
        self.awaited = AwaitedEnds(journal, registry, self.take_soon, later)

    def close(self) -> None:
        """Hear no bell any more."""
        self.awaited.close()
        self._journal.stop_listening()

    def is_reading(self, run: Run) -> bool:
        """Return whether the inbox of a run is being read."""
        return run.run_id in self._reading

    def listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Let an event loop hear when somebody has posted something."""
        if self._loop is None or self._loop.is_closed():
            self._loop = loop
            self._journal.listen(loop, self._rung)

    def _rung(self) -> None:
        with contextlib.suppress(StoreError):  # the next sign of life of this process rings again
            self._take_what_was_posted()

    def _take_what_was_posted(self) -> None:
        self.awaited.look()
        for run_id in self._journal.addressed():
            run = self._registry.run(run_id)
            if run is not None and not run.loop.is_closed():
                run.loop.call_soon_threadsafe(self.take_soon, run)

    def take_soon(self, run: Run) -> None:
        """Let a run take what was posted to it, soon; until then it does not rest."""
        self._reading[run.run_id] += 1
        self._later(self._take_posted_first(run))

    async def _take_posted_first(self, run: Run) -> None:
        try:
            with contextlib.suppress(StoreError):  # as above
                await self.take_posted(run)
        finally:
            self._reading[run.run_id] -= 1
            if not self._reading[run.run_id]:
                del self._reading[run.run_id]
            self._registry.rests(run)

    async def take_posted(self, run: Run) -> None:
        """Let a run take what was posted to it; what does not fit is dropped, and said."""
        port = run.port
        assert port is not None
        for number, item in await self._journal.posted(port.lease):
            if run.waits_for_its_turn and item.kind not in BEFORE_IT_BEGINS:
                continue  # it takes the rest when it has begun
            if run.execution.outcome is not None or run.is_done or port.is_parking or not port.take(number):
                continue  # what is put to rest is due again by what was posted; what ends takes nothing more
            try:
                if item.kind == "place":
                    if isinstance(run.passage, StoredAdmission):
                        run.passage.let_in()
                elif item.kind == "end":
                    self.awaited.take(run, item.body)
                else:
                    take_item(run, item)
            except WorkflowError as error:
                run.loop.call_exception_handler({"message": "what was posted is refused", "exception": error})
