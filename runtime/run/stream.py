"""Events for whoever watches a run: any number of readers, each at its own place."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from wfc.runtime.events import Event

__all__ = ["Stream"]


class _Link:
    """One event of a stream, and the next one once there is one."""

    __slots__ = ("event", "next", "run_id")

    def __init__(self, event: Event | None, run_id: str) -> None:
        self.event = event
        self.run_id = run_id
        self.next: _Link | None = None


class Stream:
    """A list of events that is written at its end and read from any place.

    Args:
        keep: Whether readers that come later start at the beginning; otherwise what all have read is let go.
    """

    __slots__ = ("_first", "_last", "_waiting", "closed")

    def __init__(self, *, keep: bool = True) -> None:
        self._last = _Link(None, "")
        self._first = self._last if keep else None
        self._waiting: list[asyncio.Future[None]] = []
        self.closed = False

    def publish(self, event: Event, run_id: str) -> None:
        """Adds an event of a run, and wakes the readers that wait for it."""
        link = _Link(event, run_id)
        self._last.next = link
        self._last = link
        if self._waiting:
            self._wake()

    def close(self) -> None:
        """Says that nothing more comes."""
        self.closed = True
        self._wake()

    def _wake(self) -> None:
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)
        self._waiting.clear()

    def read(self) -> AsyncGenerator[Event, None]:
        """A reader, from the beginning of what is kept to the end of the run."""
        return self._read(self._first or self._last)

    async def _read(self, at: _Link) -> AsyncGenerator[Event, None]:
        while True:
            while at.next is not None:
                at = at.next
                assert at.event is not None
                yield at.event
            if self.closed:
                return
            await self._more()

    async def read_with_run_ids(self) -> AsyncGenerator[tuple[str, Event], None]:
        """The same, with the id of the run that each event comes from."""
        at = self._first or self._last
        while True:
            while at.next is not None:
                at = at.next
                assert at.event is not None
                yield at.run_id, at.event
            if self.closed:
                return
            await self._more()

    async def _more(self) -> None:
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        await waiting

    def copy(self) -> Stream:
        """Another stream that begins with what this one has kept, and keeps nothing."""
        made = Stream(keep=False)
        made._first = made._last
        at = self._first
        while at is not None and at.next is not None:
            at = at.next
            assert at.event is not None
            made.publish(at.event, at.run_id)
        made.closed = self.closed
        return made
