"""Conversions between types of values in expressions of specs; used by `filters`."""

from __future__ import annotations

import math
import re
from datetime import UTC, date, timedelta
from datetime import datetime as _datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final, overload

from wfc.runtime.errors import ExpressionError

__all__ = ["datetime", "day", "decimal", "duration", "exact", "integer", "number"]

UNITS: Final = {
    "ms": timedelta(milliseconds=1),
    "s": timedelta(seconds=1),
    "min": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "y": timedelta(days=365),  # what pydantic writes for so many days; nobody can write it in a spec
}
WORDS: Final = {
    "millisecond": "ms",
    "milliseconds": "ms",
    "sec": "s",
    "second": "s",
    "seconds": "s",
    "minute": "min",
    "minutes": "min",
    "hour": "h",
    "hours": "h",
    "day": "d",
    "days": "d",
    "week": "w",
    "weeks": "w",
}
PART: Final = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)\s*([a-z]+)\s*", re.ASCII)
ISO: Final = re.compile(
    r"([+-]?)P(?=.)(?:(\d{1,9}(?:\.\d+)?)Y)?(?:(\d{1,9}(?:\.\d+)?)W)?(?:(\d{1,9}(?:\.\d+)?)D)?"
    r"(?:T(?=\d)(?:(\d{1,9}(?:\.\d+)?)H)?(?:(\d{1,9}(?:\.\d+)?)M)?(?:(\d{1,12}(?:\.\d+)?)S)?)?"
)


def integer(value: str | int) -> int:
    """Return the integer that a text contains; an integer is returned unchanged.

    Raises:
        ExpressionError: The text is not an integer.
    """
    if isinstance(value, int):
        return value
    if len(value) <= 400 and re.fullmatch(r"\s*[+-]?\d+\s*", value):
        return int(value)
    raise cannot_read(value, "a whole number")


def number(value: str | int | Decimal) -> float:
    """Return the number that a text contains, or the float nearest to a decimal.

    Raises:
        ExpressionError: The text is not a number, or the number is too large.
    """
    try:
        found = float(value)
    except (ValueError, OverflowError):
        raise cannot_read(value, "a number") from None
    if not math.isfinite(found):
        raise cannot_read(value, "a number")
    return found


def decimal(value: str | int | Decimal) -> Decimal:
    """Return the exact decimal that a text contains.

    Raises:
        ExpressionError: The text is not a decimal.
    """
    try:
        found = Decimal(value)
    except InvalidOperation:
        raise cannot_read(value, "a decimal") from None
    if not found.is_finite():
        raise cannot_read(value, "a decimal")
    return found


@overload
def exact(value: int | Decimal) -> Decimal: ...
@overload
def exact(value: int | Decimal | None) -> Decimal | None: ...
@overload
def exact(value: object) -> Any: ...
def exact(value: object) -> Any:
    """Return the value with all integers in it as decimals, for computing with decimals."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Decimal(value)
    if isinstance(value, list):
        return [exact(item) for item in value]
    if isinstance(value, dict):
        return {key: exact(each) for key, each in value.items()}
    return value


def day(value: str | date) -> date:
    """Return the date that a text contains, or the date of a datetime, in UTC.

    Raises:
        ExpressionError: The text is not a date.
    """
    if isinstance(value, _datetime):
        return value.astimezone(UTC).date()
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise cannot_read(value, "a date") from None


def datetime(value: str | _datetime) -> _datetime:
    """Return the datetime that a text contains, in UTC; a datetime is returned unchanged.

    Raises:
        ExpressionError: The text is not a datetime, or has no UTC offset.
    """
    if isinstance(value, _datetime):
        return value
    try:
        found = _datetime.fromisoformat(value)
    except ValueError:
        raise cannot_read(value, "a moment") from None
    if found.tzinfo is None:
        raise ExpressionError(f"{value!r} says no offset, such as Z or +01:00")
    return found.astimezone(UTC)


def duration(value: str | timedelta) -> timedelta:
    """Return the duration that a text contains (``90 min``, ``1h 30 min``, ``PT1H30M``), or a duration as is.

    Raises:
        ExpressionError: The text is not a duration.
    """
    if isinstance(value, timedelta):
        return value
    text = value.strip()
    try:
        return iso_duration(text) if "P" in text else everyday_duration(text)
    except OverflowError:
        raise cannot_read(text, "a duration") from None


def iso_duration(text: str) -> timedelta:
    """Return the duration of a text in ISO 8601, without months.

    Raises:
        ExpressionError: The text is something else.
    """
    found = ISO.fullmatch(text)
    if found is None:
        raise cannot_read(text, "a duration")
    parts = zip(found.groups()[1:], ("y", "w", "d", "h", "min", "s"), strict=True)
    whole = sum((UNITS[unit] * float(amount) for amount, unit in parts if amount), timedelta())
    return -whole if found[1] == "-" else whole


def everyday_duration(text: str) -> timedelta:
    """Return the duration of a number with a unit, or of several from the largest unit to the smallest.

    Raises:
        ExpressionError: The text is something else.
    """
    total, last, end = timedelta(), timedelta.max, 0
    while end < len(text) or not text:
        found = PART.match(text, end)
        unit = UNITS.get(WORDS.get(found[2], found[2])) if found is not None and found[2] != "y" else None
        if found is None or unit is None or unit >= last:
            raise cannot_read(text, "a duration")
        total, last, end = total + unit * float(found[1]), unit, found.end()
    return total


def cannot_read(value: object, kind: str) -> ExpressionError:
    return ExpressionError(f"{str(value)[:60]!r} cannot be read as {kind}")
