"""Lengths of time as people write them, such as `30s`, `5 minutes`, `1h 30 min` or `PT30S` → seconds."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["UNITS", "everyday_seconds", "seconds"]

UNITS: Final = {
    **dict.fromkeys(("week", "weeks", "w"), 604_800.0),
    **dict.fromkeys(("day", "days", "d"), 86_400.0),
    **dict.fromkeys(("hour", "hours", "h"), 3_600.0),
    **dict.fromkeys(("minute", "minutes", "min"), 60.0),
    **dict.fromkeys(("second", "seconds", "sec", "s"), 1.0),
    **dict.fromkeys(("millisecond", "milliseconds", "ms"), 0.001),
}
"""Seconds by unit. `m` is none of them: people read it as minutes and as months."""

PART: Final = r"(\d{1,12}(?:\.\d{1,6})?)\s*([a-z]+)"
EVERYDAY: Final = rf"{PART}(?:\s*{PART})*"
ISO: Final = (
    r"([+-])?P(?=.)(?:(\d{1,9}(?:\.\d+)?)W)?(?:(\d{1,9}(?:\.\d+)?)D)?"
    r"(?:T(?=\d)(?:(\d{1,9}(?:\.\d+)?)H)?(?:(\d{1,9}(?:\.\d+)?)M)?(?:(\d{1,12}(?:\.\d+)?)S)?)?"
)
ISO_UNITS: Final = ("w", "d", "h", "min", "s")


def everyday_seconds(text: str) -> float | None:
    """Return the seconds of a number with a unit, or of several from the largest unit to the smallest.

    ``None`` if the text is something else.
    """
    if not re.fullmatch(EVERYDAY, text, re.ASCII):
        return None
    total, last = 0.0, float("inf")
    for amount, unit in re.findall(PART, text, re.ASCII):
        size = UNITS.get(unit)
        if size is None or size >= last:
            return None
        total, last = total + float(amount) * size, size
    return total


def seconds(text: str) -> float | None:
    """Return the seconds of a duration in data: as people write it, or in ISO 8601 without years and months."""
    found = everyday_seconds(text)
    if found is not None:
        return found
    match = re.fullmatch(ISO, text, re.ASCII)
    if match is None:
        return None
    sign, *amounts = match.groups()
    parts = zip(amounts, ISO_UNITS, strict=True)
    total = sum(float(amount) * UNITS[unit] for amount, unit in parts if amount)
    return -total if sign == "-" else total
