"""The moments of a schedule between two others: which are due now, and which were missed."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from wfc.runtime.values.schedules import next_due
from wfc.schemas.cron import CronLine

__all__ = ["MOST_MISSED", "last_due"]

MOST_MISSED: Final = 100
"""How many missed moments a schedule makes up for at most."""

_SPANS: Final = (timedelta(hours=2), timedelta(days=2), timedelta(days=60), timedelta(days=800))


def last_due(
    line: CronLine, zone: ZoneInfo, after: datetime, until: datetime, most: int = MOST_MISSED
) -> list[datetime]:
    """Return the last moments at which a line is due after one moment and not after another, in order.

    Longer and longer stretches before the end are searched, since who was away for a year needs few of its moments.

    Args:
        most: How many, at most.
    """
    for span in (*_SPANS, until - after):
        start = max(after, until - span) if until - span > after else after
        found: list[datetime] = []
        due = next_due(line, zone, start)
        while due is not None and due <= until:
            found.append(due)
            due = next_due(line, zone, due)
        if len(found) >= most or start == after:
            return found[-most:]
    return []
