"""Room for the log of a file (its ``-wal``), made beforehand: commits that need not make it longer are much faster.

A commit with full syncs that makes the log longer changes the file system's own records too, which must be durable as
well. SQLite writes a log that is long enough from its beginning again and again.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path
from typing import Final

__all__ = ["ROOMS", "LogRoom"]

ROOMS: Final = ((2, 128_000), (16, 512_000), (70, 2_000_000), (300, 2_000_000))
"""After how many commits of a process its log gets room for how many bytes, or as soon as the room before is used up.

Small commits, of two pages, have used it up about then. Room for many costs more than it gives to a process that makes
few.
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
        self._end = 0  # of the last room: the bytes of the log, if one was made
        self._rooms = list(ROOMS)  # those that have not been made

    def is_due(self) -> bool:
        """Count a commit, and return whether room is to be made before it."""
        self._commits += 1
        return bool(self._rooms) and (self._commits > self._rooms[0][0] or self._is_used_up())

    def _is_used_up(self) -> bool:
        try:
            return 0 < self._end < self._log.stat().st_size
        except OSError:
            return False

    def make(self, connection: sqlite3.Connection) -> None:
        """Make the log longer, unless it is long enough, or another process has the file just now.

        Where it cannot be written, as by a bound on what somebody may store, it is not tried again.
        """
        _, size = self._rooms[0]
        try:
            is_full = shutil.disk_usage(self._path.parent).free < SPARE
            if is_full or self._log.stat().st_size >= ENOUGH or self._write(connection, size):
                del self._rooms[0]
                self._end = self._log.stat().st_size
        except (sqlite3.Error, OSError):
            self._rooms.clear()

    def _write(self, connection: sqlite3.Connection, size: int) -> bool:
        """Write zeros behind the log; return whether that could be: nobody else has the file.

        For SQLite they are what the end of a longer log has left there, since they are no frames of its log: see
        "The WAL File Format" in its documentation. Nobody else writes to the log meanwhile, or begins it anew.
        """
        (patience,) = connection.execute("PRAGMA busy_timeout").fetchone()
        connection.execute("PRAGMA busy_timeout = 0")
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error:
            return False
        finally:
            connection.execute(f"PRAGMA busy_timeout = {patience}")
        try:
            with self._log.open("r+b", buffering=0) as log:
                log.seek(0, os.SEEK_END)
                if log.write(bytes(size)) < size:
                    raise OSError("the log cannot become so long")
        finally:
            connection.execute("ROLLBACK")
        return True
