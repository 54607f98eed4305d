"""A store of runs in one file, by SQLite: nothing has to be set up, and several processes may share it."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from wfc.runtime.errors import StoreError
from wfc.runtime.store.crash_points import CRASHES, reach
from wfc.runtime.store.journal import Claim, Entry, Fate, Kept, Lease, Lost, Posted, Then
from wfc.runtime.store.sqlite import claiming, inbox, reading, selecting
from wfc.runtime.store.sqlite.appending import append
from wfc.runtime.store.sqlite.backup import back_up
from wfc.runtime.store.sqlite.pruning import forget_run, problems_in, prune_run
from wfc.runtime.store.sqlite.reading import RunRow, TaskRow
from wfc.runtime.store.sqlite.schema import format_of, prepare
from wfc.runtime.store.sqlite.selecting import DueRun
from wfc.runtime.store.sqlite.workers import (
    LEASE,
    Doorbell,
    WorkerFile,
    beat,
    is_any_claiming,
    ring,
)
from wfc.runtime.store.sqlite.writer import Job, Writer

__all__ = ["RunRow", "SqliteJournal", "Synchronous", "TaskRow"]

T = TypeVar("T")

Synchronous = Literal["full", "normal"]
"""What a commit survives: with ``full`` also a loss of power; with ``normal`` a crash of the process, and after a loss
of power the last moments may be missing, never more."""

PATIENCE: Final = 30.0
"""The seconds for which another program may hold the file's lock."""


