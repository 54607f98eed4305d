"""What collections have in databases of PostgreSQL servers, by psycopg: rows that are texts, and vectors."""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, Final

from wfc.runtime.calls.knowledge.definition import UnreadableError
from wfc.runtime.errors import MissingPackageError, SettingsError, StepError
from wfc.runtime.values.addresses import SERVERS, secrets_of

try:
    import psycopg
except ImportError:
    raise MissingPackageError(
        'databases of PostgreSQL need a package that is not installed: pip install "wfc-workflows[postgresql]"'
    ) from None

__all__ = ["ServerVectors", "rows_of"]

_PATIENCE: Final = 10
"""The seconds within which a server must answer that somebody connects."""
_AT_ONCE: Final = 500
"""How many rows are fetched by one request."""


def rows_of(address: str, query: str, seconds: float) -> Generator[dict[str, Any]]:
    """Yield the rows of a query, by the names of their columns, in a transaction that only reads.

    Args:
        seconds: How long each of the server's answers may take.

    Raises:
        UnreadableError: The server cannot be reached, or the query is wrong.
    """
    if not address.startswith(SERVERS):
        raise UnreadableError(
            "its address is none of a PostgreSQL database: `postgresql://user@host:5432/database` is"
        )
    with (
        _told(address),
        psycopg.connect(address, connect_timeout=_PATIENCE, application_name="wfc") as connection,
    ):
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        connection.execute("SELECT set_config('statement_timeout', %s, true)", (f"{int(seconds * 1000)}",))
        with connection.cursor(name="wfc") as cursor:
            cursor.itersize = _AT_ONCE
            cursor.execute(query.encode())  # as a cursor's declaration, which is one statement and reads
            names = [each.name for each in cursor.description or ()]
            for row in cursor:
                yield dict(zip(names, row, strict=True))


@contextmanager
def _told(address: str) -> Iterator[None]:
    """Tell why a query fails."""
    try:
        yield
    except psycopg.Error as error:
        raise UnreadableError(f"the query cannot be answered: {_without_password(error, address)}") from None


def _without_password(error: psycopg.Error, address: str) -> str:
    said = " ".join(str(error).split())
    for secret in secrets_of(address):
        said = said.replace(secret, "…")
    return said


_SETS: Final = """
CREATE SCHEMA IF NOT EXISTS wfc_vectors;
CREATE TABLE IF NOT EXISTS wfc_vectors.sets (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE)
"""
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended('wfc vectors', 0))"


class ServerVectors:
    """Sets of vectors in a database with pgvector, each in a table of its own in the schema ``wfc_vectors``.

    They are searched exactly. See `vector_stores.VectorStore`.

    Args:
        address: The database, as ``postgresql://user@host:5432/database``.

    Raises:
        SettingsError: It is no such address.
    """

    def __init__(self, address: str) -> None:
        if not address.startswith(SERVERS):
            raise SettingsError("the address of the database for vectors is none of a PostgreSQL database")
        self._address = address

    @contextmanager
    def _connected(self) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        """Give a connection, whose transaction is committed at the end.

        Raises:
            StepError: ``knowledge.vectors``.
        """
        try:
            with psycopg.connect(
                self._address, connect_timeout=_PATIENCE, application_name="wfc"
            ) as connection:
                yield connection
        except psycopg.Error as error:
            said = _without_password(error, self._address)
            raise StepError("knowledge.vectors", f"the vectors cannot be kept or searched: {said}") from None

    def write(self, name: str, vectors: Iterable[tuple[int, Sequence[float]]]) -> None:
        """Write a new set."""
        rows = iter(vectors)
        first = next(rows, None)
        size = 1 if first is None else len(first[1])
        with self._connected() as connection:
            connection.execute(_LOCK)  # what is made if it is not there may be made by one at a time
            if connection.execute("SELECT to_regtype('vector')").fetchone() == (None,):
                connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            connection.execute(_SETS)
            new = "INSERT INTO wfc_vectors.sets (name) VALUES (%s) RETURNING number"
            table = _table(connection.execute(new, (name,)).fetchone())
            connection.execute(
                f"CREATE TABLE {table} (id bigint PRIMARY KEY, vector vector({size:d}))".encode()
            )
            with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT BINARY)".encode()) as copy:
                copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
                for number, vector in chain(() if first is None else (first,), rows):
                    copy.write(_row(number, vector))
                copy.write(b"\xff\xff")

    def nearest(self, name: str, vector: Sequence[float], most: int) -> list[tuple[int, float]]:
        """Return the numbers of the nearest vectors, with their cosines, best first.

        Raises:
            LookupError: There is no set of this name.
        """
        asked = f"[{','.join(map(repr, vector))}]"
        with self._connected() as connection:
            table = self._table_of(connection, name)
            if table is None:
                raise LookupError(name)
            # of vectors of length one the product is the cosine, and of those of length zero it is a number
            product = "vector <#> %(asked)s::vector"
            nearest = f"SELECT id, -({product}) FROM {table} ORDER BY {product}, id LIMIT %(most)s"  # noqa: S608
            found = connection.execute(nearest.encode(), {"asked": asked, "most": most})
            return [(int(number), float(score)) for number, score in found]

    def names(self) -> list[str]:
        """Return the names of all sets."""
        with self._connected() as connection:
            if connection.execute("SELECT to_regclass('wfc_vectors.sets')").fetchone() == (None,):
                return []
            return [str(name) for (name,) in connection.execute("SELECT name FROM wfc_vectors.sets")]

    def drop(self, name: str) -> None:
        """Drop a set, if it is there."""
        with self._connected() as connection:
            table = self._table_of(connection, name)
            if table is not None:
                connection.execute(f"DROP TABLE {table}".encode())
                connection.execute("DELETE FROM wfc_vectors.sets WHERE name = %s", (name,))

    def _table_of(self, connection: psycopg.Connection[tuple[Any, ...]], name: str) -> str | None:
        if connection.execute("SELECT to_regclass('wfc_vectors.sets')").fetchone() == (None,):
            return None
        row = connection.execute("SELECT number FROM wfc_vectors.sets WHERE name = %s", (name,)).fetchone()
        return None if row is None else _table(row)


def _table(row: tuple[Any, ...] | None) -> str:
    assert row is not None
    return f"wfc_vectors.set_{int(row[0])}"


def _row(number: int, vector: Sequence[float]) -> bytes:
    """Return a row as binary copies have it: two fields, each behind its length, in the order of networks."""
    numbers = array("f", vector)
    if sys.byteorder == "little":
        numbers.byteswap()
    return struct.pack("!hiqihh", 2, 8, number, 4 + 4 * len(vector), len(vector), 0) + numbers.tobytes()
