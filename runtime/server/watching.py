"""Waiting until a stored run has come further, whoever works on it: one look at the store for all who wait."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Final

from wfc.runtime.errors import StoreError
from wfc.runtime.store.sql import paging
from wfc.runtime.store.sql.journal import SqlJournal
from wfc.runtime.store.sql.paging import Progress

__all__ = ["Watch"]

LOOKS_EVERY: Final = 0.05
"""The seconds between two looks at the store, while anybody waits."""

MOST_AT_ONCE: Final = 5000


class Watch:
    """The progress of those runs of a store that somebody waits for."""

    def __init__(self, store: SqlJournal) -> None:
        self._store = store
        self._wanted: Counter[str] = Counter()
        self._known: dict[str, Progress] = {}
        self._changed: dict[str, asyncio.Event] = {}
        self._followers: dict[str, list[Callable[[Progress], None]]] = {}
        self._look = asyncio.Event()

    def look_now(self) -> None:
        """Look at once, as something has happened."""
        self._look.set()

    async def run(self) -> None:
        """Look at the store again and again, as long as anybody waits."""
        while True:
            while not self._wanted:
                self._look.clear()
                await self._look.wait()
            with contextlib.suppress(StoreError):  # it may be back at the next look
                await self._tell()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOKS_EVERY):
                    await self._look.wait()
            self._look.clear()

    async def _tell(self) -> None:
        wanted = list(self._wanted)
        for first in range(0, len(wanted), MOST_AT_ONCE):
            some = wanted[first : first + MOST_AT_ONCE]
            found = await asyncio.to_thread(self._store.select, partial(paging.progress, run_ids=some))
            for run_id, progress in found.items():
                if run_id in self._wanted and self._known.get(run_id) != progress:
                    self._known[run_id] = progress
                    if (changed := self._changed.get(run_id)) is not None:
                        changed.set()
                    for told in tuple(self._followers.get(run_id, ())):
                        told(progress)

    async def progress(self, run_id: str) -> Progress | None:
        """Return how far a run has come by now; ``None``: there is none.

        Raises:
            StoreError: The store cannot be read.
        """
        found = await asyncio.to_thread(self._store.select, partial(paging.progress, run_ids=[run_id]))
        return found.get(run_id)

    async def changed(self, run_id: str, before: Progress | None, seconds: float) -> Progress | None:
        """Return how far a run has come, once that is not what it was before; after some seconds in any case."""
        self._want(run_id)
        self._changed.setdefault(run_id, asyncio.Event())
        try:
            async with asyncio.timeout(seconds):
                while (found := self._known.get(run_id)) is None or found == before:
                    changed = self._changed[run_id]
                    await changed.wait()
                    if self._changed.get(run_id) is changed:  # the first one of those who have waited
                        self._changed[run_id] = asyncio.Event()
                return found
        except TimeoutError:
            return before
        finally:
            self._leave(run_id)

    def follow(self, run_id: str, told: Callable[[Progress], None]) -> Callable[[], None]:
        """Tell somebody how far a run has come, at first and whenever it has come further.

        Returns:
            What ends that.
        """
        self._want(run_id)
        followers = self._followers.setdefault(run_id, [])
        followers.append(told)
        if (known := self._known.get(run_id)) is not None:
            told(known)

        def end() -> None:
            followers.remove(told)
            if not followers and self._followers.get(run_id) is followers:
                del self._followers[run_id]
            self._leave(run_id)

        return end

    def _want(self, run_id: str) -> None:
        self._wanted[run_id] += 1
        if len(self._wanted) == 1:
            self._look.set()

    def _leave(self, run_id: str) -> None:
        self._wanted[run_id] -= 1
        if not self._wanted[run_id]:
            del self._wanted[run_id]
            self._known.pop(run_id, None)
            self._changed.pop(run_id, None)
