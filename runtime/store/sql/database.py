"""A database that a store is in: what one thread writes, in order and together, and what is read as of one moment."""

from __future__ import annotations

import asyncio
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, ClassVar, TypeVar

from wfc.runtime.errors import StoreError
from wfc.runtime.store.batches import Appender, Appends, Turn, tell_of_failure
from wfc.runtime.store.journal import Entry, Lost
from wfc.runtime.store.sql.appending import append, append_batch
from wfc.runtime.store.sql.connection import Connection
from wfc.runtime.store.sql.tick_rows import prepared
from wfc.runtime.store.sql.writer import LARGE, MOST, Job, StoreConnection, Writer

__all__ = ["Database", "on_one_line"]

T = TypeVar("T")


class Database(ABC):
    """A database that is open in this process.

    Args:
        name: What messages call it.
        owner: What this process is known by in the store.
        interval: The seconds between two signs of life of this process.
    """

    errors: ClassVar[tuple[type[Exception], ...]]
    """The errors of the database."""

    has_one_writer: ClassVar[bool] = False
    """Whether one writer excludes all others, so that ticks and the fence before them can be one statement."""

    def __init__(self, name: str, owner: str, interval: float) -> None:
        self.name = name
        self.owner = owner
        self._lock = threading.Lock()
        self._reader: StoreConnection | None = None
        self._writer = Writer(self._connect_writer, self._beat, interval)
        self.told: frozenset[str] = frozenset()  # what people are told of: see `messages`
        self._is_known = False
        self._is_closed = False
        self._turns: dict[asyncio.AbstractEventLoop, Turn] = {}  # never changed, but replaced
        self._turning = threading.Lock()

    @abstractmethod
    def _connect(self) -> StoreConnection:
        """Open a connection."""

    def _connect_writer(self) -> StoreConnection:
        """Open the connection by which this process writes."""
        return self._connect()

    @abstractmethod
    def _beat(self, connection: Connection) -> None:
        """Write that this process is alive, and see to it that it hears of what waits in its runs' inboxes."""

    def _finish(self) -> None:
        """Write what is left, and close the connections."""
        self._writer.close()
        with self._lock:  # a thread may still be reading
            self._is_closed = True
            if self._reader is not None:
                self._reader.close()

    # --- writing

    @property
    def delay(self) -> float:
        """The seconds for which what is written waits until it is durable."""
        return self._writer.delay

    @property
    def commits(self) -> tuple[int, float]:
        """How many commits this process has made, and the seconds that they took."""
        return self._writer.commits, self._writer.seconds

    def turn_of(self, loop: asyncio.AbstractEventLoop) -> Turn:
        """Return the next turn of a loop, in which what comes together is written in order."""
        turn = self._turns.get(loop)
        if turn is None:
            with self._turning:  # there may be loops in several threads
                turns = {one: other for one, other in self._turns.items() if not one.is_closed()}
                turn = turns[loop] = Turn(loop, partial(self._append, loop), MOST)
                self._turns = turns
        return turn

    def _append(self, loop: asyncio.AbstractEventLoop, batch: Appends) -> None:
        if not self._is_known:
            self._known()
        self._writer.submit([self._job_of(batch, loop)])

    def _job_of(self, batch: Appends, loop: asyncio.AbstractEventLoop) -> Job:
        """Return the job that writes a batch: as a whole, or else each part by itself."""

        def write(connection: Connection) -> list[Lost | None] | None:
            return append_batch(connection, batch, self.owner, self.told)

        def finished(found: Sequence[Exception | None] | None, error: Exception | None) -> None:
            if found is None and error is None:
                self._release(batch, loop)
                return
            appenders = batch.appenders
            for (appender, held), said in zip(appenders, found or [error] * len(appenders), strict=True):
                lost = None if said is None else said if isinstance(said, Lost) else appender.lease.lost
                try:
                    appender.durable(held, lost)
                except Exception as failure:
                    tell_of_failure(loop, failure)

        # a tick by itself is refused without a reason, which is found where it is written as an entry
        is_divided = bool(batch.ticks) or len(batch) > 1
        apart = (lambda: [self._job_alone(entry) for entry in batch.each()]) if is_divided else None
        at_once = self.has_one_writer and not batch.entries
        alone = prepared(batch.ticks, self.owner) if at_once else None
        return Job(
            write, finished, loop, lambda error: self._fail(batch.each(), error), len(batch), apart, alone
        )

    def _release(self, batch: Appends, loop: asyncio.AbstractEventLoop) -> None:
        """Let runs go on whose ticks are durable.

        What many of them append meanwhile is handed over before the loop's next turn. And if a commit takes less time
        than their going on, it is handed over in two halves, so that from then on one half is written while the other
        half goes on.
        """
        turn, todo, half = self.turn_of(loop), zip(batch.tickers, batch.held, strict=True), len(batch) // 2
        turn.hold()
        try:
            if half >= LARGE and self.has_one_writer and self._writer.is_idle:
                began = time.monotonic()
                _let_go_on(loop, todo, half)
                if self._writer.took < 2 * (time.monotonic() - began):
                    turn.hand_over()
            _let_go_on(loop, todo)
        finally:
            turn.let_go(LARGE)

    def _job_alone(self, entry: Entry) -> Job:
        write = partial(append, entry=entry, owner=self.owner, told=self.told)
        return Job(write, lambda _, __: None, None, partial(self._fail, [entry]))

    def _fail(self, entries: Sequence[Entry], error: Exception) -> None:
        for entry in entries:
            if entry.lease.lost is None:
                entry.lease.lost = Lost(f"the store {self.name} cannot be written: {on_one_line(error)}")

    async def append_together(self, entries: Sequence[Entry]) -> None:
        """Append entries of several runs in one commit: all of them, or none.

        Raises:
            Lost: Another process has one of the runs.
            StoreError: The store cannot be written.
        """

        def write(connection: Connection) -> None:
            for entry in entries:
                if (lost := append(connection, entry, self.owner, self.told)) is not None:
                    raise lost

        await self.write(write)

    async def write(self, change: Callable[[Connection], T]) -> T:
        """Return what a change returns, once it is durable.

        Raises:
            StoreError: It cannot be written.
        """
        self._known()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def finished(found: Any, error: Exception | None) -> None:
            if future.done():
                return
            if error is None:
                future.set_result(found)
            else:
                future.set_exception(self._as_store_error(error))

        if (turn := self._turns.get(loop)) is not None:
            turn.hand_over()  # what was appended before is written before
        self._writer.submit([Job(change, finished, loop)])
        return await future

    def write_now(self, change: Callable[[Connection], T]) -> T:
        """Return what a change returns, once it is durable; outside of event loops.

        Raises:
            StoreError: It cannot be written.
        """
        done = threading.Event()
        results: list[Any] = []

        def finished(found: Any, error: Exception | None) -> None:
            results.extend((found, error))
            done.set()

        self._writer.submit([Job(change, finished, None)])
        done.wait()
        if results[1] is not None:
            raise self._as_store_error(results[1])
        found: T = results[0]
        return found

    def _known(self) -> None:
        """Let others know that this process works on the store, before it owns anything."""
        if not self._is_known:
            self._is_known = True
            self._writer.submit([Job(self._beat, lambda _, __: None, None)])

    def _as_store_error(self, error: Exception) -> Exception:
        if not isinstance(error, self.errors):
            return error
        found = StoreError(f"the store {self.name} cannot be written: {on_one_line(error)}")
        found.__cause__ = error
        return found

    # --- reading

    def _read(self, read: Callable[[Connection], T]) -> T:
        with self._lock:
            if self._is_closed:
                raise StoreError(f"the store {self.name} is closed")
            for is_last in (False, True):
                connection = self._reader
                try:
                    if connection is None:
                        connection = self._reader = self._connect()
                    connection.begin(writes=False)  # so that all that is read is of one moment
                    try:
                        return read(connection)
                    finally:
                        connection.commit()
                except self.errors as error:
                    if connection is None or not connection.is_broken or is_last:
                        raise StoreError(
                            f"the store {self.name} cannot be read: {on_one_line(error)}"
                        ) from error
                    self._reader = None  # the server may have been started anew
                    connection.close()
        raise AssertionError("one of the two has returned or raised")


def _let_go_on(
    loop: asyncio.AbstractEventLoop, todo: Iterator[tuple[Appender, Any]], most: int | None = None
) -> None:
    """Let runs go on whose ticks are durable: so many of them, or all."""
    try:
        for appender, what in islice(todo, most):
            try:
                appender.durable(what, None)
            except Exception as failure:
                tell_of_failure(loop, failure)
    except BaseException:  # a step ends the process; whoever keeps the loop alive keeps the other runs
        loop.call_soon(_let_go_on, loop, todo)
        raise


def on_one_line(error: Exception) -> str:
    """Return what a database says of an error, without its line breaks."""
    return " ".join(str(error).split()) or type(error).__name__
