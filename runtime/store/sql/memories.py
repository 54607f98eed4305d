"""Collections that runs write, in a database."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any

from wfc.runtime.calls.memories import (
    KeptCollection,
    NewEntry,
    Shelf,
    ShelfBounds,
    StoredEntry,
    Tidying,
    oldest,
)
from wfc.runtime.store.sql.connection import Connection

__all__ = ["StoredMemories"]


class StoredMemories:
    """Collections in the database of a store; see ``KeptMemories``.

    Args:
        write: Makes a change in a transaction of its own, and returns what it returns once that is durable.
        read: Returns what is read in one transaction.
    """

    def __init__(
        self,
        write: Callable[[Callable[[Connection], Any]], Awaitable[Any]],
        read: Callable[[Callable[[Connection], Any]], Any],
    ) -> None:
        self._write = write
        self._read = read
        self._tidying = Tidying()

    async def add(self, shelf: Shelf, entry: NewEntry, bounds: ShelfBounds) -> int:
        """Add an entry, unless it is there, and drop what is beyond the bounds; return the entry's number."""
        change = partial(_add, shelf=shelf, entry=entry, bounds=bounds, now=time.time_ns())
        number: int = await self._write(change)
        self._tidying.note(shelf.collection, bounds, time.time_ns())
        await self._tidying.after_adding(self, shelf.collection, time.time_ns())
        return number

    async def entries(self, shelf: Shelf, bounds: ShelfBounds) -> list[StoredEntry]:
        """Return what a shelf holds, the oldest first."""
        wanted = partial(_entries, shelf=shelf, bounds=bounds, now=time.time_ns())
        found: list[StoredEntry] = await asyncio.to_thread(self._read, wanted)
        self._tidying.note(shelf.collection, bounds, time.time_ns())
        return found

    async def changes(
        self, shelf: Shelf, bounds: ShelfBounds, known: AbstractSet[int]
    ) -> tuple[list[StoredEntry], AbstractSet[int]]:
        """Return the entries of a shelf that are not known by their numbers, and the numbers that it has no more."""
        wanted = partial(_changes, shelf=shelf, bounds=bounds, known=known, now=time.time_ns())
        found: tuple[list[StoredEntry], AbstractSet[int]] = await asyncio.to_thread(self._read, wanted)
        self._tidying.note(shelf.collection, bounds, time.time_ns())
        return found

    async def drop_old(self, collection: str, seconds: float, *, is_rehearsal: bool = False) -> int:
        """Drop what is older in a collection, of whichever key; return how many entries that are."""
        since = oldest(time.time_ns(), ShelfBounds(0, seconds))
        if is_rehearsal:
            counted: int = await asyncio.to_thread(
                self._read, partial(_count_old, collection=collection, since=since)
            )
            return counted
        count: int = await self._write(partial(_drop_old, collection=collection, since=since))
        return count

    async def collections(self) -> list[KeptCollection]:
        """Return what there is, by the names of collections."""
        found: list[KeptCollection] = await asyncio.to_thread(self._read, _collections)
        return found

    async def embedded(self, shelf: Shelf, vectors: Sequence[tuple[int, bytes]], embedder: str) -> None:
        """Note the vectors of entries, by their numbers."""
        await self._write(partial(_embedded, shelf=shelf, vectors=vectors, embedder=embedder))

    async def forget(self, shelf: Shelf, number: int | None = None) -> int:
        """Drop one entry of a shelf, or all of them; return how many there were."""
        count: int = await self._write(partial(_forget, shelf=shelf, number=number))
        return count


def _add(connection: Connection, shelf: Shelf, entry: NewEntry, bounds: ShelfBounds, now: int) -> int:
    connection.execute(
        """INSERT INTO memories (collection, digest, name, body, vector, embedder, at) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (collection, digest, name) DO NOTHING""",
        (*shelf, *entry, now),
    )
    found = connection.execute(
        "SELECT id FROM memories WHERE collection = ? AND digest = ? AND name = ?", (*shelf, entry.name)
    ).fetchone()
    connection.execute(
        """DELETE FROM memories WHERE collection = ? AND digest = ? AND (at <= ? OR id <= coalesce((
            SELECT id FROM memories WHERE collection = ? AND digest = ? ORDER BY id DESC LIMIT 1 OFFSET ?), -1))""",
        (*shelf, oldest(now, bounds), *shelf, bounds.entries),
    )
    return int(found[0])


def _entries(connection: Connection, shelf: Shelf, bounds: ShelfBounds, now: int) -> list[StoredEntry]:
    rows = connection.execute(
        """SELECT id, body, vector, embedder, at FROM memories WHERE collection = ? AND digest = ? AND at > ?
            ORDER BY id DESC LIMIT ?""",
        (*shelf, oldest(now, bounds), bounds.entries),
    ).fetchall()
    return [
        StoredEntry(number, body, bytes(vector), embedder, at)
        for number, body, vector, embedder, at in rows[::-1]
    ]


_MOST_AT_ONCE = 500
"""How many entries are asked for by their numbers; of more all are read."""


def _changes(
    connection: Connection, shelf: Shelf, bounds: ShelfBounds, known: AbstractSet[int], now: int
) -> tuple[list[StoredEntry], AbstractSet[int]]:
    rows = connection.execute(
        "SELECT id FROM memories WHERE collection = ? AND digest = ? AND at > ? ORDER BY id DESC LIMIT ?",
        (*shelf, oldest(now, bounds), bounds.entries),
    ).fetchall()
    numbers = {number for (number,) in rows}
    new = sorted(numbers - known)
    if len(new) > _MOST_AT_ONCE:
        found = _entries(connection, shelf, bounds, now)
        return [each for each in found if each.number not in known], known - numbers
    entries = []
    for number in new:
        row = connection.execute(
            "SELECT id, body, vector, embedder, at FROM memories WHERE id = ?", (number,)
        ).fetchone()
        entries.append(StoredEntry(row[0], row[1], bytes(row[2]), *row[3:]))
    return entries, known - numbers


def _count_old(connection: Connection, collection: str, since: int) -> int:
    row = connection.execute(
        "SELECT count(*) FROM memories WHERE collection = ? AND at <= ?", (collection, since)
    ).fetchone()
    return int(row[0])


def _drop_old(connection: Connection, collection: str, since: int) -> int:
    return connection.execute(
        "DELETE FROM memories WHERE collection = ? AND at <= ?", (collection, since)
    ).rowcount


def _collections(connection: Connection) -> list[KeptCollection]:
    rows = connection.execute(
        """SELECT collection, count(DISTINCT digest), count(*), min(at), max(at) FROM memories
            GROUP BY collection ORDER BY collection"""
    ).fetchall()
    return [KeptCollection(*row) for row in rows]


def _embedded(
    connection: Connection, shelf: Shelf, vectors: Sequence[tuple[int, bytes]], embedder: str
) -> None:
    connection.executemany(
        "UPDATE memories SET vector = ?, embedder = ? WHERE collection = ? AND digest = ? AND id = ?",
        [(vector, embedder, *shelf, number) for number, vector in vectors],
    )


def _forget(connection: Connection, shelf: Shelf, number: int | None) -> int:
    if number is None:
        return connection.execute("DELETE FROM memories WHERE collection = ? AND digest = ?", shelf).rowcount
    return connection.execute(
        "DELETE FROM memories WHERE collection = ? AND digest = ? AND id = ?", (*shelf, number)
    ).rowcount
