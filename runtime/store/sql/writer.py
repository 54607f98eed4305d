"""The one thread that writes to a store: what has come in meanwhile is committed together."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple, Protocol

from wfc.runtime.store.batches import tell_of_failure
from wfc.runtime.store.crash_points import CRASHES, reach
from wfc.runtime.store.sql.connection import Connection

__all__ = ["LARGE", "MOST", "Job", "Outcome", "StoreConnection", "Writer"]

MOST: Final = 2_000
"""Rows in one commit, about."""

LARGE: Final = 32
"""The ticks that are worth a commit of their own, where one statement writes them."""

Outcome = Callable[[Any, Exception | None], None]
"""Called with what a job returned, or with the error for which nothing of it was written."""


TRIES: Final = 5
"""How often a transaction is tried that the database ends in favour of others."""


class StoreConnection(Connection, Protocol):
    """A connection of a store's own."""

    @property
    def is_broken(self) -> bool:
        """Whether it is of no use any more, so that nobody knows what became of its last commit."""

    def gave_way(self, error: BaseException) -> bool:
        """Return whether the database has ended a transaction in favour of another one, and it may be tried anew."""

    def begin(self, *, writes: bool) -> None:
        """Begin a transaction."""

    def prepare(self) -> None:
        """Be told that a statement is to be a transaction of its own that writes."""

    def commit(self) -> None:
        """End the transaction; all of it is durable."""

    def rollback(self) -> None:
        """End the transaction, if there is one; nothing of it is written."""

    def close(self) -> None:
        """Close the connection."""

    def ring(self) -> None:
        """Let those hear who were to be told of what is durable now, unless the database has done so."""


class Job(NamedTuple):
    """Something to be written.

    Args:
        write: Called within a transaction, in the writer's thread.
        then: Called once it is durable, in the loop; without a loop in the writer's thread.
        failed: Called in the writer's thread, before any later job is written, if nothing of it could be.
        size: About how many rows it writes.
        apart: Returns the jobs that it consists of, if these may be written where it cannot be as a whole: what it
            returned is then, for each of them, what that returned, or its error.
        alone: Does what ``write`` does, by one statement that is a transaction of its own; ``None``: that cannot be.
    """

    write: Callable[[Connection], Any]
    then: Outcome
    loop: asyncio.AbstractEventLoop | None
    failed: Callable[[Exception], None] | None = None
    size: int = 1
    apart: Callable[[], Sequence[Job]] | None = None
    alone: Callable[[Connection], Any] | None = None

    @property
    def is_large(self) -> bool:
        """Whether it is worth a commit of its own, though others wait as well."""
        return self.alone is not None and self.size >= LARGE


