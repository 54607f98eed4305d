"""Time-outs of calls that stand still while a call waits for its turn."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

__all__ = ["bounded_by", "standing_still"]


class _Bound:
    """A time-out that is under way.

    Args:
        timeout: What ends the call.
        above: The time-out within which this one began.
    """

    __slots__ = ("_left", "_standing", "above", "timeout")

    def __init__(self, timeout: asyncio.Timeout, above: _Bound | None) -> None:
        self.timeout = timeout
        self.above = above
        self._standing = 0  # how many of its calls wait
        self._left = 0.0

    def stand(self) -> None:
        """Let no time pass until as many calls go on."""
        self._standing += 1
        due = self.timeout.when()
        if self._standing == 1 and due is not None and not self.timeout.expired():
            self._left = due - asyncio.get_running_loop().time()
            with suppress(RuntimeError):
                self.timeout.reschedule(None)

    def go_on(self) -> None:
        """Let the time that is left pass, if no other call waits."""
        self._standing -= 1
        if not self._standing and self.timeout.when() is None and not self.timeout.expired():
            with suppress(RuntimeError):  # it is over, and a task that it began is not
                self.timeout.reschedule(asyncio.get_running_loop().time() + self._left)


_BOUND: ContextVar[_Bound | None] = ContextVar("wfc_call_bound", default=None)


@contextmanager
def bounded_by(timeout: asyncio.Timeout) -> Iterator[None]:
    """Let a time-out stand still whenever a call within it waits for its turn."""
    token = _BOUND.set(_Bound(timeout, _BOUND.get()))
    try:
        yield
    finally:
        _BOUND.reset(token)


@contextmanager
def standing_still() -> Iterator[None]:
    """Let all time-outs that are under way here stand still."""
    bounds = []
    bound = _BOUND.get()
    while bound is not None:
        bounds.append(bound)
        bound = bound.above
    for bound in bounds:
        bound.stand()
    try:
        yield
    finally:
        for bound in bounds:
            bound.go_on()
