"""The calls that are limited, counted in a database for all processes that share a store.

One thread asks it, by a connection of its own, and renews the leases of the calls of this process that are under way.
A process that is killed, or stands still, loses its places when those are over. Of the processes that wait for the
same thing each has one place in the line, so that they take turns. Nothing here has to outlive the calls.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Final, TypeVar

from wfc.runtime.calls.bindings import CallLimit
from wfc.runtime.calls.turns import Refused, Taken
from wfc.runtime.errors import StoreError
from wfc.runtime.store.sql.connection import Connection
from wfc.runtime.store.sql.writer import StoreConnection

__all__ = ["LEASE", "TABLES", "StoredLedger"]

T = TypeVar("T")

LEASE: Final = 10.0
"""The seconds after which a call counts as ended whose process does not renew it."""

_GRACE: Final = 2.0
"""The seconds after the moment when a process was to ask again after which it counts as waiting no more."""

_AGAIN: Final = 0.1
"""The seconds after which a process asks again that waits for calls of others."""

TABLES: Final = (
    "CREATE {kind} IF NOT EXISTS call_counts (name TEXT PRIMARY KEY, last BIGINT NOT NULL, kept BIGINT NOT NULL)",
    """CREATE {kind} IF NOT EXISTS calls_begun (name TEXT NOT NULL, number BIGINT NOT NULL,
        at DOUBLE PRECISION NOT NULL, PRIMARY KEY (name, number))""",
    """CREATE {kind} IF NOT EXISTS calls_under_way (name TEXT NOT NULL, number BIGINT NOT NULL, owner TEXT NOT NULL,
        until DOUBLE PRECISION NOT NULL, PRIMARY KEY (name, number))""",
    """CREATE {kind} IF NOT EXISTS calls_waiting (name TEXT NOT NULL, owner TEXT NOT NULL,
        since DOUBLE PRECISION NOT NULL, until DOUBLE PRECISION NOT NULL, PRIMARY KEY (name, owner))""",
)
"""The tables, as both databases write them; `kind` is that of the tables."""


class StoredLedger:
    """Counts the calls of all processes that share a store.

    Args:
        name: What messages call the store.
        owner: What this process is known by there.
        connect: Opens a connection to the tables.
        lock: Lets one process at a time decide about what is called so, until the transaction ends; returns the moment.
    """

    def __init__(
        self,
        name: str,
        owner: str,
        connect: Callable[[], StoreConnection],
        lock: Callable[[Connection, str], float],
    ) -> None:
        self._name = name
        self._owner = owner
        self._connect = connect
        self._lock = lock
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._connection: StoreConnection | None = None
        self._under_way: set[Taken] = set()
        self._renewed = time.monotonic()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    # --- from any thread

    async def take(self, limit: CallLimit) -> Taken | Refused:
        """Let a call begin, if it may.

        Raises:
            StoreError: The store cannot be asked.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Taken | Refused] = loop.create_future()

        def answer(found: Taken | Refused | StoreError) -> None:
            if future.cancelled():
                self._give_back(found)
            elif isinstance(found, StoreError):
                future.set_exception(found)
            else:
                future.set_result(found)

        def ask() -> None:
            found = self._decide(limit)
            try:
                loop.call_soon_threadsafe(answer, found)
            except RuntimeError:  # the loop is closed
                self._give_back(found)

        self._submit(ask)
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                self._give_back(future.result())
            raise

    def leave(self, taken: Taken) -> None:
        """Note that a call has ended; this never waits."""
        self._submit(partial(self._end, taken))

    def stop_waiting(self, name: str) -> None:
        """Note that nobody in this process waits for a call any more."""
        self._submit(partial(self._forget_waiting, name))

    def close(self) -> None:
        """Give back what is held, and end the thread."""
        with self._starting:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._jobs.put(None)
            thread.join()

    def _give_back(self, found: Taken | Refused | StoreError) -> None:
        if isinstance(found, Taken):
            self.leave(found)

    def _submit(self, job: Callable[[], None]) -> None:
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="wfc-calls", daemon=True)
                self._thread.start()
        self._jobs.put(job)

    # --- in the thread

    def _work(self) -> None:
        while True:
            try:
                job = self._jobs.get(timeout=LEASE / 3 if self._under_way else None)
            except queue.Empty:
                job = self._renew
            if job is None:
                break
            job()
            if self._under_way and time.monotonic() - self._renewed > LEASE / 3:
                self._renew()
        if self._connection is not None:
            for taken in tuple(self._under_way):
                self._end(taken)
            with contextlib.suppress(Exception):
                self._connection.close()
            self._connection = None

    def _decide(self, limit: CallLimit) -> Taken | Refused | StoreError:
        try:
            found = self._changed(partial(_take, limit=limit, owner=self._owner, lock=self._lock))
        except Exception as error:
            said = " ".join(str(error).split())
            return StoreError(f"the calls in the store {self._name} cannot be counted: {said}")
        if isinstance(found, Taken):
            self._under_way.add(found)
        return found

    def _end(self, taken: Taken) -> None:
        self._under_way.discard(taken)
        with contextlib.suppress(Exception):  # its lease ends soon
            self._changed(
                lambda connection: connection.execute(
                    "DELETE FROM calls_under_way WHERE name = ? AND number = ?", taken
                )
            )

    def _forget_waiting(self, name: str) -> None:
        with contextlib.suppress(Exception):  # it counts as waiting for a moment only
            self._changed(
                lambda connection: connection.execute(
                    "DELETE FROM calls_waiting WHERE name = ? AND owner = ?", (name, self._owner)
                )
            )

    def _renew(self) -> None:
        """Renew the leases of the calls of this process."""
        self._renewed = time.monotonic()

        def renew(connection: Connection) -> None:
            for name in sorted({taken.name for taken in self._under_way}):
                until = self._lock(connection, name) + LEASE
                connection.execute(
                    "UPDATE calls_under_way SET until = ? WHERE name = ? AND owner = ?",
                    (until, name, self._owner),
                )

        with contextlib.suppress(Exception):  # the next time, unless the store is gone
            self._changed(renew)

    def _changed(self, change: Callable[[Connection], T]) -> T:
        """Return what a change returns, in a transaction of its own."""
        for is_last in (self._connection is None, True):
            connection = self._connection = self._connection or self._connect()
            try:
                connection.begin(writes=True)
                found = change(connection)
                connection.commit()
                return found
            except Exception:
                self._connection = None  # a server may have been started anew
                with contextlib.suppress(Exception):
                    connection.rollback()
                with contextlib.suppress(Exception):
                    connection.close()
                if is_last:
                    raise
        raise AssertionError("one of the two has returned or raised")


