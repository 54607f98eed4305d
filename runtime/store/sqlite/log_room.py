"""Room for the log of a file (its ``-wal``), made beforehand: commits that need not make it longer are much faster.

A commit with full syncs that makes the log longer changes the file system's own records too, which must be durable as
well. SQLite writes a log that is long enough from its beginning again and again.
"""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Final

__all__ = ["ROOMS", "LogRoom"]

ROOMS: Final = ((2, 128_000), (16, 512_000), (70, 2_000_000), (300, 2_000_000))
"""After how many commits of a process its log gets room for how many bytes.

Small commits, of two pages, have used up one room when the next is due. Room for many costs more than it gives to a
process that makes few.
"""

ENOUGH: Final = 4_000_000
"""The bytes of a log that needs no room: about what SQLite lets it grow to (1,000 pages) before it begins anew."""

SPARE: Final = 100_000_000
"""The bytes that are to be free on the disk; else no room is made."""


class LogRoom:
    """The room in the log of one file, for a process that writes.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = path.with_name(f"{path.name}-wal")
        self._commits = 0
        self._rooms = list(ROOMS)  # those that have not been made

    def is_due(self) -> bool:
        """Count a commit, and return whether room is to be made before it."""
        self._commits += 1
        return bool(self._rooms) and self._commits > self._rooms[0][0]

    def make(self, connection: sqlite3.Connection) -> None:
        """Make the log longer, unless it is long enough, or another process has the file just now.

        What does not fit into the memory of a transaction is written to the log; undone, it is room for others.
        Where it cannot be written, as by a bound on what somebody may store, it is not tried again.
        """
        _, size = self._rooms[0]
        try:
            is_full = shutil.disk_usage(self._path.parent).free < SPARE
            if is_full or self._log.stat().st_size >= ENOUGH or _write_and_undo(connection, size):
                del self._rooms[0]
        except (sqlite3.Error, OSError):
            self._rooms.clear()


def _write_and_undo(connection: sqlite3.Connection, size: int) -> bool:
    """Return whether the file could be written: nobody else has it."""
    memory, patience = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("cache_size", "busy_timeout")
    )
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.Error:
        return False
    finally:
        connection.execute(f"PRAGMA busy_timeout = {patience}")
    connection.execute("PRAGMA cache_size = 8")
    try:
        connection.execute("INSERT INTO blobs (digest, body) VALUES ('', zeroblob(?))", (size,))
    finally:
        if connection.in_transaction:  # a full disk has ended it
            connection.execute("ROLLBACK")
        connection.execute(f"PRAGMA cache_size = {memory}")
    return True
