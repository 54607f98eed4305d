"""A store of runs in one file, by SQLite: nothing has to be set up, and several processes may share it."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Literal

from wfc.runtime.errors import StoreError
from wfc.runtime.store.sql.call_ledger import TABLES as CALL_TABLES
from wfc.runtime.store.sql.connection import Connection, Parameters
from wfc.runtime.store.sql.journal import SqlJournal
from wfc.runtime.store.sql.places import free_what_was_left
from wfc.runtime.store.sqlite.backup import back_up
from wfc.runtime.store.sqlite.log_room import LogRoom
from wfc.runtime.store.sqlite.schema import format_of, prepare
from wfc.runtime.store.sqlite.workers import (
    LEASE,
    Doorbell,
    LocalWorkers,
    WorkerFile,
    beat,
    is_any_claiming,
    ring,
)
from wfc.runtime.values.own_folder import make_folder

__all__ = ["SqliteJournal", "Synchronous"]

Synchronous = Literal["full", "normal"]
"""What a commit survives: with ``full`` also a loss of power; with ``normal`` a crash of the process, and after a loss
of power the last moments may be missing, never more."""

PATIENCE: Final = 30.0
"""The seconds for which another program may hold the file's lock."""


class _FileConnection(sqlite3.Connection):
    """A connection to a file, of which only the owner says when a transaction begins."""

    is_broken: Final = False
    writes_alone: Final = True
    _to_ring: frozenset[int] = frozenset()  # at what ports
    workers: LocalWorkers
    room: LogRoom | None = None  # for one that is to write much

    def gave_way(self, _: BaseException) -> bool:
        """Return false: in a file one writer excludes all others."""
        return False

    def add(self, statement: str, parameters: Parameters, _: str, /) -> int | None:
        """Execute a statement that adds a row; return the row's number, or ``None``: it was there already."""
        cursor = self.execute(statement, parameters)  # older ones of SQLite do not know `RETURNING`
        return cursor.lastrowid if cursor.rowcount == 1 else None

    def begin(self, *, writes: bool) -> None:
        """Begin a transaction; one that writes has the file for itself."""
        if writes:
            self.prepare()
        self.execute("BEGIN IMMEDIATE" if writes else "BEGIN")

    def prepare(self) -> None:
        """Make room in the log for what is to be written, if that is due."""
        if self.room is not None and self.room.is_due():
            self.room.make(self)

    def lock(self, name: str) -> None:
        """Do nothing: who writes has the file."""

    def is_alive(self, owner: str) -> bool:
        """Return whether a process is at work."""
        return self.workers.is_alive(self, owner)

    def tell(self, owner: str | None) -> None:
        """Let the process that has a run hear, once this is durable, that something came into the run's inbox.

        Who takes up what is due looks for it often anyway.
        """
        for (port,) in self.execute("SELECT port FROM workers WHERE owner = ?", (owner,)):
            self._to_ring |= {port}

    def ring(self) -> None:
        """Ring at those who were to be told of what is durable now."""
        if self._to_ring:
            ports, self._to_ring = self._to_ring, frozenset()
            for port in ports:
                ring(port)


class SqliteJournal(SqlJournal):
    """A store of runs in a file.

    Args:
        path: The file, which is created if it is not there.
        synchronous: What a commit survives.
        is_new_allowed: Whether the file may be created.

    Raises:
        StoreError: The file cannot be opened, or is none of ours.
    """

    errors = (sqlite3.Error,)
    has_one_writer = _FileConnection.writes_alone

    def __init__(
        self, path: Path | str, *, synchronous: Synchronous = "full", is_new_allowed: bool = True
    ) -> None:
        self.path = Path(path).absolute()
        self._synchronous = synchronous
        self._folder = self.path.with_name(f"{self.path.name}-workers")
        if not is_new_allowed and not self.path.exists():
            raise StoreError(f"there is no store at {self.path}")
        try:
            make_folder(self.path.parent)
            reader = self._connect()
            with contextlib.ExitStack() as opened:
                opened.callback(reader.close)
                prepare(reader)
                self._file = WorkerFile(self._folder)
                opened.pop_all()  # only what cannot be used is closed
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"the store {self.path} cannot be opened: {error}") from error
        super().__init__(str(self.path), self._file.owner, LocalWorkers(self._folder), LEASE / 3)
        self._reader = reader
        self.bell = Doorbell()
        self._listener: asyncio.AbstractEventLoop | None = None

    def _connect(self) -> _FileConnection:
        connection = _opened(self.path)
        connection.workers = LocalWorkers(self._folder)
        try:
            if connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
                raise StoreError(f"the store {self.path} is in a place where SQLite cannot share a file")
            connection.execute(f"PRAGMA synchronous = {self._synchronous}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect_writer(self) -> _FileConnection:
        connection = self._connect()
        connection.room = LogRoom(self.path)
        return connection

    def _connect_calls(self) -> _FileConnection:
        # beside the file, so that no call waits for the writing of runs; nothing in it has to survive a loss of power
        connection = _opened(self._folder / "calls.db")
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            for statement in CALL_TABLES:
                connection.execute(statement.format(kind="TABLE"))
        except BaseException:
            connection.close()
            raise
        return connection

    def _lock_calls(self, connection: Connection, name: str) -> float:
        return time.time()  # who writes has the file

    def close(self) -> None:
        """Write what is left, give back the runs of this process, and close the file."""
        super().close()
        self.bell.close()
        self._file.close()

    # --- the processes that share the file

    def _beat(self, connection: Connection) -> None:
        beat(connection, self.owner, self.bell.port)
        free_what_was_left(connection)

    def _leave(self, connection: Connection) -> None:
        self.workers.forget(connection, self.owner)

    def listen(self, loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
        """Call a function in a loop whenever something may have been posted to a run of this process."""

        def rung() -> None:
            self.bell.silence()
            call()

        with contextlib.suppress(NotImplementedError):  # there are loops that wait for no sockets
            loop.add_reader(self.bell.socket, rung)
            self._listener = loop

    def stop_listening(self) -> None:
        """Call nothing any more."""
        if self._listener is not None and not self._listener.is_closed():
            self._listener.remove_reader(self.bell.socket)

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
        return [*self._read(_damage), *super().problems()]

    def backup(self, path: Path | str) -> None:
        """Copy the store as it is at one moment, while runs go on.

        Raises:
            StoreError: The copy cannot be written, or there is a file already.
        """
        back_up(self._connect, Path(path))


def _opened(path: Path) -> _FileConnection:
    return sqlite3.connect(
        path,
        timeout=PATIENCE,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
        factory=_FileConnection,
    )


def _damage(connection: Connection) -> list[str]:
    """Return what SQLite finds wrong with the file, in words."""
    said = [row[0] for row in connection.execute("PRAGMA integrity_check")]
    return [f"the file is damaged: {one}" for one in said if one != "ok"]
