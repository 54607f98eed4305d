"""The interface of a connection to a database, as far as the statements of a store need it.

All statements are written once, in the SQL that SQLite and PostgreSQL share, with ``?`` or ``:name`` for parameters.
Several processes write to a server at once, and must lock the rows that they decide by; in a file one writer excludes
all others. So such a statement ends with ``/* FOR UPDATE */`` or ``/* FOR SHARE */``: a comment to SQLite, and taken
for what it says by the connection to PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

__all__ = ["Connection", "Cursor", "Parameters", "StoreWorkers"]

Parameters = Sequence[Any] | Mapping[str, Any]
"""The values of a statement's parameters."""


class Cursor(Protocol):
    """The rows that a statement has found."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""

    def fetchone(self) -> Any:
        """Return the next row, or ``None``."""

    def fetchall(self) -> list[Any]:
        """Return all rows that are left."""

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the rows that are left."""


class Connection(Protocol):
    """A connection within a transaction."""

    @property
    def writes_alone(self) -> bool:
        """Whether nobody else can write before a transaction that writes has ended."""

    def execute(self, statement: str, parameters: Parameters = ..., /) -> Cursor:
        """Execute a statement."""

    def add(self, statement: str, parameters: Parameters, number: str, /) -> int | None:
        """Execute a statement that adds a row; return the row's number, or ``None``: it was there already.

        Args:
            number: The name of the column that numbers the rows.
        """

    def executemany(self, statement: str, parameters: Iterable[Sequence[Any]], /) -> Cursor:
        """Execute a statement once for each of several parameters."""

    def lock(self, name: str) -> None:
        """Let nobody else go on who locks the same name, until the transaction ends."""

    def is_alive(self, owner: str) -> bool:
        """Return whether a process is at work."""

    def tell(self, owner: str | None) -> None:
        """Let the process that has a run hear, once this is durable, that something came into the run's inbox.

        Args:
            owner: Who has the run; ``None``: nobody, so that whoever takes up what is due hears of it.
        """


class StoreWorkers(Protocol):
    """The processes that work on a store."""

    def is_alive(self, connection: Connection, owner: str) -> bool:
        """Return whether a process is at work."""

    def forget(self, connection: Connection, owner: str) -> None:
        """Forget a process that is gone."""
