"""A store of runs in an SQL database: what is written, claimed, posted and read, whatever database it is."""

from __future__ import annotations

import asyncio
import contextlib
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from wfc.runtime.errors import StoreError
from wfc.runtime.store.crash_points import CRASHES, reach
from wfc.runtime.store.journal import Claim, Entry, Fate, Kept, Lease, Posted
from wfc.runtime.store.sql import claiming, inbox, reading, selecting
from wfc.runtime.store.sql.altering import alter
from wfc.runtime.store.sql.call_ledger import StoredLedger
from wfc.runtime.store.sql.connection import Connection, StoreWorkers
from wfc.runtime.store.sql.database import Database
from wfc.runtime.store.sql.memories import StoredMemories
from wfc.runtime.store.sql.pruning import forget_run, problems_in, prune_run
from wfc.runtime.store.sql.reading import RunRow, TaskRow
from wfc.runtime.store.sql.selecting import DueRun
from wfc.runtime.store.sql.threads import StoredThreads
from wfc.runtime.store.sql.writer import StoreConnection

__all__ = ["SqlJournal"]

T = TypeVar("T")


class SqlJournal(Database):
    """A store of runs in a database, open in this process.

    Args:
        name: What messages call it.
        owner: What this process is known by in the store.
        workers: The processes that work on the store.
        interval: The seconds between two signs of life of this process.
    """

    has_queue: ClassVar[bool] = False
    """Whether workers take its runs from a queue that they share."""

    def __init__(self, name: str, owner: str, workers: StoreWorkers, interval: float) -> None:
        super().__init__(name, owner, interval)
        self.workers = workers
        self.threads = StoredThreads(self.write)
        self.memories = StoredMemories(self.write, self._read)
        self.calls = StoredLedger(name, owner, self._connect_calls, self._lock_calls)

    # --- what differs from database to database

    @abstractmethod
    def _connect_calls(self) -> StoreConnection:
        """Open a connection to the tables of limited calls, which are created if they are not there."""

    @abstractmethod
    def _lock_calls(self, connection: Connection, name: str) -> float:
        """Let nobody else decide about what is called so until the transaction ends; return the moment in seconds."""

    @abstractmethod
    def _leave(self, connection: Connection) -> None:
        """Write that this process is gone."""

    @abstractmethod
    def listen(self, loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
        """Call a function in a loop whenever something may have been posted to a run of this process."""

    @abstractmethod
    def stop_listening(self) -> None:
        """Call nothing any more."""

    @abstractmethod
    def claiming(self) -> contextlib.AbstractContextManager[None]:
        """Let others know that this process claims what is due, so that they may leave runs to it."""

    @abstractmethod
    def has_workers(self) -> bool:
        """Return whether a live process claims what is due."""

    @property
    @abstractmethod
    def format(self) -> int:
        """The format of the database."""

    @abstractmethod
    def backup(self, path: Path | str) -> None:
        """Copy the store as it is at one moment, while runs go on.

        Raises:
            StoreError: The copy cannot be written, or there is a file already.
        """

    # --- the end

    def close(self) -> None:
        """Write what is left, give back the runs of this process, and close the database."""
        self.calls.close()
        if self._is_known:
            with contextlib.suppress(StoreError):  # then it counts as gone when its signs of life stop
                self.write_now(self._give_back)
        self._finish()

    def _give_back(self, connection: Connection) -> None:
        connection.execute(  # by an index: who has a run, has a live one
            "UPDATE runs SET owner = NULL WHERE ended IS NULL AND status = 'live' AND owner = ?",
            (self.owner,),
        )
        self._leave(connection)

    # --- runs and who has them

    async def claim(self, most: int = 1, run_id: str | None = None) -> list[Claim]:
        """Claim runs that nobody has: those that are due, or the one with an id.

        Raises:
            StoreError: The store cannot be written.
        """
        return await self.write(lambda connection: self._claim(connection, most, run_id))

    def _claim(self, connection: Connection, most: int, run_id: str | None) -> list[Claim]:
        return claiming.claim(connection, self.workers, self.owner, most, run_id, self.told)

    async def alter(self, entries: Sequence[Entry]) -> None:
        """Write entries of runs that nobody works on, also of those that are over, in one commit; see ``altering``.

        Raises:
            Lost: Somebody works on one of them, or has changed it since it was read.
            StoreError: The store cannot be written.
        """
        await self.write(lambda connection: alter(connection, self.workers, self.owner, entries))
        if CRASHES:
            reach("altered")

    async def let_go(self, run_id: str) -> None:
        """Give back a run that this process has and does nothing with any more, as its store had failed.

        Raises:
            StoreError: The store cannot be written.
        """
        await self.write(lambda connection: claiming.let_go(connection, self.owner, run_id))

    async def release(self, lease: Lease) -> None:
        """Give a run back, so that others may claim it.

        Raises:
            StoreError: The store cannot be written.
        """
        await self.write(lambda connection: claiming.release(connection, self.owner, [lease]))

    def has_due(self) -> bool:
        """Return whether a run waits to be claimed: due, not begun, or left by a process that is gone."""
        return self._read(partial(claiming.has_due, workers=self.workers, owner=self.owner))

    def wake_next(self) -> int | None:
        """Return the moment at which the next parked run is due; ``None``: none is."""
        return self._read(claiming.wake_next)

    def described(self, run_id: str) -> Claim | None:
        """Return a run as a claim of it would find it, without claiming it; nothing may be appended by that."""
        return self._read(partial(claiming.described, run_id=run_id))

    def root_of(self, run_id: str) -> str | None:
        """Return the id of the run that a run goes on with, at the top; ``None``: there is no such run."""
        return self._read(partial(reading.root_of, run_id=run_id))

    def is_worked_on(self, run_id: str) -> bool:
        """Return whether a live process has a run."""
        return self._read(partial(claiming.is_worked_on, workers=self.workers, run_id=run_id))

    # --- inboxes

    async def post(self, run_id: str, item: Posted) -> Fate:
        """Put something into a run's inbox, durable when this returns, and let whoever has the run hear of it.

        Raises:
            StoreError: The store cannot be written.
        """
        fate = await self.write(partial(inbox.post, run_id=run_id, item=item))
        if CRASHES:
            reach("posted")
        return fate

    async def posted(self, lease: Lease) -> list[tuple[int, Posted]]:
        """Return what is in a run's inbox, oldest first, with the numbers of the items."""
        return await asyncio.to_thread(self._read, partial(inbox.posted, number=lease.number))

    def addressed(self) -> list[str]:
        """Return the ids of this process's runs that have something in their inbox."""
        return self._read(partial(inbox.addressed, owner=self.owner))

    # --- reading

    async def read(self, lease: Lease) -> Kept:
        """Return the journal of a run.

        Raises:
            StoreError: It has a gap, or cannot be read.
        """
        return await asyncio.to_thread(self._read, partial(reading.kept, number=lease.number))

    def runs(self, **which: Any) -> list[RunRow]:
        """Return runs, the newest first; see ``reading.runs``."""
        return self._read(lambda connection: reading.runs(connection, **which))

    def task(self, task_id: str) -> TaskRow | None:
        """Return a task, with what it is about; ``None``: there is none of that id."""
        return self._read(partial(reading.task, task_id=task_id))

    def tasks(self, **which: Any) -> list[TaskRow]:
        """Return tasks, the oldest first; see ``reading.tasks``."""
        return self._read(lambda connection: reading.tasks(connection, **which))

    def history(self, run_id: str) -> list[tuple[int, bytes]]:
        """Return all ticks of a run that are still there, with their numbers.

        Raises:
            KeyError: There is no such run.
        """
        return self._read(
            lambda connection: reading.history(connection, reading.number_of(connection, run_id))
        )

    def select(self, read: Callable[[Connection], T]) -> T:
        """Return what a function of ``selecting`` finds, all of it as of one moment.

        Raises:
            StoreError: The store cannot be read.
        """
        return self._read(read)

    def due(self, refused: Sequence[tuple[str, str]] = (), most: int = 100) -> list[DueRun]:
        """Return runs that wait for somebody to work on them; see ``selecting.due``."""
        return self._read(partial(selecting.due, workers=self.workers, versions=refused, most=most))

    def has_come_further(self, run_id: str) -> bool:
        """Return whether a run has recorded anything since it goes on; see ``selecting.has_come_further``."""
        return self._read(partial(selecting.has_come_further, run_id=run_id))

    # --- upkeep

    def problems(self) -> list[str]:
        """Return what is wrong with the store, in words; nothing if all is well."""
        return self._read(lambda connection: list(problems_in(connection)))

    async def prune(self, run_id: str) -> int:
        """Drop the ticks of a run that its snapshot makes unnecessary; return how many.

        Raises:
            StoreError: The store cannot be written.
            KeyError: There is no such run.
        """
        gone = await self.write(
            lambda connection: prune_run(connection, reading.number_of(connection, run_id))
        )
        if CRASHES and gone:
            reach("pruned")
        return gone

    async def forget(self, run_id: str) -> None:
        """Delete all that is kept of a run, and of its parts.

        Raises:
            StoreError: The store cannot be written.
            KeyError: There is no such run.
        """
        await self.write(lambda connection: forget_run(connection, reading.number_of(connection, run_id)))