class Writer:
    """A thread that writes jobs in the order in which they come.

    Args:
        connect: Opens the connection, in the thread.
        beat: What is written, by itself, every ``interval`` seconds.
    """

    def __init__(
        self,
        connect: Callable[[], StoreConnection],
        beat: Callable[[Connection], None],
        interval: float,
    ) -> None:
        self._connect = connect
        self._beat = beat
        self._interval = interval
        self._jobs: SimpleQueue[Sequence[Job] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="wfc-store", daemon=True)
        self._starting = threading.Lock()
        self._is_closed = False
        self._connection: StoreConnection | None = None
        self._since: float | None = None  # when the commit under way was begun, by the monotonic clock
        self.took = 0.0  # the seconds of the last one
        self.commits = 0
        self.seconds = 0.0  # of all commits

    @property
    def delay(self) -> float:
        """The seconds that the last commit took, or those that the one under way takes already, if these are more."""
        since = self._since
        return self.took if since is None else max(self.took, time.monotonic() - since)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being written, nor waits to be."""
        return self._since is None and self._jobs.empty()

    def submit(self, jobs: Sequence[Job]) -> None:
        """Write some jobs soon, in one commit if that can be.

        Raises:
            RuntimeError: The writer is closed.
        """
        if self._is_closed:
            raise RuntimeError("the store is closed")
        if not self._thread.is_alive():
            with self._starting:
                if not self._thread.ident:
                    self._thread.start()
        self._jobs.put(jobs)

    def close(self) -> None:
        """Write what is left, and end the thread."""
        self._is_closed = True
        if self._thread.ident:
            self._jobs.put(None)
            self._thread.join()

    def _work(self) -> None:
        try:
            due = time.monotonic() + self._interval
            while True:
                jobs, is_last = self._take(max(0.0, due - time.monotonic()))
                if jobs:
                    self._finish(jobs, self._timed(jobs))
                del jobs  # they know runs, which would be kept until there is more to write
                if is_last:
                    return
                if time.monotonic() >= due:
                    self._timed([Job(self._beat, lambda _, __: None, None)])
                    due = time.monotonic() + self._interval
        finally:
            self._disconnect()

    def _timed(self, jobs: Sequence[Job]) -> list[tuple[Any, Exception | None]]:
        """Commit jobs, and note how long that takes."""
        self._since = began = time.monotonic()
        found = self._write(jobs)
        self.took = time.monotonic() - began
        self._since = None
        self.commits += 1
        self.seconds += self.took
        return found

    def _take(self, seconds: float) -> tuple[list[Job], bool]:
        """Return the jobs that have come in, and whether they are the last."""
        jobs: list[Job] = []
        size = 0
        try:
            more = self._jobs.get(timeout=seconds)
            while more is not None:
                jobs.extend(more)
                if len(jobs) == 1 and jobs[0].is_large:
                    return jobs, False
                size += sum(job.size for job in more)
                if size >= MOST:
                    return jobs, False
                more = self._jobs.get_nowait()
        except Empty:
            return jobs, False
        return jobs, True

    def _write(self, jobs: Sequence[Job]) -> list[tuple[Any, Exception | None]]:
        """Commit jobs together; if that fails one after the other, so that each fails for reasons of its own.

        If the connection is lost they all fail: what was committed nobody knows, so that nothing is written twice.
        """
        try:
            if self._connection is None:
                self._connection = self._connect()
            return [(found, None) for found in _transaction(self._connection, jobs)]
        except Exception as error:
            is_lost = self._connection is None or self._connection.is_broken
            if is_lost:
                self._disconnect()
            apart = jobs[0].apart if len(jobs) == 1 else None
            if is_lost or (len(jobs) == 1 and apart is None):
                for job in jobs:
                    if job.failed is not None:
                        job.failed(error)
                return [(None, error)] * len(jobs)
        if apart is None:
            return [self._write([job])[0] for job in jobs]
        parts = [self._write([job])[0] for job in apart()]
        return [([error or found for found, error in parts], None)]

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _finish(self, jobs: Sequence[Job], results: Sequence[tuple[Any, Exception | None]]) -> None:
        """Tell those who wait, with one call for each event loop."""
        calls: dict[asyncio.AbstractEventLoop, list[Callable[[], None]]] = {}
        for job, (found, error) in zip(jobs, results, strict=True):
            if job.loop is None:
                job.then(found, error)
            else:
                calls.setdefault(job.loop, []).append(partial(job.then, found, error))
        for loop, those in calls.items():
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits there any more
                loop.call_soon_threadsafe(_call_all, loop, those)


def _transaction(connection: StoreConnection, jobs: Sequence[Job], tries: int = TRIES) -> list[Any]:
    if len(jobs) == 1 and jobs[0].alone is not None:
        return [_statement(connection, jobs[0].alone)]
    connection.begin(writes=True)
    try:
        found = [job.write(connection) for job in jobs]
        if CRASHES:
            reach("commit")
        connection.commit()
    except BaseException as error:
        connection.rollback()
        if tries > 1 and connection.gave_way(error):
            return _transaction(connection, jobs, tries - 1)
        raise
    if CRASHES:
        reach("committed")
    connection.ring()
    return found


def _statement(connection: StoreConnection, write: Callable[[Connection], Any]) -> Any:
    connection.prepare()
    if CRASHES:
        reach("commit")
    found = write(connection)
    if CRASHES:
        reach("committed")
    return found


def _call_all(loop: asyncio.AbstractEventLoop, calls: Sequence[Callable[[], None]]) -> None:
    """Make calls that follow from what was done together."""
    for call in calls:
        try:
            call()
        except Exception as error:
            tell_of_failure(loop, error)
