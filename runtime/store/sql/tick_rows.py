"""The rows of ticks, each fenced by the epoch of the lease that it was written under."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from operator import attrgetter
from typing import Any, Final

from wfc.runtime.errors import StoreError
from wfc.runtime.store.batches import Tick
from wfc.runtime.store.journal import NUMBER
from wfc.runtime.store.sql.connection import Connection, Parameters
from wfc.runtime.store.sql.writer import LARGE, MOST

__all__ = ["append_ticks", "prepared"]

_TICKS: Final = """INSERT INTO ticks (run, seq, body)
    WITH new (run, epoch, seq, body) AS (VALUES {}) SELECT new.run, new.seq, new.body FROM new CROSS JOIN runs
    WHERE runs.run = new.run AND runs.epoch = new.epoch AND runs.owner = ? /* FOR SHARE OF runs */
    ON CONFLICT DO NOTHING"""
_ROW: Final = "(CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), ?)"
_MOST: Final = 128
"""Ticks, or runs, in one statement."""
_FENCE: Final = """INSERT INTO ticks (run, seq, body)
    WITH RECURSIVE {} SELECT runs.run, new.seq, new.body FROM new
    LEFT JOIN runs ON runs.run = new.run AND runs.epoch = new.epoch AND runs.owner = {}"""
"""A tick of a run that is not this process's has no run here, so that the database refuses the whole statement."""

_FEW: Final = "new (run, epoch, seq, body) AS (VALUES {})"
_MANY: Final = _FENCE.format(
    """at (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM at WHERE n + 1 < :count),
    part (run, epoch, seq, start, stop) AS (SELECT CAST(substr(:pack, 38 * n + 1, 19) AS INTEGER),
        CAST(substr(:pack, 38 * n + 20, 19) AS INTEGER), CAST(substr(:pack, 38 * :count + 19 * n + 1, 19) AS INTEGER),
        CAST(substr(:pack, 57 * :count + 19 * n + 1, 19) AS INTEGER),
        CAST(substr(:pack, 57 * :count + 19 * n + 20, 19) AS INTEGER) FROM at),
    new (run, epoch, seq, body) AS (SELECT run, epoch, seq, substr(:pack, start, stop - start) FROM part)""",
    ":owner",
)
"""Ticks as one value: their stamps, their numbers, where their bodies begin and the last one ends, and the bodies.

Each number, of which a stamp has two, is a ``NUMBER`` of 19 characters.
"""

_STAMP: Final = attrgetter("stamp")
_REFUSED: Final = "some of these ticks are refused"


def append_ticks(connection: Connection, ticks: Sequence[Tick], owner: str) -> None:
    """Write ticks of runs that are this process's, or nothing.

    Raises:
        StoreError: One was refused, and nobody knows which.
        Exception: The same, as an error of the database.
    """
    if connection.writes_alone:
        for first in range(0, len(ticks), MOST):
            prepared(ticks[first : first + MOST], owner)(connection)
    else:
        _refuse_lost(ticks)
        _write_fenced(connection, ticks, owner)


def prepared(ticks: Sequence[Tick], owner: str) -> Callable[[Connection], None]:
    """Return what does the same by one statement, where one writer excludes all others.

    The statement is a transaction unless it is within one, and Python is free for other threads all the while. What can
    be done beforehand is done here, not in the thread that writes.
    """
    values: Parameters
    if len(ticks) < LARGE:
        statement, values = _statement_at_once(len(ticks)), [*_flat(ticks), owner]
    else:  # as one value: to hand over each of many takes Python as long as to write them takes the database
        leases, seqs, bodies = zip(*ticks, strict=True)
        starts = accumulate(map(len, bodies), initial=76 * len(ticks) + 20)
        numbers = NUMBER * (2 * len(ticks) + 1) % (*seqs, *starts)
        pack = b"".join((*map(_STAMP, leases), numbers, *bodies))
        statement, values = _MANY, {"owner": owner, "pack": pack, "count": len(ticks)}

    def write(connection: Connection) -> None:
        _refuse_lost(ticks)
        connection.execute(statement, values)

    return write


def _refuse_lost(ticks: Sequence[Tick]) -> None:
    for lease, _, _ in ticks:
        if lease.lost is not None:
            raise StoreError(_REFUSED)


def _flat(ticks: Sequence[Tick]) -> list[Any]:
    return [one for lease, seq, body in ticks for one in (lease.number, lease.epoch, seq, body)]


def _write_fenced(connection: Connection, ticks: Sequence[Tick], owner: str) -> None:
    """Write ticks by few statements, of 1, 2, 4 … rows, so that the database has seen each of them before."""
    first = 0
    while first < len(ticks):
        size = min(_MOST, 1 << (len(ticks) - first).bit_length() - 1)
        rows = ticks[first : first + size]
        cursor = connection.execute(_statement_fenced(size), [*_flat(rows), owner])
        if cursor.rowcount != size:
            raise StoreError(_REFUSED)
        first += size


@cache
def _statement_at_once(size: int) -> str:
    return _FENCE.format(_FEW.format(", ".join(["(?, ?, ?, ?)"] * size)), "?")


@cache
def _statement_fenced(size: int) -> str:
    return _TICKS.format(", ".join([_ROW] * size))
