"""The rows of ticks, each fenced by the epoch of the lease that it was written under."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any, Final

from wfc.runtime.errors import StoreError
from wfc.runtime.store.batches import Appends, Tick
from wfc.runtime.store.sql.connection import Connection

__all__ = ["MOST_AT_ONCE", "append_ticks", "write_ticks"]

_TICKS: Final = """INSERT INTO ticks (run, seq, body)
    WITH new (run, epoch, seq, body) AS (VALUES {}) SELECT new.run, new.seq, new.body FROM new CROSS JOIN runs
    WHERE runs.run = new.run AND runs.epoch = new.epoch AND runs.owner = ? /* FOR SHARE OF runs */
    ON CONFLICT DO NOTHING"""
_ROW: Final = "(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), ?)"
_MOST: Final = 128
"""Ticks, or runs, in one statement."""
_TICKS_ALONE: Final = """INSERT INTO ticks (run, seq, body)
    WITH fence (owner) AS (SELECT ?), new (run, epoch, seq, body) AS (VALUES {})
    SELECT runs.run, new.seq, new.body
    FROM new CROSS JOIN fence LEFT JOIN runs
    ON runs.run = new.run AND runs.epoch = new.epoch AND runs.owner = fence.owner
    WHERE new.run IS NOT NULL"""
"""A tick of a run that is not this process's has no run here, so that the database refuses the whole statement."""

MOST_AT_ONCE: Final = 256
"""The most ticks in one statement, where one writer excludes all others."""

_REFUSED: Final = "some of these ticks are refused"


def append_ticks(connection: Connection, batch: Appends, owner: str) -> None:
    """Write the ticks by themselves that runs append together, or nothing.

    Raises:
        StoreError: A run is lost, or as for ``write_ticks``.
        Exception: An error of the database, as for ``write_ticks``.
    """
    if batch.is_any_lost():
        raise StoreError(_REFUSED)
    write_ticks(connection, batch.ticks, owner)


def write_ticks(connection: Connection, ticks: Sequence[Tick], owner: str) -> None:
    """Write ticks of runs that are this process's, or nothing.

    Raises:
        StoreError: One was refused, and nobody knows which.
        Exception: The same, as an error of the database.
    """
    if connection.writes_alone:
        for first in range(0, len(ticks), MOST_AT_ONCE):
            _write_at_once(connection, ticks[first : first + MOST_AT_ONCE], owner)
    else:
        _write_fenced(connection, ticks, owner)


def _write_at_once(connection: Connection, ticks: Sequence[Tick], owner: str) -> None:
    """Write at most ``MOST_AT_ONCE`` ticks by one statement, which is a transaction unless it is within one.

    Python is free for other threads all the while. Statements have 1, 2, 4, 6, 8, 12, 16 … rows, the last ones empty,
    so that the database has seen each of them before.
    """
    size = 1 << (len(ticks) - 1).bit_length()
    if size > 4 and len(ticks) <= size // 4 * 3:
        size = size // 4 * 3
    values: list[Any] = [owner, *chain.from_iterable(ticks)]
    values += [None] * (4 * (size - len(ticks)))
    connection.execute(_statement_at_once(size), values)


def _write_fenced(connection: Connection, ticks: Sequence[Tick], owner: str) -> None:
    """Write ticks by few statements, of 1, 2, 4 … rows, so that the database has seen each of them before."""
    first = 0
    while first < len(ticks):
        size = min(_MOST, 1 << (len(ticks) - first).bit_length() - 1)
        rows = ticks[first : first + size]
        cursor = connection.execute(_statement_fenced(size), [*chain.from_iterable(rows), owner])
        if cursor.rowcount != size:
            raise StoreError(_REFUSED)
        first += size


@cache
def _statement_at_once(size: int) -> str:
    return _TICKS_ALONE.format(", ".join(["(?, ?, ?, ?)"] * size))


@cache
def _statement_fenced(size: int) -> str:
    return _TICKS.format(", ".join([_ROW] * size))
