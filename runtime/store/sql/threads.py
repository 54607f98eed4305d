"""Threads in a database: what they hold, and the run that has each of them."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from wfc.runtime.store.sql.connection import Connection
from wfc.runtime.store.threads import ThreadKey

__all__ = ["StoredThreads"]


class StoredThreads:
    """Threads in the database of a store; see ``KeptThreads``.

    Args:
        write: Makes a change in a transaction of its own, and returns what it returns once that is durable.
    """

    def __init__(self, write: Callable[[Callable[[Connection], Any]], Awaitable[Any]]) -> None:
        self._write = write

    async def take(self, thread: ThreadKey, holder: str) -> str | None:
        """Return what a thread holds, which is the holder's from now on; ``None``: another run has it."""
        found: str | None = await self._write(
            partial(_take, thread=thread, holder=holder, now=time.time_ns())
        )
        return found

    async def read(self, thread: ThreadKey) -> str:
        """Return what a thread holds; empty, if there is nothing."""
        found: str | None = await self._write(partial(_text, thread=thread, now=time.time_ns()))
        return found or ""

    async def put(self, thread: ThreadKey, holder: str, text: str, seconds: float | None) -> None:
        """Keep what a thread holds from now on, and let others have it; do nothing if it is not the holder's."""
        now = time.time_ns()
        until = None if seconds is None else now + int(seconds * 1_000_000_000)
        await self._write(partial(_put, thread=thread, holder=holder, text=text, until=until, now=now))


def _take(connection: Connection, thread: ThreadKey, holder: str, now: int) -> str | None:
    connection.execute(
        "INSERT INTO threads (name, key, body) VALUES (?, ?, '') ON CONFLICT (name, key) DO NOTHING", thread
    )
    connection.execute(
        """UPDATE threads SET holder = ? WHERE name = ? AND key = ? AND (holder IS NULL OR holder = ? OR NOT EXISTS
            (SELECT 1 FROM runs WHERE runs.run_id = threads.holder AND runs.ended IS NULL))""",
        (holder, *thread, holder),
    )
    found = connection.execute("SELECT holder FROM threads WHERE name = ? AND key = ?", thread).fetchone()
    return (_text(connection, thread, now) or "") if found[0] == holder else None


def _text(connection: Connection, thread: ThreadKey, now: int) -> str | None:
    found = connection.execute(
        "SELECT body FROM threads WHERE name = ? AND key = ? AND (until IS NULL OR until > ?)",
        (*thread, now),
    ).fetchone()
    return None if found is None else str(found[0])


def _put(
    connection: Connection, thread: ThreadKey, holder: str, text: str, until: int | None, now: int
) -> None:
    connection.execute(
        "UPDATE threads SET holder = NULL, body = ?, until = ? WHERE name = ? AND key = ? AND holder = ?",
        (text, until, *thread, holder),
    )
    connection.execute("DELETE FROM threads WHERE until < ? AND holder IS NULL", (now,))
