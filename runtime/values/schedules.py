"""The moments at which a cron line is due in a time zone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from wfc.schemas.cron import CronLine

__all__ = ["next_due"]

_LONGEST_SEARCH: Final = 100
"""In years: days that do not come in so many do not come at all."""


def next_due(line: CronLine, zone: ZoneInfo, after: datetime) -> datetime | None:
    """Return the first moment after another at which a line is due, in UTC; ``None`` if there is none.

    A local time that does not exist, because clocks go forward, is due at the next that does; one that comes
    twice, because they go back, is due the first time only.

    Args:
        after: A datetime with an offset.
    """
    first = after.astimezone(zone).date() - timedelta(days=2)  # clocks have gone forward by a whole day
    for day in _days(line, first):
        if _moment(datetime.combine(day, time(23, 59)), zone) <= after:
            continue  # later local times are never due earlier
        for hour in sorted(line.hours):
            if _moment(datetime.combine(day, time(hour, 59)), zone) <= after:
                continue
            for minute in sorted(line.minutes):
                due = _moment(datetime.combine(day, time(hour, minute)), zone)
                if due > after:
                    return due
    return None


def _days(line: CronLine, first: date) -> Iterator[date]:
    """Yield the days on which a line is due, from one on."""
    last = date(min(first.year + _LONGEST_SEARCH, date.max.year - 1), 12, 31)
    day = first
    while day <= last:
        if day.month not in line.months:
            day = (day.replace(day=1) + timedelta(days=32)).replace(day=1)
            continue
        if line.has_day(day):
            yield day
        day += timedelta(days=1)


def _moment(local: datetime, zone: ZoneInfo) -> datetime:
    """Return the moment of a local time in UTC: the first of two, or the next local time that exists."""
    found = local.replace(tzinfo=zone).astimezone(UTC)
    if _local(found, zone) == local:
        return found
    # the clocks go forward over it: before the jump by one offset, from the jump on by the other
    low = local.replace(tzinfo=zone, fold=1).astimezone(UTC)
    high = found
    while high - low > timedelta(seconds=1):
        middle = low + timedelta(seconds=(high - low) // timedelta(seconds=2))
        low, high = (low, middle) if _local(middle, zone) > local else (middle, high)
    return high


def _local(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None, fold=0)
