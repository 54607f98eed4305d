"""A worker: it claims the runs of a store that are due, lets them go on until they end or rest, and then the next."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine
from typing import Any, Final, NamedTuple

from wfc.runtime.driver.engine.retold import LOOKS_EVERY, RetoldRuns
from wfc.runtime.driver.handler import WorkflowHandler
from wfc.runtime.driver.run import Run
from wfc.runtime.errors import RunEndedError, RunLostError, RunParkedError, StoreError, WorkflowError
from wfc.runtime.store.sql.selecting import DueRun
from wfc.runtime.values.spans import span

__all__ = ["Worker", "WorkerNote"]

Load = Callable[[DueRun], str | None]
"""Lets the engine know the code of a run; returns why there is none, or ``None``."""

PATIENCE: Final = 600
"""How often in a row a store may fail to be read before the worker gives up: about a minute."""


SUSPECT: Final = 2
"""Recoveries without coming any further after which a run is taken up alone: it may be what kills its processes."""

TRIAL: Final = 5.0
"""The seconds after which others begin beside such a run although it has not come any further."""


SLOW: Final = 1.0
"""The seconds of a commit from which on nothing is taken up beside what is under way: it would only wait."""


class WorkerNote(NamedTuple):
    """What a worker tells of a run, or of itself, without the id of one.

    Args:
        what: ``begins``, ``rests``, ``done``, ``failed``, ``cancelled``, ``lost``, ``given back`` or ``refused``; of
            itself ``held back`` or ``goes on``.
        because: Why, if there is something to say.
    """

    run_id: str
    workflow: str
    what: str
    because: str = ""


class Worker:
    """A worker on the store of an engine.

    Args:
        load: See ``Load``; asked once for each version of a workflow.
        tell: Called with what happens to each run.
        at_once: How many runs may be under way at once.
    """

    def __init__(
        self, engine: RetoldRuns, load: Load, tell: Callable[[WorkerNote], None], *, at_once: int = 100
    ) -> None:
        self._engine = engine
        self._load = load
        self._tell = tell
        self._at_once = at_once
        self._loaded: set[tuple[str, str]] = set()
        self._refused: set[tuple[str, str]] = set()  # versions whose code is not here
        self._broken: set[str] = set()  # ids of runs that cannot go on
        self._going: dict[str, asyncio.Task[None]] = {}
        self._begun: dict[str, float] = {}  # when those that are going were taken up, by the monotonic clock
        self._alone: str | None = None  # the run that is taken up alone
        self._beginning = 0  # new runs that are being recorded
        self._is_held_back = False
        self._leaves = asyncio.Event()
        self._news = asyncio.Event()  # that there is something to be looked at

    def drain(self) -> None:
        """Claim nothing any more; ``run`` returns when the runs that are under way have ended or rest."""
        self._leaves.set()
        self._news.set()

    @property
    def has_left(self) -> bool:
        """Whether it takes up no runs any more, also if it is run again."""
        return self._leaves.is_set()

    def look_now(self) -> None:
        """Look at once for what is due, as whoever calls it has just recorded something."""
        self._news.set()

    async def run(self, *, grace: float = 30.0, until_idle: bool = False) -> None:
        """Work until it is drained.

        Args:
            grace: How many seconds after that the runs have, before they are given back for others to go on.
            until_idle: Whether to return also when nothing is due and nothing is under way.

        Raises:
            StoreError: The store cannot be read for long.
        """
        failures = 0
        with self._engine.store.claiming():
            while not self._leaves.is_set():
                try:
                    self._claim_due()
                    failures = 0
                except StoreError:
                    failures += 1
                    if failures > PATIENCE:
                        raise
                if until_idle and not failures and not self._going:
                    break
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._news.wait(), LOOKS_EVERY)
                self._news.clear()
        await self._finish(grace)

    def _claim_due(self) -> None:
        """Begin with what is due, as far as there is room."""
        room = self._room()
        if room <= 0:
            return
        self._alone = None
        found = self._engine.store.due(list(self._refused), room + len(self._going) + len(self._broken))
        for due in sorted(found, key=lambda due: due.recoveries):
            if len(self._going) >= self._at_once:
                break
            if due.run_id in self._going or due.run_id in self._broken or not self._has_code(due):
                continue
            if due.recoveries >= SUSPECT:
                if not all(map(self._is_safe, self._going)):
                    break
                self._alone = due.run_id
            self._begun[due.run_id] = time.monotonic()
            self._going[due.run_id] = asyncio.create_task(self._drive(due.run_id, self._outcome(due)))
            if self._alone is not None:
                break

    def _room(self) -> int:
        """Return how many more runs may be taken up now."""
        if self._going and self._must_wait():
            return 0
        if self._alone is not None and not self._is_safe(self._alone):
            return 0
        return self._at_once - len(self._going) - self._beginning

    async def begin(self, start: Callable[[], Run]) -> Run | None:
        """Start a new run here if there is room, and return it once that is durable.

        So nobody writes first that it is to begin, looks for it, claims it and reads it.

        Raises:
            RunLostError: It could not be recorded.
        """
        if self._leaves.is_set() or self._room() <= 0:
            return None
        run = start()
        self._beginning += 1
        try:
            await asyncio.sleep(0)  # what the run does first joins the commit that creates it
            if run.port is not None:
                await run.port.settled()
        finally:
            self._beginning -= 1
        run_id, workflow = run.run_id, run.workflow._wfc.name
        self._begun[run_id] = time.monotonic()
        outcome = self._end_of(WorkflowHandler(run), run_id, workflow)
        self._going[run_id] = asyncio.create_task(self._drive(run_id, outcome))
        return run

    def _must_wait(self) -> bool:
        """Return whether the store is so slow that no more is taken up; tell of it when that has changed."""
        delay = self._engine.store.delay
        if (delay > SLOW) != self._is_held_back:
            self._is_held_back = not self._is_held_back
            slow = f"a commit to the store takes {span(round(delay, 1))}: nothing is taken up beside what is under way"
            self._tell(WorkerNote("", "", *(("held back", slow) if self._is_held_back else ("goes on",))))
        return self._is_held_back

    def _is_safe(self, run_id: str) -> bool:
        """Return whether a run has not been taken up just now: it has come further, or has had some time."""
        begun = self._begun.get(run_id)
        if begun is None or time.monotonic() - begun > TRIAL:
            return True
        return self._engine.store.has_come_further(run_id)

    def _has_code(self, due: DueRun) -> bool:
        version = due.workflow, due.version
        if version not in self._loaded and version not in self._refused:
            reason = self._load(due)
            (self._loaded if reason is None else self._refused).add(version)
            if reason is not None:
                self._tell(WorkerNote(due.run_id, due.workflow, "refused", reason))
        return version in self._loaded

    async def _drive(self, run_id: str, outcome: Coroutine[Any, Any, WorkerNote]) -> None:
        try:
            self._tell(await outcome)
        finally:
            del self._going[run_id]
            del self._begun[run_id]

    async def _outcome(self, due: DueRun) -> WorkerNote:
        """Let a run go on until it ends or rests; return how."""
        run_id, workflow = due.run_id, due.workflow
        try:
            handler = await self._engine.resume(run_id)
        except (RunEndedError, RunLostError) as error:  # another process was faster
            return WorkerNote(run_id, workflow, "lost", str(error))
        except WorkflowError as error:
            if isinstance(error.__cause__, self._engine.store.errors):  # which says nothing of the run
                await self._let_go(run_id)
                return WorkerNote(run_id, workflow, "lost", str(error))
            self._broken.add(run_id)
            return WorkerNote(run_id, workflow, "refused", str(error))
        return await self._end_of(handler, run_id, workflow)

    async def _end_of(self, handler: WorkflowHandler[Any], run_id: str, workflow: str) -> WorkerNote:
        """Wait until a run that goes on here ends or rests; return how."""
        self._tell(WorkerNote(run_id, workflow, "begins"))
        parking = None if handler.is_done() else asyncio.ensure_future(self._engine.park(run_id))
        try:
            await handler
        except RunParkedError:
            return WorkerNote(run_id, workflow, "rests")
        except RunLostError as error:
            await self._let_go(run_id)
            return WorkerNote(run_id, workflow, "lost", str(error))
        except WorkflowError as error:
            try:
                status = self._engine.show(run_id).status
            except StoreError:
                status = "live"
            return WorkerNote(run_id, workflow, status if status != "live" else "lost", str(error))
        finally:
            if parking is not None:
                parking.cancel()
                with contextlib.suppress(WorkflowError, asyncio.CancelledError):
                    await parking
        return WorkerNote(run_id, workflow, "done")

    async def _let_go(self, run_id: str) -> None:
        """Give back a run that is lost here, as soon as the store can be written: nobody may have it now."""
        while not self._leaves.is_set():
            try:
                await self._engine.store.let_go(run_id)
            except StoreError:
                await asyncio.sleep(LOOKS_EVERY)
            else:
                return

    async def _finish(self, grace: float) -> None:
        """Wait for the runs that are under way; give back those that take too long."""
        going = dict(self._going)
        if not going:
            return
        _, late = await asyncio.wait(going.values(), timeout=grace)
        for run_id, task in going.items():
            if task in late and (run := self._engine.run(run_id)) is not None:
                self._tell(WorkerNote(run_id, run.workflow._wfc.name, "given back", "the worker is stopped"))
                task.cancel()
        if late:
            await asyncio.wait(late)
