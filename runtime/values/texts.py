"""How scalars are written in texts and in addresses."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Final
from urllib.parse import quote

from wfc.runtime.errors import ExpressionError, StepError

__all__ = ["Scalar", "argument", "path_part", "text", "url_part", "url_path"]

Scalar = str | int | float | bool | Decimal | date | timedelta  # a datetime is a date

UNFIT_FOR_PATHS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\\]")


def text(value: Scalar) -> str:
    """Return a scalar as it is written in a text.

    ``true``; ``2.5``, and ``2`` for 2.0; decimals without exponents; dates and datetimes in ISO 8601,
    datetimes with an offset in UTC with ``Z``; durations as ``1 day 2h 30 min``.

    Raises:
        ExpressionError: The value is not a scalar.
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
        case datetime():
            return moment_text(value)
        case date():
            return value.isoformat()
        case timedelta():
            return duration_text(value)
    raise ExpressionError(f"a {type(value).__name__} has no form of its own in a text")


def number_text(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)


def moment_text(value: datetime) -> str:
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
    """Return a scalar percent-encoded as a part of a URL, with reserved characters such as ``/`` encoded."""
    found = text(value)
    if found in {".", ".."}:  # which would lead to another path
        return found.replace(".", "%2E")
    return quote(found, safe="")


def path_part(value: Scalar) -> str:
    """Return a scalar percent-encoded as a whole part between the slashes of a URL.

    Raises:
        StepError: ``http.invalid_request``: it is empty, or ``.`` or ``..``, so that another address would be asked.
    """
    found = text(value)
    if found in {"", ".", ".."}:
        what = f"`{found}`" if found else "empty"
        raise StepError(
            "http.invalid_request", f"a part of the address is {what}, which would ask another address"
        )
    return quote(found, safe="")


def url_path(value: str) -> str:
    """Return a text with each part between its slashes percent-encoded; a slash may end it.

    Raises:
        StepError: ``http.invalid_request``: a part is empty, or ``.`` or ``..``, or the text holds a backslash or a
            control character.
    """
    if UNFIT_FOR_PATHS.search(value):
        raise StepError(
            "http.invalid_request", "a path in the address holds a backslash or a control character"
        )
    parts, end = (value[:-1], "/") if value.endswith("/") else (value, "")
    return "/".join(map(path_part, parts.split("/"))) + end


def argument(value: str) -> str:
    """Return a text that data has begun, for an argument of a command.

    Raises:
        StepError: ``command.arguments``: it begins with ``-``, so that the command would take it for an option.
    """
    if value.startswith("-"):
        raise StepError(
            "command.arguments", "an argument from data begins with `-`, which would be an option"
        )
    return value
