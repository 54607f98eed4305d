"""A connection to PostgreSQL that takes the statements of a store as they are written for all databases."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from wfc.runtime.errors import StoreError
from wfc.runtime.store.postgresql.workers import ServerWorkers
from wfc.runtime.store.sql.connection import Cursor, Parameters
from wfc.runtime.values.addresses import SERVERS, without_password

__all__ = ["CHANNEL", "SCHEMA", "ServerConnection", "checked"]

SCHEMA: Final = "wfc"
"""The schema of our tables, so that the database may have others."""

CHANNEL: Final = "wfc"
"""The channel on which the server tells who has a run to which something was posted; nothing, if nobody has it."""

PATIENCE: Final = 10
"""The seconds within which a server must answer that somebody connects."""

STANDSTILL: Final = 3
"""The seconds after which a server ends a connection that stands still in the middle of writing, and holds locks."""

_SETTINGS: Final = (
    f"SET search_path = {SCHEMA}; SET idle_in_transaction_session_timeout = {STANDSTILL * 1000}"
).encode()
_READING: Final = (
    b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 0"
)

_LOCK: Final = re.compile(r"/\* (FOR (?:UPDATE|SHARE)(?: OF \w+)?) \*/")
_NAMED: Final = re.compile(r"(?<!:):(\w+)")


@lru_cache(maxsize=1024)
def translated(statement: str) -> bytes:
    """Return a statement with its parameters as psycopg writes them, and with the locks that it asks for."""
    found = _LOCK.sub(r"\1", statement.replace("%", "%%")).replace("?", "%s")
    return _NAMED.sub(r"%(\1)s", found).encode()


class ServerConnection:
    """A connection to a server.

    Args:
        address: Where it is, as ``postgresql://…``.

    Raises:
        psycopg.Error: It cannot be opened.
    """

    writes_alone: Final = False

    def __init__(self, address: str) -> None:
        self.raw: psycopg.Connection[tuple[Any, ...]] = psycopg.connect(
            address,
            autocommit=True,
            prepare_threshold=3,
            connect_timeout=PATIENCE,
            application_name="wfc",
            keepalives_idle=10,
            keepalives_interval=5,
            keepalives_count=3,
        )
        try:
            self.raw.execute(_SETTINGS, prepare=False)
        except BaseException:
            self.raw.close()
            raise

    @property
    def is_broken(self) -> bool:
        """Whether it is of no use any more, so that nobody knows what became of its last commit."""
        return self.raw.closed or self.raw.broken

    def gave_way(self, error: BaseException) -> bool:
        """Return whether the server has ended a transaction in favour of another one, and it may be tried anew."""
        return isinstance(error, (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure))

    def execute(self, statement: str, parameters: Parameters = (), /) -> Cursor:
        """Execute a statement."""
        return self.raw.execute(translated(statement), parameters)

    def add(self, statement: str, parameters: Parameters, number: str, /) -> int | None:
        """Execute a statement that adds a row; return the row's number, or ``None``: it was there already."""
        row = self.execute(f"{statement} RETURNING {number}", parameters).fetchone()
        return None if row is None else int(row[0])

    def executemany(self, statement: str, parameters: Iterable[Sequence[Any]], /) -> Cursor:
        """Execute a statement once for each of several parameters."""
        cursor = self.raw.cursor()
        cursor.executemany(translated(statement), parameters)
        return cursor

    def lock(self, name: str) -> None:
        """Let nobody else go on who locks the same name, until the transaction ends."""
        self.raw.execute(b"SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (name,))

    def is_alive(self, owner: str) -> bool:
        """Return whether a process is at work."""
        return ServerWorkers().is_alive(self, owner)

    def tell(self, owner: str | None) -> None:
        """Let the process that has a run hear, once this is durable, that something came into the run's inbox."""
        self.raw.execute(b"SELECT pg_notify(%s, %s)", (CHANNEL, owner or ""))

    def ring(self) -> None:
        """Do nothing: the server has told them."""

    def begin(self, *, writes: bool) -> None:
        """Begin a transaction; one that only reads sees all as of one moment."""
        self.raw.execute(b"BEGIN" if writes else _READING, prepare=False)

    def prepare(self) -> None:
        """Do nothing: there is no log to make room in."""

    def commit(self) -> None:
        """End the transaction; all of it is durable."""
        self.raw.execute(b"COMMIT")

    def rollback(self) -> None:
        """End the transaction, if there is one; nothing of it is written."""
        with contextlib.suppress(psycopg.Error):
            self.raw.execute(b"ROLLBACK")

    def close(self) -> None:
        """Close the connection."""
        self.raw.close()


def checked(address: str) -> str:
    """Return an address of a server as all that use it take it.

    Raises:
        StoreError: It is none.
    """
    for scheme in SERVERS:
        if address.startswith(scheme):
            address = SERVERS[0] + address.removeprefix(scheme)
    try:
        conninfo_to_dict(address)
    except psycopg.Error:  # whose text may have the password in it
        raise StoreError(
            f"`{without_password(address)}` is no address of a PostgreSQL database: "
            f"`postgresql://user@host:5432/database` is one"
        ) from None
    return address
