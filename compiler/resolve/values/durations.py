"""Durations: `500 ms`, `30s`, `5 min`, `4h`, `3 days`, `2 weeks` → seconds."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Finding, Place, Report
from wfc.compiler.rules import steps as problems

__all__ = ["SECONDS", "duration"]

SECONDS: Final = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "days": 86400.0, "weeks": 604800.0}


# What people also write, and the unit that is meant.
UNITS: Final = {
    **{unit: unit for unit in SECONDS},
    "day": "days",
    "week": "weeks",
}


MEANT: Final = {
    "msec": "ms",
    "millis": "ms",
    "milliseconds": "ms",
    "sec": "s",
    "secs": "s",
    "second": "s",
    "seconds": "s",
    "mins": "min",
    "minute": "min",
    "minutes": "min",
    "hr": "h",
    "hrs": "h",
    "hour": "h",
    "hours": "h",
    "d": "days",
    "w": "weeks",
    "wk": "weeks",
}


LONGEST: Final = 100 * 365 * 86400.0  # a century: what is longer is a slip, and no clock takes it
PARTS: Final = re.compile(r"(?:[0-9]+ ?(?:h|min|s) ?)+", re.ASCII)
PATTERN: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]+)", re.ASCII)


def duration(text: object, place: Place, report: Report, *, zero: bool = False) -> float | None:
    """Return the seconds of a written duration; ``None`` with a finding if it is not valid.

    Args:
        text: As the spec has it; anything but a text is a finding.
        place: Where it stands.
        report: Takes the finding.
        zero: Whether no time at all is sensible here (`delay`, `jitter`).
    """
    match = PATTERN.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        report(problems.bad_duration(place, _shown(text), _meant(text)))
        return None
    number, unit = match.groups()
    if unit not in UNITS:
        report(_wrong_unit(place, str(text), number, unit))
        return None
    seconds = float(number) * SECONDS[UNITS[unit]]
    if seconds > LONGEST:
        report(problems.bad_duration(place, str(text), "no wait is longer than a hundred years"))
        return None
    if seconds == 0 and not zero:
        report(problems.bad_duration(place, str(text), "it must be longer than nothing"))
        return None
    return seconds


def _meant(text: object) -> str:
    """Return what to write instead of something that is not a number with a unit."""
    words = " ".join(str(text).replace("\xa0", " ").split())
    if "${{" in words:
        return "a length of time is written out; for a moment that is computed there is a `wait` with `until`"
    if words != str(text) and PATTERN.fullmatch(words):
        return f"a special blank stands between: write `{words}`"
    parts = PATTERN.findall(words)
    if len(parts) > 1 and PARTS.fullmatch(words) and all(unit in {"h", "min", "s"} for _, unit in parts):
        seconds = sum(float(number) * SECONDS[unit] for number, unit in parts)
        return (
            f"write one number: `{seconds / 60:g} min`"
            if seconds % 60 == 0
            else f"write one number: `{seconds:g}s`"
        )
    return "write a number and a unit, such as `30s` or `5 min`"


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _wrong_unit(place: Place, text: str, number: str, unit: str) -> Finding:
    if unit in {"m", "M"}:
        return problems.bad_duration(
            place,
            text,
            f"`m` may be minutes or months: write `{number} min`, or days for months",
            f"{number} min",
        )
    meant = MEANT.get(unit.lower(), unit.lower())
    if meant in UNITS:
        space = "" if meant in {"s", "h"} else " "
        better = f"{number}{space}{meant}"
        return problems.bad_duration(place, text, f"write `{better}`", better, sure=True)
    return problems.bad_duration(place, text, "the units are `ms`, `s`, `min`, `h`, `days` and `weeks`")
