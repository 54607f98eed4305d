"""A store of runs in a database of a PostgreSQL server, which processes on several machines share."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

from wfc.runtime.errors import MissingPackageError, StoreError

try:
    import psycopg
except ImportError:
    raise MissingPackageError(
        "a store on PostgreSQL needs the packages dbos and psycopg: pip install 'wfc-workflows[dbos]'"
    ) from None

from wfc.runtime.store.postgresql.connection import SCHEMA, ServerConnection, checked
from wfc.runtime.store.postgresql.listening import Listener
from wfc.runtime.store.postgresql.schema import format_of, prepare, prepare_calls
from wfc.runtime.store.postgresql.workers import BEAT, ServerWorkers, beat, hold_session
from wfc.runtime.store.sql.connection import Connection
from wfc.runtime.store.sql.database import on_one_line
from wfc.runtime.store.sql.inbox import has_news
from wfc.runtime.store.sql.journal import SqlJournal
from wfc.runtime.store.sql.places import free_what_was_left
from wfc.runtime.values.addresses import secrets_of, without_password

__all__ = ["PostgresJournal"]


class PostgresJournal(SqlJournal):
    """A store of runs in a database of a server.

    Args:
        address: The database, as ``postgresql://user@host:5432/database``.
        is_new_allowed: Whether the tables may be created.

    Raises:
        StoreError: The server cannot be reached, or the tables are none of ours.
    """

    errors = (psycopg.Error,)
    has_queue = True

    def __init__(self, address: str, *, is_new_allowed: bool = True) -> None:
        self.address = checked(address)
        shown = without_password(self.address)
        try:
            reader = ServerConnection(self.address)
            with contextlib.ExitStack() as opened:
                opened.callback(reader.close)
                if not is_new_allowed and not format_of(reader):
                    raise StoreError(f"there is no store at {shown}")
                prepare(reader)
                opened.pop_all()  # only what cannot be used is closed
        except psycopg.Error as error:
            said = on_one_line(error)
            for secret in secrets_of(self.address):  # a misspelt address has it where a port should be
                said = said.replace(secret, "…")
            raise StoreError(f"the store {shown} cannot be opened: {said}") from None
        owner = f"{socket.gethostname()}-{os.getpid()}-{os.urandom(6).hex()}"
        self.workers: ServerWorkers
        super().__init__(shown, owner, ServerWorkers(), BEAT)
        self._reader = reader
        self._listener: Listener | None = None
        self._hearer: tuple[asyncio.AbstractEventLoop, Callable[[], None]] | None = None
        self._taker: Callable[[], None] | None = None
        self._takes = False

    def _connect(self) -> ServerConnection:
        return ServerConnection(self.address)

    def _connect_writer(self) -> ServerConnection:
        connection = self._connect()
        try:
            hold_session(connection, self.owner)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect_calls(self) -> ServerConnection:
        connection = self._connect()
        try:
            prepare_calls(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _lock_calls(self, connection: Connection, name: str) -> float:
        connection.lock(f"wfc call {name}")
        found = connection.execute("SELECT extract(epoch FROM clock_timestamp())").fetchone()
        return float(found[0])

    # --- the processes that share the database

    def _beat(self, connection: Connection) -> None:
        beat(connection, self.owner, takes=self._takes)
        free_what_was_left(connection)
        if self._hearer is not None and has_news(connection, self.owner):
            self._heard(self.owner)

    def _leave(self, connection: Connection) -> None:
        self.workers.forget(connection, self.owner)
        connection.tell(self.owner)  # which wakes the listener

    def _heard(self, told: str | None) -> None:
        """Pass on, in the listener's thread, that something was posted."""
        hearer, taker = self._hearer, self._taker
        if hearer is not None and told in {None, self.owner}:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits there any more
                hearer[0].call_soon_threadsafe(hearer[1])
        if taker is not None and not told:
            taker()

    def listen(self, loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
        """Call a function in a loop whenever something may have been posted to a run of this process."""
        self._hearer = loop, call
        self._start_listening()

    def listen_for_due(self, call: Callable[[], None]) -> None:
        """Call a function, in a thread, whenever something may have been posted to a run that nobody has."""
        self._taker = call
        self._start_listening()

    def _start_listening(self) -> None:
        if self._listener is None:
            self._listener = Listener(self._connect, self._heard)

    def stop_listening(self) -> None:
        """Call nothing any more."""
        self._hearer = self._taker = None
        if self._listener is not None:
            self._listener.end()

    @contextlib.contextmanager
    def claiming(self) -> Iterator[None]:
        """Let others know that this process claims what is due, so that they may leave runs to it."""
        self._known()
        self._takes = True
        self.write_now(self._beat)
        try:
            yield
        finally:
            self._takes = False
            with contextlib.suppress(StoreError):  # its beats end soon, which says the same
                self.write_now(self._beat)

    def is_alive(self, owner: str) -> bool:
        """Return whether a process is at work."""
        return self._read(lambda connection: self.workers.is_alive(connection, owner))

    def has_workers(self) -> bool:
        """Return whether a live process claims what is due."""
        return self._read(self.workers.is_any_taking)

    # --- upkeep

    def close(self) -> None:
        """Write what is left, give back the runs of this process, and close the connections."""
        self.stop_listening()
        super().close()
        if self._listener is not None:
            self._listener.join(1.0)

    @property
    def format(self) -> int:
        """The format of the tables."""
        return self._read(lambda connection: int(connection.execute("SELECT format FROM meta").fetchone()[0]))

    def backup(self, path: Path | str) -> None:
        """Refuse to copy the store, which the server's own programs do.

        Raises:
            StoreError: Always.
        """
        raise StoreError(
            f"a store on PostgreSQL is copied by the server's own programs: "
            f"pg_dump --schema={SCHEMA} --file={path} and the address"
        )
