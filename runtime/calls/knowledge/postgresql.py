"""What collections have in databases of PostgreSQL servers, by psycopg."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, Final

from wfc.runtime.calls.knowledge.definition import UnreadableError
from wfc.runtime.errors import MissingPackageError
from wfc.runtime.values.addresses import SERVERS, secrets_of

try:
    import psycopg
except ImportError:
    raise MissingPackageError(
        'databases of PostgreSQL need a package that is not installed: pip install "wfc-workflows[postgresql]"'
    ) from None

__all__ = ["rows_of"]

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
    """Tell what goes wrong without the password."""
    try:
        yield
    except psycopg.Error as error:
        said = " ".join(str(error).split())
        for secret in secrets_of(address):
            said = said.replace(secret, "…")
        raise UnreadableError(f"the query cannot be answered: {said}") from None
