"""The one thread that writes to a store: what has come in meanwhile is committed together."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple

from wfc.runtime.store.crash_points import CRASHES, reach

__all__ = ["Job", "Outcome", "Writer"]

MOST: Final = 2_000
"""Jobs in one commit."""

Outcome = Callable[[Any, Exception | None], None]
"""Called with what a job returned, or with the error for which nothing of it was written."""


class Job(NamedTuple):
    """Something to be written.

    Args:
        write: Called within a transaction, in the writer's thread.
        then: Called once it is durable, in the loop; without a loop in the writer's thread.
        failed: Called in the writer's thread, before any later job is written, if nothing of it could be.
    """

    write: Callable[[sqlite3.Connection], Any]
    then: Outcome
    loop: asyncio.AbstractEventLoop | None
    failed: Callable[[Exception], None] | None = None


class Writer:
    """A thread that writes jobs in the order in which they come.

    Args:
        connect: Opens the connection, in the thread.
        beat: What is written, by itself, every ``interval`` seconds.
    """

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        beat: Callable[[sqlite3.Connection], None],
        interval: float,
    ) -> None:
        self._connect = connect
        self._beat = beat
        self._interval = interval
        self._jobs: SimpleQueue[Sequence[Job] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="wfc-store", daemon=True)
        self._starting = threading.Lock()
        self._is_closed = False

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
        connection = self._connect()
        try:
            due = time.monotonic() + self._interval
            while True:
                jobs, is_last = self._take(max(0.0, due - time.monotonic()))
                if jobs:
                    self._finish(jobs, self._write(connection, jobs))
                if is_last:
                    return
                if time.monotonic() >= due:
                    self._write(connection, [Job(self._beat, lambda _, __: None, None)])
                    due = time.monotonic() + self._interval
        finally:
            connection.close()

    def _take(self, seconds: float) -> tuple[list[Job], bool]:
        """Return the jobs that have come in, and whether they are the last."""
        jobs: list[Job] = []
        try:
            more = self._jobs.get(timeout=seconds)
            while more is not None:
                jobs.extend(more)
                if len(jobs) >= MOST:
                    return jobs, False
                more = self._jobs.get_nowait()
        except Empty:
            return jobs, False
        return jobs, True

    def _write(
        self, connection: sqlite3.Connection, jobs: Sequence[Job]
    ) -> list[tuple[Any, Exception | None]]:
        """Commit jobs together; if that fails one after the other, so that each fails for reasons of its own."""
        try:
            return [(found, None) for found in _transaction(connection, jobs)]
        except Exception as error:
            if len(jobs) == 1:
                if (failed := jobs[0].failed) is not None:
                    failed(error)
                return [(None, error)]
        return [self._write(connection, [job])[0] for job in jobs]

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


def _transaction(connection: sqlite3.Connection, jobs: Sequence[Job]) -> list[Any]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = [job.write(connection) for job in jobs]
        if CRASHES:
            reach("commit")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    if CRASHES:
        reach("committed")
    return found


def _call_all(loop: asyncio.AbstractEventLoop, calls: Sequence[Callable[[], None]]) -> None:
    for call in calls:
        try:
            call()
        except Exception as error:  # one run's mistake does no harm to the others of its commit
            loop.call_exception_handler({"message": "what follows from a commit failed", "exception": error})
