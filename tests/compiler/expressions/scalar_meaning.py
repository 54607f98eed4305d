"""What the language says of texts and scalars: conversions, forms in texts, JSON. Written without the runtime's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

__all__ = [
    "UndefinedError",
    "as_data",
    "as_date_text",
    "as_json",
    "as_text",
    "as_url_part",
    "as_url_path",
    "read_date",
    "read_datetime",
    "read_decimal",
    "read_duration",
    "read_integer",
    "read_number",
]

MICROSECONDS = {"ms": 10**3, "s": 10**6, "min": 60 * 10**6, "h": 3600 * 10**6, "d": 86_400 * 10**6}
MICROSECONDS["w"] = 7 * MICROSECONDS["d"]
UNITS = {
    unit: MICROSECONDS[short]
    for short, words in {
        "ms": "ms millisecond milliseconds",
        "s": "s sec second seconds",
        "min": "min minute minutes",
        "h": "h hour hours",
        "d": "d day days",
        "w": "w week weeks",
    }.items()
    for unit in words.split()
}
DATE_PARTS = {"Y": 365 * MICROSECONDS["d"], "W": MICROSECONDS["w"], "D": MICROSECONDS["d"]}
TIME_PARTS = {"H": MICROSECONDS["h"], "M": MICROSECONDS["min"], "S": MICROSECONDS["s"]}
UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class UndefinedError(Exception):
    """The language gives this no value: a division by zero, what is out of range, what cannot be read."""


# --- texts → values


def read_integer(text: str) -> int:
    digits = text.strip()
    if digits[:1] in ("+", "-"):
        digits = digits[1:]
    if len(text) > 400 or not digits or not all(map(str.isdecimal, digits)):
        raise UndefinedError("no whole number")
    return int(text)


def read_number(value: Any) -> float:
    found = float(value)
    if found in (float("inf"), float("-inf")) or found != found:  # noqa: PLR0124 - not a number
        raise UndefinedError("no number")
    return found


def read_decimal(value: Any) -> Decimal:
    found = Decimal(value)
    if not found.is_finite():
        raise UndefinedError("no decimal")
    return found


def read_date(text: str) -> date:
    return date.fromisoformat(text)


def read_datetime(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise UndefinedError("no offset")
    return found.astimezone(UTC)


def read_duration(text: str) -> timedelta:
    """An amount and a unit (``90 min``), or ISO 8601 (``PT1H30M``)."""
    words = text.strip()
    sign = -1 if words.startswith("-P") else 1
    if words.lstrip("+-").startswith("P"):
        amounts = list(iso_parts(words.lstrip("+-")[1:]))
    else:
        number = "".join(letter for letter in words if letter.isdecimal() or letter == ".")
        unit = words.removeprefix(number).strip()
        if not words.startswith(number) or unit not in UNITS:
            raise UndefinedError("no duration")
        amounts = [(number, UNITS[unit])]
    if not amounts:
        raise UndefinedError("no duration")
    return sum((span(number, unit) for number, unit in amounts), timedelta()) * sign


def iso_parts(words: str) -> Iterator[tuple[str, int]]:
    """The amounts of an ISO 8601 duration, each with its unit; a unit stands once, the greatest first."""
    days, _, time = words.partition("T")
    if "T" in words and not time:
        raise UndefinedError("no duration")
    for part, units in ((days, DATE_PARTS), (time, TIME_PARTS)):
        left, rest = list(units), part
        while rest:
            letter = next((each for each in rest if each.isalpha()), "")
            if letter not in left:
                raise UndefinedError("no duration")
            number, _, rest = rest.partition(letter)
            left = left[left.index(letter) + 1 :]
            yield number, units[letter]


def span(number: str, unit: int) -> timedelta:
    whole, dot, after = number.partition(".")
    if not whole.isdecimal() or (dot and not after.isdecimal()):
        raise UndefinedError("no duration")
    return timedelta(microseconds=round(Fraction(number) * unit))


# --- values → texts


def as_text(value: Any) -> str:
    """A scalar as it stands in a text."""
    for kind, form in FORMS:
        if isinstance(value, kind):
            return form(value)
    raise UndefinedError("no scalar")


def number_form(value: float) -> str:
    return f"{value:.0f}".replace("-0", "0") if value == 0 or is_short(value) else repr(value)


def is_short(value: float) -> bool:
    return value % 1 == 0 and -(10**16) < value < 10**16


def decimal_form(value: Decimal) -> str:
    """All digits, without an exponent."""
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    shown = "".join(map(str, digits)) + "0" * exponent
    if exponent < 0:
        shown = shown.rjust(1 - exponent, "0")
        shown = f"{shown[:exponent]}.{shown[exponent:]}"
    shown = shown.lstrip("0") if exponent > 0 and any(digits) else shown
    return "-" * sign + shown


def date_form(value: date) -> str:
    return f"{value.year:04}-{value.month:02}-{value.day:02}"


def moment_form(value: datetime) -> str:
    value = value.astimezone(UTC)
    fraction = f".{value.microsecond:06}" if value.microsecond else ""
    return f"{date_form(value)}T{value.hour:02}:{value.minute:02}:{value.second:02}{fraction}Z"


def in_microseconds(value: timedelta) -> int:
    return (value.days * 86_400 + value.seconds) * 10**6 + value.microseconds


def duration_form(value: timedelta) -> str:
    total = in_microseconds(value)
    left, words = abs(total), []
    for short, unit in (("day", "d"), ("h", "h"), (" min", "min")):
        count, left = divmod(left, MICROSECONDS[unit])
        if count:
            words.append(f"{count} day{'s' * (count > 1)}" if short == "day" else f"{count}{short}")
    if left:
        words.append(f"{number_form(left / 10**6)}s")
    return ("-" if total < 0 else "") + (" ".join(words) or "0s")


FORMS: tuple[tuple[type, Callable[[Any], str]], ...] = (
    (str, str),
    (bool, lambda value: "true" if value else "false"),
    (int, str),
    (float, number_form),
    (Decimal, decimal_form),
    (datetime, moment_form),
    (date, date_form),
    (timedelta, duration_form),
)


def as_date_text(value: date, pattern: str) -> str:
    """By the C library, which writes years below 1000 with fewer digits than four."""
    for directive, year in (("%Y", value.year), ("%G", value.isocalendar().year)):
        pattern = pattern.replace(directive, f"{year:04}")
    return value.strftime(pattern)


def as_url_part(value: Any) -> str:
    text = as_text(value)
    if text in (".", ".."):
        return "%2E" * len(text)
    return "".join(chr(byte) if byte in UNRESERVED else f"%{byte:02X}" for byte in text.encode())


def as_url_path(value: str) -> str:
    parts = value.split("/")
    kept = parts[:-1] if len(parts) > 1 and not parts[-1] else parts
    if any(part in ("", ".", "..") for part in kept):
        raise UndefinedError("another way")
    if any(ord(sign) < 32 or 127 <= ord(sign) < 160 or sign == "\\" for sign in value):
        raise UndefinedError("signs that no path has")
    return "/".join("".join(as_url_part(sign) if sign != "." else "." for sign in part) for part in parts)


# --- JSON


def as_json(value: Any, indent: int | None = None) -> str:
    if indent is not None and not 0 <= indent <= 1000:
        raise UndefinedError("out of range")
    return json.dumps(as_data(value), ensure_ascii=False, indent=indent)


def as_data(value: Any) -> Any:
    """The JSON data that a value is: moments, durations and decimals are texts."""
    match value:
        case None | bool() | int() | str() | float():
            return value
        case Decimal():
            return str(value)
        case datetime():
            return moment_form(value)
        case date():
            return date_form(value)
        case timedelta():
            return iso_form(value)
        case list():
            return [as_data(item) for item in value]
        case dict():
            return {key: as_data(item) for key, item in value.items()}
    # a record; a name that Python has taken has a `_` more than in data
    return {name.removesuffix("_"): as_data(item) for name, item in vars(value).items()}


def iso_form(value: timedelta) -> str:
    """ISO 8601, years of 365 days."""
    left, dates, times = abs(in_microseconds(value)), "", ""
    for letter in "YD":
        count, left = divmod(left, DATE_PARTS[letter])
        dates += f"{count}{letter}" if count else ""
    for letter in "HM":
        count, left = divmod(left, TIME_PARTS[letter])
        times += f"{count}{letter}" if count else ""
    if left:
        seconds, fraction = divmod(left, 10**6)
        times += f"{seconds}{f'.{fraction:06}'.rstrip('0').rstrip('.')}S"
    shown = f"P{dates}{f'T{times}' if times else ''}" if dates or times else "PT0S"
    return f"-{shown}" if in_microseconds(value) < 0 else shown
