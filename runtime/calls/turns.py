"""Turns of calls that are limited: who may begin a call now, and who waits, in order.

In a process those that wait for the same thing stand in one line. The first of the line alone asks a ledger, which
counts the calls: in memory, or in a store for all processes that share it.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, NamedTuple, Protocol

from wfc.runtime.calls.bindings import CallLimit
from wfc.runtime.calls.standing_time import standing_still

__all__ = ["CallLedger", "MemoryLedger", "Refused", "Taken", "Turns"]

_OTHER_TIME: Final = 1.0
"""The seconds by which a call that began in the future shows that it began in a loop whose time is another one."""


class Taken(NamedTuple):
    """A call that may begin: what is called, and the number that its ledger knows it by."""

    name: str
    number: int


class Refused(NamedTuple):
    """Why a call may not begin yet: after so many seconds it is worth while to ask again.

    Args:
        seconds: ``None``: as soon as another call of this process has ended.
        by_rate: Whether too many have begun of late; otherwise too many are under way, or others come first.
    """

    seconds: float | None
    by_rate: bool


class CallLedger(Protocol):
    """What counts calls."""

    async def take(self, limit: CallLimit) -> Taken | Refused:
        """Let a call begin, if it may."""

    def leave(self, taken: Taken) -> None:
        """Note that a call has ended; this never waits."""

    def stop_waiting(self, name: str) -> None:
        """Note that nobody in this process waits for a call any more."""


class _Waiter:
    """A call that stands in a line."""

    __slots__ = ("_loop", "_woken")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Let it look again; from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._woken.set)

    async def sleep(self, seconds: float | None) -> None:
        """Wait until it is woken, or the time is over."""
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            pass
        self._woken.clear()


class Turns:
    """The lines in which calls wait for their turns.

    Args:
        ledger: What counts them.
    """

    def __init__(self, ledger: CallLedger) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()  # the runs of an engine may be in several threads
        self._lines: dict[str, OrderedDict[_Waiter, None]] = {}

    def waiting(self) -> list[tuple[str, int]]:
        """Return how many calls wait for their turn, by the name of what they call."""
        with self._lock:
            return sorted((name, len(line)) for name, line in self._lines.items())

    @asynccontextmanager
    async def turn(self, limit: CallLimit, tell: Callable[[Refused | None], None]) -> AsyncIterator[None]:
        """Wait for a call's turn, while all time-outs of that call stand still; the body is the call.

        Args:
            tell: Called once if it has to wait: with why, or ``None`` if others of this process come first.
        """
        with standing_still():
            taken = await self._enter(limit, tell)
        try:
            yield
        finally:
            self._ledger.leave(taken)
            self._wake_first(limit.name)

    async def _enter(self, limit: CallLimit, tell: Callable[[Refused | None], None]) -> Taken:
        waiter, is_told = _Waiter(), False
        with self._lock:
            line = self._lines.setdefault(limit.name, OrderedDict())
            line[waiter] = None
        try:
            while True:
                why = await self._ledger.take(limit) if next(iter(line)) is waiter else None
                if isinstance(why, Taken):
                    return why
                if not is_told:
                    is_told = True
                    tell(why)
                await waiter.sleep(None if why is None else why.seconds)
        finally:
            with self._lock:
                del line[waiter]
                is_empty = not line
                if is_empty:
                    del self._lines[limit.name]
            if is_empty and is_told:
                self._ledger.stop_waiting(limit.name)
            self._wake_first(limit.name)

    def _wake_first(self, name: str) -> None:
        with self._lock:
            line = self._lines.get(name)
            first = next(iter(line)) if line else None
        if first is not None:
            first.wake()


class MemoryLedger:
    """Counts the calls of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._begun: dict[str, deque[float]] = {}  # when the last calls began, oldest first
        self._under_way: Counter[str] = Counter()

    async def take(self, limit: CallLimit) -> Taken | Refused:
        """Let a call begin, if it may."""
        with self._lock:
            if limit.at_once is not None and self._under_way[limit.name] >= limit.at_once:
                return Refused(None, by_rate=False)
            if (left := self._note_begin(limit, asyncio.get_running_loop().time())) > 0:
                return Refused(left, by_rate=True)
            self._under_way[limit.name] += 1
            return Taken(limit.name, 0)

    def _note_begin(self, limit: CallLimit, now: float) -> float:
        """Note that a call begins, unless it has to wait for its rate; return for how long."""
        begun = self._begun.get(limit.name)
        if limit.rate is not None:
            most, seconds = limit.rate
            if begun is None or (begun.maxlen or 0) < most:
                begun = self._begun[limit.name] = deque(begun or (), maxlen=most)
            if begun and begun[-1] > now + _OTHER_TIME:
                begun.clear()
            if len(begun) >= most and (left := begun[-most] + seconds - now) > 0:
                return left
        if begun is not None:
            begun.append(now)
        return 0.0

    def leave(self, taken: Taken) -> None:
        """Note that a call has ended."""
        with self._lock:
            self._under_way[taken.name] -= 1

    def stop_waiting(self, name: str) -> None:
        """Note that nobody waits for a call any more, which only other processes would ask."""
