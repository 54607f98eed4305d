"""What expressions of specs compute beyond Python's own operators: pure functions that generated code calls."""

from __future__ import annotations

import json as _json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, timedelta
from datetime import datetime as _datetime
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from itertools import chain, islice
from typing import Any, Final, TypeVar, overload
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, TypeAdapter

from wfc.runtime.errors import ExpressionError
from wfc.runtime.merging import merged_by

__all__ = [
    "at",
    "at_most",
    "ceil",
    "chunk",
    "count_by",
    "datetime",
    "day",
    "decimal",
    "default",
    "duration",
    "finite",
    "first",
    "flatten",
    "floor",
    "formatted",
    "group",
    "indent",
    "integer",
    "json",
    "last",
    "merged_by",
    "most_common",
    "most_common_if_any",
    "number",
    "rounded",
    "text",
    "total",
    "truncate",
    "unique",
    "url_part",
]

T = TypeVar("T")
Scalar = str | int | float | bool | Decimal | date | timedelta  # a datetime is a date

EXACT: Final = Context(prec=5000, Emax=999999, Emin=-999999)
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
PLAIN: Final[TypeAdapter[Any]] = TypeAdapter(Any, config=ConfigDict(defer_build=True))
AMOUNT: Final = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)\s*([a-z]+)")
ISO: Final = re.compile(
    r"([+-]?)P(?=.)(?:(\d{1,9}(?:\.\d+)?)Y)?(?:(\d{1,9}(?:\.\d+)?)W)?(?:(\d{1,9}(?:\.\d+)?)D)?"
    r"(?:T(?=\d)(?:(\d{1,9}(?:\.\d+)?)H)?(?:(\d{1,9}(?:\.\d+)?)M)?(?:(\d{1,12}(?:\.\d+)?)S)?)?"
)


# --- texts


def text(value: Scalar) -> str:
    """A scalar as it stands in a text.

    ``true``; ``2.5``, and ``2`` for 2.0; decimals without exponents; dates and moments in ISO 8601, moments
    in UTC with ``Z``; durations as ``1 day 2h 30 min``.
    """
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return number_text(value)
        case Decimal():
            return f"{value:f}"
        case _datetime():
            return moment_text(value)
        case date():
            return value.isoformat()
        case timedelta():
            return duration_text(value)
    raise ExpressionError(f"a {type(value).__name__} has no form of its own in a text")


def number_text(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)


def moment_text(value: _datetime) -> str:
    if value.tzinfo is None:
        return value.isoformat()
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def duration_text(value: timedelta) -> str:
    sign, left = ("-", -value) if value < timedelta() else ("", value)
    days, left = divmod(left, timedelta(days=1))
    hours, left = divmod(left, timedelta(hours=1))
    minutes, left = divmod(left, timedelta(minutes=1))
    seconds = left.total_seconds()
    parts = [
        f"{days} day{'s' if days != 1 else ''}" if days else "",
        f"{hours}h" if hours else "",
        f"{minutes} min" if minutes else "",
        f"{number_text(seconds)}s" if seconds else "",
    ]
    return sign + (" ".join(part for part in parts if part) or "0s")


def url_part(value: Scalar) -> str:
    """A scalar as a part of a URL: everything that means something there is encoded, ``/`` included."""
    found = text(value)
    if found in {".", ".."}:  # which would lead to another path
        return found.replace(".", "%2E")
    return quote(found, safe="")


def truncate(value: str, length: int, end: str = "…") -> str:
    """The text, cut to so many characters, the end's included."""
    if len(value) <= length:
        return value
    return value[: max(0, length - len(end))].rstrip() + end if length > 0 else ""


def indent(value: str, width: int = 4) -> str:
    """The text with every line but the first moved to the right; empty lines stay empty."""
    first, *rest = value.split("\n")
    return "\n".join([first, *(f"{' ' * width}{line}" if line else line for line in rest)])


