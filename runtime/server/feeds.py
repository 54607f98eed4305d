"""What the runs of a store show, each for its readers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from itertools import islice
from typing import Final

from wfc.runtime.driver.engine import Engine
from wfc.runtime.errors import WorkflowError
from wfc.runtime.server.batches import StreamBatch, StreamMessage
from wfc.runtime.server.data import json_bytes
from wfc.runtime.server.feed import Feed, ToldTicks
from wfc.runtime.server.shown import TICKS, Position
from wfc.runtime.server.watching import Watch
from wfc.runtime.store.sql import selecting
from wfc.runtime.store.sql.connection import Connection

__all__ = ["Feeds"]

TOLD_TOGETHER: Final = 50
"""Of so many runs at most is read at once what is new."""

_LOG: Final = logging.getLogger("wfc.server")


class Feeds:
    """What the runs of a store show, each for its readers.

    What is new in many runs is read from the store together, by one thread: a hop to a thread for each run would take
    longer than what is done there.
    """

    def __init__(self, engine: Engine, watch: Watch) -> None:
        self._engine = engine
        self._watch = watch
        self._feeds: dict[str, Feed] = {}
        self._due: dict[Feed, None] = {}  # those with news, in their order
        self._telling: asyncio.Task[None] | None = None

    def end(self) -> None:
        """Let all readers look again whether they are to end."""
        for feed in self._feeds.values():
            feed.ring()

    def begins(self, run_id: str) -> None:
        """Let those who follow a run hear what its models say: it goes on in this process from now on."""
        if (feed := self._feeds.get(run_id)) is not None:
            feed.listen()

    async def messages(
        self, run_id: str, since: Position, ends: Callable[[], bool]
    ) -> AsyncGenerator[StreamBatch, None]:
        """Yield what a run shows after a position, until it is over, or all streams are to end.

        Args:
            ends: Returns whether they are.
        """
        feed = self._feeds.get(run_id)
        if feed is None or feed.is_broken:
            feed = self._feeds[run_id] = Feed(self._engine, self._watch, run_id, self._tell_soon)
        feed.readers += 1
        try:
            yield _alone("hello", {"run": run_id, "since": str(since)})
            async for batch in feed.read(since, ends):
                yield batch
        except WorkflowError as error:
            yield _alone("broken", {"detail": str(error)})
        except Exception:
            _LOG.exception("the stream of the run %s failed by a bug of wfc", run_id)
            yield _alone("broken", {"detail": "this is a bug of wfc; its log has more"})
        finally:
            feed.readers -= 1
            if not feed.readers:
                feed.stop()
                self._due.pop(feed, None)
                if self._feeds.get(run_id) is feed:
                    del self._feeds[run_id]
        if ends():
            yield _alone("bye", {})

    def _tell_soon(self, feed: Feed) -> None:
        self._due[feed] = None
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell_due())

    async def _tell_due(self) -> None:
        """Read what is recorded of those runs that have come further, some at a time."""
        while self._due:
            some = list(islice(self._due, TOLD_TOGETHER))
            for feed in some:
                del self._due[feed]
            found = await asyncio.to_thread(_tell_some, self._engine, some)
            for feed, told in zip(some, found, strict=True):
                feed.take(told)


def _tell_some(engine: Engine, feeds: Sequence[Feed]) -> list[ToldTicks | Exception]:
    """Tell what is new in some runs; what is wrong with one is no matter of the others."""

    def read(connection: Connection) -> list[list[tuple[int, bytes]]]:
        return [selecting.ticks_after(connection, feed.run_id, feed.told_to, TICKS)[0] for feed in feeds]

    try:
        ticks = engine.store.select(read)
    except Exception as error:
        return [error] * len(feeds)
    found: list[ToldTicks | Exception] = []
    for feed, some in zip(feeds, ticks, strict=True):
        try:
            found.append(feed.tell(some))
        except Exception as error:  # whatever it is, no reader may wait for ever
            found.append(error)
    return found


def _alone(kind: str, data: Mapping[str, object]) -> StreamBatch:
    """Return a message of the stream itself, which has no position."""
    return StreamBatch([StreamMessage("", kind, json_bytes(data))])