class SqliteJournal:
    """A store of runs in a file.

    Args:
        path: The file, which is created if it is not there.
        synchronous: What a commit survives.
        is_new_allowed: Whether the file may be created.

    Raises:
        StoreError: The file cannot be opened, or is none of ours.
    """

    def __init__(
        self, path: Path | str, *, synchronous: Synchronous = "full", is_new_allowed: bool = True
    ) -> None:
        self.path = Path(path).absolute()
        self._synchronous = synchronous
        self._folder = self.path.with_name(f"{self.path.name}-workers")
        self._lock = threading.Lock()
        if not is_new_allowed and not self.path.exists():
            raise StoreError(f"there is no store at {self.path}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._reader = self._connect()
            with contextlib.ExitStack() as opened:
                opened.callback(self._reader.close)
                prepare(self._reader)
                self._file = WorkerFile(self._folder)
                opened.pop_all()  # only what cannot be used is closed
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"the store {self.path} cannot be opened: {error}") from error
        self.owner = self._file.owner
        self.bell = Doorbell()
        self._writer = Writer(self._connect, partial(beat, owner=self.owner, port=self.bell.port), LEASE / 3)
        self._is_known = False
        self._gathered: dict[
            asyncio.AbstractEventLoop, list[Job]
        ] = {}  # what was appended in this turn of a loop

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        try:
            if connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
                raise StoreError(f"the store {self.path} is in a place where SQLite cannot share a file")
            connection.execute(f"PRAGMA synchronous = {self._synchronous}")
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Write what is left, give back the runs of this process, and close the file."""
        for loop in list(self._gathered):
            self._hand_over(loop)
        if self._is_known:
            self.write_now(self._leave)
        self._writer.close()
        self.bell.close()
        self._reader.close()
        self._file.close()

    def _leave(self, connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE runs SET owner = NULL WHERE owner = ?", (self.owner,))
        connection.execute("DELETE FROM workers WHERE owner = ?", (self.owner,))

    # --- writing

    def append(self, entry: Entry, then: Then) -> None:
        """Append an entry, in order; ``then`` is called in this loop once it is durable."""
        self._known()

        def failed(error: Exception) -> None:
            if entry.lease.lost is None:
                entry.lease.lost = Lost(f"the store {self.path} cannot be written: {error}")

        def finished(lost: Lost | None, error: Exception | None) -> None:
            then(lost if error is None else entry.lease.lost)

        loop = asyncio.get_running_loop()
        gathered = self._gathered.get(loop)
        if gathered is None:
            gathered = self._gathered[loop] = []
            loop.call_soon(self._hand_over, loop)
        write = partial(append, entry=entry, owner=self.owner)
        gathered.append(Job(write, finished, loop, failed))

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        """Hand over to the writer what has come together in a turn of a loop: its thread then has Python for itself."""
        jobs = self._gathered.pop(loop, None)
        if jobs:
            self._writer.submit(jobs)

    async def append_together(self, entries: Sequence[Entry]) -> None:
        """Append entries of several runs in one commit: all of them, or none.

        Raises:
            Lost: Another process has one of the runs.
            StoreError: The store cannot be written.
        """

        def write(connection: sqlite3.Connection) -> None:
            for entry in entries:
                if (lost := append(connection, entry, self.owner)) is not None:
                    raise lost

        await self.write(write)

    async def write(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Return what a change returns, once it is durable.

        Raises:
            StoreError: It cannot be written.
        """
        self._known()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def finished(found: Any, error: Exception | None) -> None:
            if future.done():
                return
            if error is None:
                future.set_result(found)
            else:
                future.set_exception(self._as_store_error(error))

        self._hand_over(loop)  # what was appended before is written before
        self._writer.submit([Job(change, finished, loop)])
        return await future

    def write_now(self, change: Callable[[sqlite3.Connection], T]) -> T:
        """Return what a change returns, once it is durable; outside of event loops.

        Raises:
            StoreError: It cannot be written.
        """
        done = threading.Event()
        results: list[Any] = []

        def finished(found: Any, error: Exception | None) -> None:
            results.extend((found, error))
            done.set()

        self._writer.submit([Job(change, finished, None)])
        done.wait()
        if results[1] is not None:
            raise self._as_store_error(results[1])
        found: T = results[0]
        return found

    def _known(self) -> None:
        """Let others know that this process works on the store, before it owns anything."""
        if not self._is_known:
            self._is_known = True
            known = partial(beat, owner=self.owner, port=self.bell.port)
            self._writer.submit([Job(known, lambda _, __: None, None)])

    def _as_store_error(self, error: Exception) -> Exception:
        if not isinstance(error, sqlite3.Error):
            return error
        found = StoreError(f"the store {self.path} cannot be written: {error}")
        found.__cause__ = error
        return found

    # --- runs and who has them

    async def claim(self, most: int = 1, run_id: str | None = None) -> list[Claim]:
        """Claim runs that nobody has: those that are due, or the one with an id.

        Raises:
            StoreError: The store cannot be written.
        """
        return await self.write(lambda connection: self._claim(connection, most, run_id))

    def _claim(self, connection: sqlite3.Connection, most: int, run_id: str | None) -> list[Claim]:
        return claiming.claim(connection, self._folder, self.owner, most, run_id)

    async def release(self, lease: Lease) -> None:
        """Give a run back, so that others may claim it.

        Raises:
            StoreError: The store cannot be written.
        """
        await self.write(lambda connection: claiming.release(connection, self.owner, [lease]))

    def has_due(self) -> bool:
        """Return whether a run waits to be claimed: due, not begun, or left by a process that is gone."""
        return self._read(partial(claiming.has_due, folder=self._folder, owner=self.owner))

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
        return self._read(partial(claiming.is_worked_on, folder=self._folder, run_id=run_id))

    # --- inboxes

    async def post(self, run_id: str, item: Posted) -> Fate:
        """Put something into a run's inbox, durable when this returns, and ring at whoever has the run.

        Raises:
            StoreError: The store cannot be written.
        """
        fate, port = await self.write(lambda connection: inbox.post(connection, run_id, item))
        if CRASHES:
            reach("posted")
        if port is not None:
            ring(port)
        return fate

    async def posted(self, lease: Lease) -> list[tuple[int, Posted]]:
        """Return what is in a run's inbox, oldest first, with the numbers of the items."""
        return await asyncio.to_thread(self._read, partial(inbox.posted, number=lease.number))

    def addressed(self) -> list[str]:
        """Return the ids of this process's runs that have something in their inbox."""
        return self._read(partial(inbox.addressed, owner=self.owner))

    # --- reading

    def _read(self, read: Callable[[sqlite3.Connection], T]) -> T:
        try:
            with self._lock:
                self._reader.execute("BEGIN")  # so that all that is read is of one moment
                try:
                    return read(self._reader)
                finally:
                    self._reader.execute("COMMIT")
        except sqlite3.Error as error:
            raise StoreError(f"the store {self.path} cannot be read: {error}") from error

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

    def select(self, read: Callable[[sqlite3.Connection], T]) -> T:
        """Return what a function of ``selecting`` finds, all of it as of one moment.

        Raises:
            StoreError: The store cannot be read.
        """
        return self._read(read)

    def due(self, refused: Sequence[tuple[str, str]] = (), most: int = 100) -> list[DueRun]:
        """Return runs that wait for somebody to work on them; see ``selecting.due``."""
        return self._read(partial(selecting.due, folder=self._folder, versions=refused, most=most))

    @contextlib.contextmanager
    def claiming(self) -> Iterator[None]:
        """Let others know that this process claims what is due, so that they may leave runs to it."""
        file = WorkerFile(self._folder, claims=True)
        try:
            yield
        finally:
            file.close()

    def has_workers(self) -> bool:
        """Return whether a live process claims what is due."""
        return is_any_claiming(self._folder)

    # --- upkeep

    @property
    def format(self) -> int:
        """The format of the file."""
        return self._read(format_of)

    def problems(self) -> list[str]:
        """Return what is wrong with the store, in words; nothing if all is well."""
        return self._read(lambda connection: list(problems_in(connection)))

    def backup(self, path: Path | str) -> None:
        """Copy the store as it is at one moment, while runs go on.

        Raises:
            StoreError: The copy cannot be written, or there is a file already.
        """
        back_up(self._connect, Path(path))

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
