"""Moments as a run counts them: whole nanoseconds since 1970, in UTC, so that sums of them are exact.

That is what the cheapest of clocks gives, `time.time_ns`; nothing is converted where a tick is made.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

__all__ = ["LONGEST", "SECOND", "as_datetime", "as_moment", "seconds_later"]

SECOND = 1_000_000_000
"""The nanoseconds of a second."""

_START = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
LONGEST = 10**21
"""More nanoseconds than ``datetime`` has: a wait of that length never ends."""


def as_moment(when: datetime) -> int:
    """Return the moment of a time with an offset."""
    return (when - _START) // _MICROSECOND * 1000


def as_datetime(moment: int) -> datetime:
    """Return a moment as a time in UTC."""
    return _START + timedelta(microseconds=moment // 1000)


def seconds_later(moment: int, seconds: float) -> int:
    """Return the moment so many seconds later; one that never comes, if they are too many to count."""
    return moment + (round(seconds * SECOND) if seconds < LONGEST / SECOND else LONGEST)
