"""The stream of what changes: which runs have come further, for pages that show many; one look at the store for all."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import partial
from typing import Final

from wfc.runtime.errors import StoreError
from wfc.runtime.server.access import Principal
from wfc.runtime.server.batches import NOTHING, StreamBatch, StreamMessage
from wfc.runtime.server.data import json_bytes
from wfc.runtime.store.sql import paging
from wfc.runtime.store.sql.journal import SqlJournal
from wfc.runtime.store.sql.paging import ChangedRun

__all__ = ["Changes"]

LOOKS_EVERY: Final = 0.25
"""The seconds between two looks at the store, while anybody reads."""

BEHIND: Final = 1000
"""So many ticks are looked at again: on a server one may become visible after a later one."""

MOST: Final = 200
"""Of so many runs at most is told what they have come to; of more that there are more."""

QUIET: Final = 15.0


class Changes:
    """What changes in a store, for any number of readers."""

    def __init__(self, store: SqlJournal) -> None:
        self._store = store
        self._readers: set[asyncio.Queue[Sequence[ChangedRun]]] = set()
        self._looking: asyncio.Task[None] | None = None
        self._has_looked = False  # so that what happens from now on is told

    def end(self) -> None:
        """Let all readers look again whether they are to end."""
        for reader in self._readers:
            _put(reader, ())

    async def messages(
        self, principal: Principal, ends: Callable[[], bool]
    ) -> AsyncGenerator[StreamBatch, None]:
        """Yield what changes from now on, as far as somebody may see it, until all streams are to end."""
        news: asyncio.Queue[Sequence[ChangedRun]] = asyncio.Queue(1)
        self._readers.add(news)
        if self._looking is None or self._looking.done():
            self._has_looked = False
            self._looking = asyncio.create_task(self._look())
        is_greeted = False
        try:
            while not ends():
                if self._has_looked and not is_greeted:
                    is_greeted = True
                    yield StreamBatch([StreamMessage("", "hello", b"{}")])
                try:
                    async with asyncio.timeout(QUIET):  # `wait_for` may lose that its reader has left
                        changed = await news.get()
                except TimeoutError:
                    yield NOTHING
                    continue
                seen = [one for one in changed if principal.knows(one.workflow)]
                if seen:
                    yield StreamBatch([StreamMessage("", "changed", json_bytes(_told(seen, principal)))])
        finally:
            self._readers.discard(news)
            if not self._readers and self._looking is not None:
                self._looking.cancel()
                self._looking = None  # it is not done yet, and whoever comes now needs another
        yield StreamBatch([StreamMessage("", "bye", b"{}")])

    async def _look(self) -> None:
        """Look at the store again and again, and tell all readers what is new."""
        newest = 0
        told: dict[str, ChangedRun] | None = None  # of the runs of which a tick is near the present
        while True:
            with contextlib.suppress(StoreError):  # it may be back at the next look
                if not newest or told == {}:  # at first, and where runs were dropped
                    newest = await asyncio.to_thread(self._store.select, paging.newest_tick)
                read = partial(paging.changed_since, tick=max(newest - BEHIND, 0), most=BEHIND)
                found = await asyncio.to_thread(self._store.select, read)
                new = [] if told is None else [one for one in found if told.get(one.run_id) != one]
                told = {one.run_id: one for one in found}
                newest = max((newest, *(one.tick for one in found)))
                for reader in self._readers if new or not self._has_looked else ():
                    _put(reader, new)
                self._has_looked = True
            await asyncio.sleep(LOOKS_EVERY)


def _put(reader: asyncio.Queue[Sequence[ChangedRun]], new: Sequence[ChangedRun]) -> None:
    """Give a reader what is new; to what one who is slow has not taken yet it is added."""
    waiting = [] if reader.empty() else list(reader.get_nowait())
    latest = {one.run_id: one for one in (*waiting, *new)}
    reader.put_nowait(list(latest.values())[-(MOST + 1) :])


def _told(seen: Sequence[ChangedRun], principal: Principal) -> dict[str, object]:
    """Return what somebody is told: runs, or that questions may be other ones."""
    if not principal.may("see"):
        return {"tasks": True}
    runs = [{"run": one.run_id, "workflow": one.workflow, "status": one.status} for one in seen[-MOST:]]
    return {"runs": runs, "more": len(seen) > MOST}