def _take(
    connection: Connection, limit: CallLimit, owner: str, lock: Callable[[Connection, str], float]
) -> Taken | Refused:
    """Let a call of a process begin, or note that the process waits for it."""
    name = limit.name
    now = lock(connection, name)
    for table in ("calls_under_way", "calls_waiting"):
        connection.execute(f"DELETE FROM {table} WHERE name = ? AND until < ?", (name, now))  # noqa: S608
    last, kept = connection.execute(
        "SELECT last, kept FROM call_counts WHERE name = ?", (name,)
    ).fetchone() or (0, 0)
    left = _rate_wait(connection, limit, last, now)
    has_to_queue = _is_full(connection, limit) or _are_others_first(connection, name, owner, now)
    if left > 0 or has_to_queue:
        seconds = max(left, _AGAIN) if has_to_queue else left
        connection.execute(
            """INSERT INTO calls_waiting (name, owner, since, until) VALUES (?, ?, ?, ?)
                ON CONFLICT (name, owner) DO UPDATE SET until = excluded.until""",
            (name, owner, now, now + seconds + _GRACE),
        )
        return Refused(seconds, by_rate=left > 0)
    connection.execute("DELETE FROM calls_waiting WHERE name = ? AND owner = ?", (name, owner))
    return _begin(connection, limit, owner, now, last + 1, kept)


def _begin(connection: Connection, limit: CallLimit, owner: str, now: float, number: int, kept: int) -> Taken:
    """Note that a call begins, and forget calls that no rate looks at any more."""
    name = limit.name
    kept = max(kept, limit.rate[0] if limit.rate is not None else 0)
    connection.execute(
        """INSERT INTO call_counts (name, last, kept) VALUES (?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET last = excluded.last, kept = excluded.kept""",
        (name, number, kept),
    )
    if kept:
        connection.execute("INSERT INTO calls_begun (name, number, at) VALUES (?, ?, ?)", (name, number, now))
        connection.execute("DELETE FROM calls_begun WHERE name = ? AND number <= ?", (name, number - kept))
    connection.execute(
        "INSERT INTO calls_under_way (name, number, owner, until) VALUES (?, ?, ?, ?)",
        (name, number, owner, now + LEASE),
    )
    return Taken(name, number)


def _rate_wait(connection: Connection, limit: CallLimit, last: int, now: float) -> float:
    """Return the seconds for which a call has to wait for its rate; 0 or less: it need not."""
    if limit.rate is None:
        return 0.0
    most, seconds = limit.rate
    found = connection.execute(
        "SELECT at FROM calls_begun WHERE name = ? AND number = ?", (limit.name, last - most + 1)
    ).fetchone()
    return 0.0 if found is None else min(float(found[0]) + seconds - now, seconds)  # a clock may be put back


def _is_full(connection: Connection, limit: CallLimit) -> bool:
    """Return whether as many calls are under way as may be."""
    if limit.at_once is None:
        return False
    found = connection.execute("SELECT COUNT(*) FROM calls_under_way WHERE name = ?", (limit.name,))
    return bool(found.fetchone()[0] >= limit.at_once)


def _are_others_first(connection: Connection, name: str, owner: str, now: float) -> bool:
    """Return whether another process has waited for longer."""
    own = connection.execute(
        "SELECT since FROM calls_waiting WHERE name = ? AND owner = ?", (name, owner)
    ).fetchone()
    found = connection.execute(
        "SELECT 1 FROM calls_waiting WHERE name = ? AND owner <> ? AND since < ? LIMIT 1",
        (name, owner, now if own is None else own[0]),
    )
    return found.fetchone() is not None
