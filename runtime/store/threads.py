"""Transcripts that outlive the step runs that they come from: one step run at a time has one, and others wait."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

__all__ = ["KeptThreads", "MemoryThreads", "ThreadKey", "Threads"]

_LONGEST_LOOK: Final = 1.0
"""The seconds after which a step run that waits looks again whether a thread is free in another process."""


class ThreadKey(NamedTuple):
    """A thread: its name, and what tells it from others of this name."""

    name: str
    key: str


class KeptThreads(Protocol):
    """The place where threads are kept."""

    async def take(self, thread: ThreadKey, holder: str) -> str | None:
        """Return what a thread holds, which is the holder's from now on; ``None``: another one has it.

        Whoever had it and is over has it no more. To take it again changes nothing.
        """

    async def read(self, thread: ThreadKey) -> str:
        """Return what a thread holds; empty, if there is nothing."""

    async def put(self, thread: ThreadKey, holder: str, text: str, seconds: float | None) -> None:
        """Keep what a thread holds from now on, and let others have it; do nothing if it is not the holder's.

        Args:
            seconds: How long it is kept; ``None``: for ever.
        """


class Threads:
    """The threads that step runs of an engine take one after the other.

    Args:
        kept: Where they are kept.
    """

    def __init__(self, kept: KeptThreads) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        self._lines: defaultdict[ThreadKey, list[_Waiting]] = defaultdict(list)

    async def take(self, thread: ThreadKey, holder: str) -> str:
        """Return what a thread holds, once nobody else has it; those of this engine take turns in their order."""
        own = _Waiting(asyncio.get_running_loop(), asyncio.Event())
        with self._lock:
            self._lines[thread].append(own)
        seconds = _LONGEST_LOOK / 64
        try:
            while True:
                is_first = self._lines[thread][0] is own
                found = await self._kept.take(thread, holder) if is_first else None
                if found is not None:
                    return found
                try:
                    await asyncio.wait_for(own.called.wait(), seconds)
                except TimeoutError:
                    seconds = min(2 * seconds, _LONGEST_LOOK)
                own.called.clear()
        finally:
            with self._lock:
                self._lines[thread].remove(own)
            self._call_next(thread)

    async def read(self, thread: ThreadKey) -> str:
        """Return what a thread holds, whoever has it."""
        return await self._kept.read(thread)

    async def put(self, thread: ThreadKey, holder: str, text: str, seconds: float | None) -> None:
        """Keep what a thread holds from now on, and let the next one have it; see ``KeptThreads``."""
        await self._kept.put(thread, holder, text, seconds)
        self._call_next(thread)

    def _call_next(self, thread: ThreadKey) -> None:
        with self._lock:
            line = self._lines[thread]
            first = line[0] if line else None
            if first is None:
                del self._lines[thread]
            elif not first.loop.is_closed():
                first.loop.call_soon_threadsafe(first.called.set)


@dataclass(eq=False, slots=True)
class _Waiting:
    loop: asyncio.AbstractEventLoop
    called: asyncio.Event


@dataclass(slots=True)
class _InMemory:
    text: str = ""
    holder: str | None = None
    until: float | None = None


class MemoryThreads:
    """Threads in memory.

    Args:
        is_under_way: Returns whether a run is under way.
    """

    def __init__(self, is_under_way: Callable[[str], bool]) -> None:
        self._is_under_way = is_under_way
        self._lock = threading.Lock()
        self._found: dict[ThreadKey, _InMemory] = {}

    async def take(self, thread: ThreadKey, holder: str) -> str | None:
        """Return what a thread holds; see ``KeptThreads``."""
        with self._lock:
            found = self._found.setdefault(thread, _InMemory())
            if found.holder not in {None, holder} and self._is_under_way(str(found.holder)):
                return None
            found.holder = holder
            return _kept_until(found)

    async def read(self, thread: ThreadKey) -> str:
        """Return what a thread holds; see ``KeptThreads``."""
        with self._lock:
            return _kept_until(self._found.get(thread, _InMemory()))

    async def put(self, thread: ThreadKey, holder: str, text: str, seconds: float | None) -> None:
        """Keep what a thread holds; see ``KeptThreads``."""
        with self._lock:
            found = self._found.get(thread)
            if found is not None and found.holder == holder:
                until = None if seconds is None else time.time() + seconds
                self._found[thread] = _InMemory(text, None, until)


def _kept_until(found: _InMemory) -> str:
    return "" if found.until is not None and found.until < time.time() else found.text
