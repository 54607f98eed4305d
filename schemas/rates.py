"""How often something may be called, as specs and settings write it, such as `60 per min`. Both houses read it here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["LARGEST", "LONGEST", "BadRateError", "read_hosts", "read_rate"]

LARGEST: Final = 100_000
"""The largest number of calls in one rate, for each of which a moment is kept."""

LONGEST: Final = 86_400.0
"""The longest stretch of time of a rate, in seconds."""

_UNITS: Final = {
    **dict.fromkeys(("s", "sec", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3_600.0),
    **dict.fromkeys(("day", "days"), 86_400.0),
}
_RATE: Final = r"(\d{1,9}) +per +(?:(\d{1,6}) *)?([a-z]+)"
_HOST: Final = r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?::\d{1,5})?"


class BadRateError(ValueError):
    """A rate, or the table of a host, is not as it must be.

    Args:
        why: In words.
        key: The key that is wrong; empty if it is the whole.
    """

    def __init__(self, why: str, key: str = "") -> None:
        super().__init__(why)
        self.key = key


def read_rate(text: object) -> tuple[int, float]:
    """Return the number of calls and the seconds of a rate.

    Raises:
        BadRateError: It is none.
    """
    found = re.fullmatch(_RATE, text.strip(), re.ASCII) if isinstance(text, str) else None
    if found is None or found[3] not in _UNITS:
        raise BadRateError("a rate is a number and a time, such as `60 per min` or `5 per 10 s`")
    most, seconds = int(found[1]), float(found[2] or 1) * _UNITS[found[3]]
    if not most or not seconds:
        raise BadRateError("neither number may be 0")
    if most > LARGEST:
        raise BadRateError(f"at most {LARGEST:,} calls are counted: name a shorter time")
    if seconds > LONGEST:
        raise BadRateError("the longest time is a day")
    return most, seconds


def read_hosts(table: object) -> dict[str, tuple[tuple[int, float] | None, int | None]]:
    """Return the rates of hosts and how many of their requests may be under way, as settings have them by host.

    Raises:
        BadRateError: The table is not as it must be.
    """
    if not isinstance(table, Mapping):
        raise BadRateError('`hosts` must be a table, such as `{"api.shop.example" = {rate = "60 per min"}}`')
    found = {}
    for host, limits in table.items():
        if not re.fullmatch(_HOST, str(host), re.ASCII):
            raise BadRateError(
                f"`{host}` is no host: it is written in small letters, without `https://` and path", str(host)
            )
        if not isinstance(limits, Mapping) or not limits or limits.keys() - {"rate", "at_once"}:
            raise BadRateError(f"`hosts.{host}` must be a table of `rate`, `at_once` or both", str(host))
        at_once = limits.get("at_once")
        if at_once is not None and (not isinstance(at_once, int) or isinstance(at_once, bool) or at_once < 1):
            raise BadRateError(f"`at_once` of `{host}` must be a whole number from 1", "at_once")
        try:
            rate = read_rate(limits["rate"]) if "rate" in limits else None
        except BadRateError as error:
            raise BadRateError(f"`rate` of `{host}`: {error}", "rate") from None
        found[str(host)] = rate, at_once
    return found
