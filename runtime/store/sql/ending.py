"""The ends of runs: what follows from them for others, in the same commit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from wfc.runtime.store.journal import Ended
from wfc.runtime.store.sql import places
from wfc.runtime.store.sql.connection import Connection
from wfc.runtime.store.sql.joining import tell_waiting

__all__ = ["end", "end_together"]

CLEANING: Final = 5_000_000_000
"""The nanoseconds that the steps of a run that is over may clean up."""

_OVER: Final = (
    "UPDATE runs SET status = ?, ended = ?, outcome = ?, owner = NULL, wake_at = NULL WHERE run = ?"
)
_CONCERNED: Final = """WITH over (run) AS (VALUES {}) SELECT run FROM over
    WHERE EXISTS (SELECT 1 FROM places WHERE places.run = over.run)
    OR EXISTS (SELECT 1 FROM inbox WHERE inbox.run = over.run)
    OR EXISTS (SELECT 1 FROM followed WHERE followed.run = over.run)
    OR EXISTS (SELECT 1 FROM awaited_ends WHERE awaited_ends.run = over.run)
    OR EXISTS (SELECT 1 FROM awaited_ends WHERE awaited_ends.awaited = over.run)
    OR EXISTS (SELECT 1 FROM tasks WHERE tasks.run = over.run AND closed IS NULL)"""
"""The runs, of those whose numbers are given, for which more is to be done than to note their end."""
_MOST: Final = 128
"""Runs in one such question."""


def end(connection: Connection, number: int, row: Ended) -> None:
    """Note that a run is over, and what follows."""
    connection.execute(_OVER, (row.status, row.at, row.outcome, number))
    _follow_up(connection, number, row)


def end_together(connection: Connection, ends: Sequence[tuple[int, Ended]]) -> None:
    """Do the same for several runs, by their numbers."""
    connection.executemany(_OVER, [(row.status, row.at, row.outcome, number) for number, row in ends])
    # only now, as whoever adds anything to a run that is not over has locked that
    others = set(_concerned(connection, [number for number, _ in ends]))
    for number, row in ends:
        if number in others:
            _follow_up(connection, number, row)


def _concerned(connection: Connection, numbers: Sequence[int]) -> list[int]:
    """Return those of some runs that have places, an inbox, open tasks, or others who wait for them."""
    found: list[int] = []
    for first in range(0, len(numbers), _MOST):
        part = numbers[first : first + _MOST]
        # of few sizes, so that the database has seen the statement before
        size = 1 << (len(part) - 1).bit_length()
        rows = connection.execute(_question(size), [*part, *[part[-1]] * (size - len(part))])
        found.extend(number for (number,) in rows)
    return found


@cache
def _question(size: int) -> str:
    return _CONCERNED.format(", ".join(["(CAST(? AS BIGINT))"] * size))


def _follow_up(connection: Connection, number: int, row: Ended) -> None:
    """Do what an end means for the run's places, inbox and tasks, and for those who wait for it."""
    if row.cleans_up:
        places.leave_at(connection, number, row.at + 2 * CLEANING)
    else:
        places.leave(connection, number)
    connection.execute("DELETE FROM inbox WHERE run = ?", (number,))
    tell_waiting(connection, number)
    connection.execute(
        "UPDATE tasks SET closed = ?, because = 'cancelled' WHERE run = ? AND closed IS NULL",
        (row.at, number),
    )
