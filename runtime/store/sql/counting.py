"""How much of everything is in a store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from wfc.runtime.store.sql.connection import Connection

__all__ = ["Counts", "counts"]


class Counts(NamedTuple):
    """How much there is; ``runs`` has the number of runs of each workflow and status."""

    runs: Sequence[tuple[str, str, int]]
    open_tasks: int
    overdue_tasks: int
    waiting_messages: int
    given_up_messages: int


def counts(connection: Connection, now: int) -> Counts:
    """Return how much there is at a moment."""
    runs = connection.execute(
        "SELECT workflow, status, count(*) FROM runs GROUP BY workflow, status ORDER BY workflow, status"
    ).fetchall()

    def number(statement: str, *values: object) -> int:
        return int(connection.execute(statement, values).fetchone()[0])

    return Counts(
        [(workflow, status, int(count)) for workflow, status, count in runs],
        number("SELECT count(*) FROM tasks WHERE closed IS NULL"),
        number("SELECT count(*) FROM tasks WHERE closed IS NULL AND expires <= ?", now),
        number("SELECT count(*) FROM messages WHERE due IS NOT NULL"),
        number("SELECT count(*) FROM messages WHERE became LIKE 'given up%'"),
    )