def json(value: object, indent: int | None = None) -> str:
    """The value as JSON: records under their names in data, moments and decimals as texts."""
    return _json.dumps(plain(value), ensure_ascii=False, indent=indent, allow_nan=False)


def plain(value: object) -> Any:
    """The value as JSON data."""
    try:
        return PLAIN.dump_python(value, mode="json", by_alias=True)
    except ValueError:  # pydantic's error for what it cannot serialize is one
        raise ExpressionError(f"a {type(value).__name__} has no form in JSON") from None


def formatted(value: date, pattern: str) -> str:
    """A date or a moment as a text, by the signs of ``strftime``."""
    return value.strftime(pattern)


# --- numbers


def finite(value: float) -> float:
    """The number, if it is one.

    Raises:
        ExpressionError: It is infinite or not a number.
    """
    if math.isfinite(value):
        return value
    raise ExpressionError("the result is too large for a number")


@overload
def rounded(value: Decimal, digits: int) -> Decimal: ...
@overload
def rounded(value: float, digits: int) -> float: ...
@overload
def rounded(value: float | Decimal, digits: None = None) -> int: ...
def rounded(value: float | Decimal, digits: int | None = None) -> float | Decimal:
    """The nearest whole number, or the nearest with so many digits after the point; halves go away from zero."""
    # by what the number looks like: 2.345 is a little less than it looks, and still rounds up
    exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    step = -max(-300, min(300, digits or 0))
    exponent = exact.as_tuple().exponent
    if isinstance(exponent, int) and exponent < step:
        exact = exact.quantize(Decimal(1).scaleb(step), ROUND_HALF_UP, EXACT)
    if digits is None:
        return int(exact)
    return exact if isinstance(value, Decimal) else float(exact)


def floor(value: float | Decimal) -> int:
    """The greatest whole number that is not above it."""
    return math.floor(value)


def ceil(value: float | Decimal) -> int:
    """The least whole number that is not below it."""
    return math.ceil(value)


# --- from one type to another


def integer(value: str) -> int:
    """The whole number that a text holds.

    Raises:
        ExpressionError: It holds none.
    """
    if len(value) <= 400 and re.fullmatch(r"\s*[+-]?\d+\s*", value):
        return int(value)
    raise cannot_read(value, "a whole number")


def number(value: str | int | Decimal) -> float:
    """The number that a text holds, or the one that is nearest to a decimal.

    Raises:
        ExpressionError: It holds none, or one that is too large.
    """
    try:
        found = float(value)
    except (ValueError, OverflowError):
        raise cannot_read(value, "a number") from None
    if not math.isfinite(found):
        raise cannot_read(value, "a number")
    return found


def decimal(value: str | int | Decimal) -> Decimal:
    """The decimal that a text holds, exactly.

    Raises:
        ExpressionError: It holds none.
    """
    try:
        found = Decimal(value)
    except InvalidOperation:
        raise cannot_read(value, "a decimal") from None
    if not found.is_finite():
        raise cannot_read(value, "a decimal")
    return found


def day(value: str | date) -> date:
    """The date that a text holds, or the day of a moment, in UTC.

    Raises:
        ExpressionError: The text holds none.
    """
    if isinstance(value, _datetime):
        return value.astimezone(UTC).date()
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise cannot_read(value, "a date") from None


def datetime(value: str) -> _datetime:
    """The moment that a text holds, in UTC.

    Raises:
        ExpressionError: It holds none, or one without its offset.
    """
    try:
        found = _datetime.fromisoformat(value)
    except ValueError:
        raise cannot_read(value, "a moment") from None
    if found.tzinfo is None:
        raise ExpressionError(f"{value!r} says no offset, such as Z or +01:00")
    return found.astimezone(UTC)


