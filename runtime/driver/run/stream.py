"""The event stream of a run, for any number of readers, each at its own position."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from wfc.runtime.driver.run.replies import StreamedReply
from wfc.runtime.errors import StreamGoneError
from wfc.runtime.events import Event

__all__ = ["DEFAULT_STREAM_LIMIT", "Stream"]

DEFAULT_STREAM_LIMIT = 100_000
"""How many events of a run's stream are kept for readers that come later, where nothing else is said."""


class _Link:
    """A node of a stream's linked list: an event, or a reply that still grows, and the next node if any."""

    __slots__ = ("next", "run_id", "shown")

    def __init__(self, shown: Event | StreamedReply | None, run_id: str) -> None:
        self.shown = shown
        self.run_id = run_id
        self.next: _Link | None = None


class _Reader:
    """A reader's position in a stream, and how much of each growing reply it has read."""

    __slots__ = ("_at", "_told")

    def __init__(self, at: _Link) -> None:
        self._at = at
        self._told: dict[_Link, int] = {}

    def next(self) -> tuple[str, Event] | None:
        """Return the next event and the run that it comes from; ``None`` if there is none yet.

        Pieces of a reply that have arrived are returned before any later event.
        """
        while True:
            if self._told and (piece := self._piece()) is not None:
                return piece
            if self._at.next is None:
                return None
            self._at = at = self._at.next
            if isinstance(at.shown, StreamedReply):
                self._told[at] = 0
                continue
            assert at.shown is not None
            return at.run_id, at.shown

    def _piece(self) -> tuple[str, Event] | None:
        for link, told in list(self._told.items()):
            assert isinstance(link.shown, StreamedReply)
            if (found := link.shown.since(told)) is not None:
                piece, self._told[link] = found
                return link.run_id, piece
            if link.shown.is_over:
                del self._told[link]
        return None


_NOBODY: list[asyncio.Future[None]] = []
"""The readers that wait, of all streams that nobody waits for; never changed."""


class Stream:
    """A list of events that is appended to and read from any position that is kept.

    A slow reader receives all events after its position, however many there are.

    Args:
        limit: The number of last events that are kept; ``None``: all.
    """

    __slots__ = ("_first", "_gone", "_kept", "_last", "_limit", "_waiting", "closed")

    def __init__(self, limit: int | None = None) -> None:
        self._last = _Link(None, "")
        self._first = self._last  # the one before the first that is kept
        self._limit = limit
        self._kept = 0
        self._gone = 0
        self._waiting = _NOBODY
        self.closed = False

    def publish(self, shown: Event | StreamedReply, run_id: str) -> None:
        """Append an event or a reply, and wake the readers that wait for it."""
        link = _Link(shown, run_id)
        self._last.next = link
        self._last = link
        if self._kept == self._limit:
            assert self._first.next is not None
            self._first = self._first.next
            self._gone += 1
        else:
            self._kept += 1
        if self._waiting:
            self.wake()

    def close(self) -> None:
        """Close the stream: no further events will come."""
        self.closed = True
        self.wake()

    def wake(self) -> None:
        """Wake the waiting readers."""
        waiting, self._waiting = self._waiting, _NOBODY
        for one in waiting:
            if not one.done():
                one.set_result(None)

    def read(self, since: int = 0) -> AsyncGenerator[Event, None]:
        """Return a reader from a position to the end of the run.

        Raises:
            StreamGoneError: The position is no longer kept.
        """
        return self._read(_Reader(self._place(since)))

    def so_far(self) -> list[Event]:
        """Return the events that are kept; of a reply that arrives in pieces all that has arrived."""
        reader, found = _Reader(self._first), []
        while (one := reader.next()) is not None:
            found.append(one[1])
        return found

    def _place(self, since: int) -> _Link:
        """Return the node right before a position; the last node for a future position."""
        if since < self._gone:
            raise StreamGoneError(since, self._gone)
        at = self._first
        for _ in range(since - self._gone):
            if at.next is None:
                break
            at = at.next
        return at

    async def _read(self, reader: _Reader) -> AsyncGenerator[Event, None]:
        while True:
            while (found := reader.next()) is not None:
                yield found[1]
            if self.closed:
                return
            await self._more()

    def read_with_run_ids(self, since: int = 0) -> AsyncGenerator[tuple[str, Event], None]:
        """Return a reader that also yields the id of the run that each event comes from."""
        return self._read_with_run_ids(_Reader(self._place(since)))

    def read_on(self) -> AsyncGenerator[tuple[str, Event], None]:
        """Return a reader of what comes from now on, with the ids of runs; it gets all of a reply that still grows."""
        reader, at = _Reader(self._last), self._first
        while at.next is not None:
            at = at.next
            if isinstance(at.shown, StreamedReply) and not at.shown.is_over:
                reader._told[at] = 0
        return self._read_with_run_ids(reader)

    async def _read_with_run_ids(self, reader: _Reader) -> AsyncGenerator[tuple[str, Event], None]:
        while True:
            while (found := reader.next()) is not None:
                yield found
            if self.closed:
                return
            await self._more()

    async def _more(self) -> None:
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self._waiting is _NOBODY:
            self._waiting = [waiting]
        else:
            self._waiting.append(waiting)
        await waiting

    def copy(self) -> Stream:
        """Return a new stream that begins with the events kept by this one."""
        made = Stream(self._limit)
        made._gone = self._gone
        at = self._first
        while at.next is not None:
            at = at.next
            assert at.shown is not None
            made.publish(at.shown, at.run_id)
            if isinstance(at.shown, StreamedReply):
                at.shown.on_growth(made.wake)
        made.closed = self.closed
        return made