def duration(value: str) -> timedelta:
    """The duration that a text holds: ``90 min``, ``3 days``, ``PT1H30M``.

    Raises:
        ExpressionError: It holds none.
    """
    if found := AMOUNT.fullmatch(value.strip()):
        unit = UNITS.get(WORDS.get(found[2], found[2]))
        if unit is not None and found[2] != "y":
            return scaled(unit, found[1], value)
    elif found := ISO.fullmatch(value.strip()):
        parts = zip(found.groups()[1:], ("y", "w", "d", "h", "min", "s"), strict=True)
        whole = sum((scaled(UNITS[unit], amount, value) for amount, unit in parts if amount), timedelta())
        return -whole if found[1] == "-" else whole
    raise cannot_read(value, "a duration")


def scaled(unit: timedelta, amount: str, value: str) -> timedelta:
    try:
        return unit * float(amount)
    except OverflowError:
        raise cannot_read(value, "a duration") from None


def cannot_read(value: object, kind: str) -> ExpressionError:
    return ExpressionError(f"{str(value)[:60]!r} cannot be read as {kind}")


# --- null


def default(value: T | None, other: T) -> T:
    """The value, or the other one where it is null."""
    return other if value is None else value


# --- lists


def at(items: Sequence[T], index: int) -> T:
    """The item of that number, from 0; of a negative one, counted from the end.

    Raises:
        ExpressionError: There is none.
    """
    if -len(items) <= index < len(items):
        return items[index]
    raise ExpressionError(f"there is no item {index} in a list of {len(items)}")


def at_most(limit: int, items: list[T]) -> list[T]:
    """The items, if there are not too many.

    Raises:
        ExpressionError: There are more than ``limit``.
    """
    if len(items) > limit:
        raise ExpressionError(f"there are {len(items)} items, and at most {limit} are allowed")
    return items


def first(items: Sequence[T]) -> T | None:
    """The first item, or ``None``."""
    return items[0] if items else None


def last(items: Sequence[T]) -> T | None:
    """The last item, or ``None``."""
    return items[-1] if items else None


def total(items: Iterable[timedelta]) -> timedelta:
    """All durations together."""
    return sum(items, timedelta())


def unique(items: Iterable[T], key: Callable[[T], object] | None = None) -> list[T]:
    """The items, each once, or one for each key, in the order of their first appearance."""
    seen: dict[object, None] = {}
    found = []
    for item in items:
        mark = identity(key(item) if key else item)
        if mark not in seen:
            seen[mark] = None
            found.append(item)
    return found


def identity(value: object) -> object:
    """Something hashable that is equal for equal values, and tells true from 1."""
    if isinstance(value, (BaseModel, list, dict)):
        return type(value), json(value)
    return isinstance(value, bool), value


def most_common(items: Sequence[T]) -> T:
    """The item that is there most often; of several such, the one that comes first.

    Raises:
        ExpressionError: There are no items.
    """
    if not items:
        raise ExpressionError("an empty list has no most common item")
    counts = Counter(identity(item) for item in items)
    most = max(counts.values())
    return next(item for item in items if counts[identity(item)] == most)


def most_common_if_any(items: Sequence[T]) -> T | None:
    """The same, or ``None`` for an empty list."""
    return most_common(items) if items else None


def flatten(items: Iterable[Iterable[T]]) -> list[T]:
    """The items of all lists, one after the other."""
    return list(chain.from_iterable(items))


def chunk(items: Sequence[T], size: int) -> list[list[T]]:
    """The items in lists of at most so many.

    Raises:
        ExpressionError: ``size`` is less than 1.
    """
    if size < 1:
        raise ExpressionError(f"chunks of {size} items cannot be made")
    left = iter(items)
    return list(iter(lambda: list(islice(left, size)), []))


def group(items: Iterable[T], key: Callable[[T], str]) -> dict[str, list[T]]:
    """The items by their key, in the order of its first appearance."""
    groups: dict[str, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


@overload
def count_by(items: Iterable[str]) -> dict[str, int]: ...
@overload
def count_by(items: Iterable[T], key: Callable[[T], str]) -> dict[str, int]: ...
def count_by(items: Iterable[Any], key: Callable[[Any], str] | None = None) -> dict[str, int]:
    """How many items have each key, in the order of its first appearance."""
    return dict(Counter(key(item) if key else item for item in items))
