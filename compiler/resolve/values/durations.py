"""Lengths of time in specs: written out, such as `30s`, `5 minutes` or `1h 30 min`, or worked out."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Finding, Place, Report
from wfc.compiler.expressions import Expression, Scope, parse_template
from wfc.compiler.resolve.values.bare_expressions import hint_in_braces
from wfc.compiler.rules import steps as problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.types import DURATION, STRING, UNKNOWN, assignable, show
from wfc.compiler.types.durations import PART, UNITS, everyday_seconds

__all__ = ["duration", "duration_or_expression"]

# What people also write, and the unit that is meant.
MEANT: Final = {
    "msec": "ms",
    "millis": "ms",
    "secs": "s",
    "mins": "min",
    "hr": "h",
    "hrs": "h",
    "wk": "weeks",
    "wks": "weeks",
}

LONGEST: Final = 100 * 365 * 86400.0  # a century: what is longer is a slip, and no clock takes it
ANY_PART: Final = re.compile(PART, re.ASCII | re.IGNORECASE)


def duration(text: object, place: Place, report: Report, *, zero: bool = False) -> float | None:
    """Return the seconds of a written duration; ``None`` with a finding if it is not valid.

    Args:
        text: As the spec has it; anything but a text is a finding.
        place: Where it stands.
        report: Takes the finding.
        zero: Whether no time at all is sensible here (`delay`, `jitter`).
    """
    seconds = everyday_seconds(text.strip()) if isinstance(text, str) else None
    if seconds is None:
        report(_misspelt(text, place))
        return None
    if seconds > LONGEST:
        report(problems.bad_duration(place, str(text), "no wait is longer than a hundred years"))
        return None
    if seconds == 0 and not zero:
        report(problems.bad_duration(place, str(text), "it must be longer than nothing"))
        return None
    return seconds


def duration_or_expression(
    text: object, place: Place, scope: Scope, report: Report, *, zero: bool = False
) -> float | Expression | None:
    """Return the seconds of a written duration, or the expression that gives a duration.

    ``None`` with a finding if it is neither. ``zero``: see ``duration``.
    """
    if not isinstance(text, str) or "${{" not in text:
        hint = hint_in_braces(text, place, DURATION, scope) if isinstance(text, str) else ""
        if hint:
            report(problems.bad_duration(place, _shown(text), hint))
            return None
        return duration(text, place, report, zero=zero)
    template = parse_template(text, place, scope, report, statements=False)
    if template.type != UNKNOWN and not assignable(template.type, DURATION):
        hint = 'a length is computed as in `${{ event.days * "1 day" }}`'
        if template.whole is not None:
            hint = "turn the text into one: `… | duration`" if assignable(template.type, STRING) else hint
        why = f"wanted a duration, found {show(template.type)}"
        report(value_problems.wrong_value(place, why, hint))
        return None
    return template.whole


def _misspelt(text: object, place: Place) -> Finding:
    """Return the finding about what is no length of time, with what to write instead if that is clear."""
    words = " ".join(str(text).replace("\xa0", " ").split())
    from wfc.compiler.types.stray_quotes import about_stray_quote  # a good spec never needs it

    if told := about_stray_quote(text, lambda each: everyday_seconds(str(each)) is not None):
        return problems.bad_duration(place, _shown(text), told)
    parts = ANY_PART.findall(words) if isinstance(text, str) else []
    if not parts or ANY_PART.sub("", words).strip():
        return problems.bad_duration(place, _shown(text), _advice(words))
    unknown = [unit for _, unit in parts if _unit(unit) is None]
    if any(unit in {"m", "M"} for unit in unknown):
        return _minutes_or_months(place, words, parts)
    if unknown:
        units = "the units are `ms`, `s`, `min`, `h`, `days` and `weeks`"
        return problems.bad_duration(place, _shown(text), units)
    better = _spelt([(amount, _unit(unit) or unit) for amount, unit in parts])
    if everyday_seconds(better) is None:
        why = "write each unit once, the largest first, such as `1h 30 min`"
        return problems.bad_duration(place, _shown(text), why)
    if words != str(text) and words == better:
        return problems.bad_duration(place, _shown(text), f"a special blank stands between: write `{words}`")
    return problems.bad_duration(place, _shown(text), f"write `{better}`", better, sure=True)


def _advice(words: str) -> str:
    """Return what to write instead of something that is not a number with a unit."""
    if "${{" in words:
        return "a length of time stands here written out, such as `30s` or `5 min`"
    return "write a number and a unit, such as `30s` or `5 min`"


def _unit(unit: str) -> str | None:
    """Return the unit that is meant by a word; ``None`` if none is."""
    word = MEANT.get(unit.lower(), unit.lower())
    return word if word in UNITS else None


def _minutes_or_months(place: Place, text: str, parts: list[tuple[str, str]]) -> Finding:
    better = _spelt([(amount, "min" if unit in {"m", "M"} else unit) for amount, unit in parts])
    if everyday_seconds(better) is None:
        better = ""
    hint = f"`m` may be minutes or months: write `{better}`, or days for months" if better else ""
    return problems.bad_duration(
        place, text, hint or "`m` may be minutes or months: write `min` or days", better
    )


def _spelt(parts: list[tuple[str, str]]) -> str:
    return " ".join(f"{amount}{unit}" if unit in {"s", "h"} else f"{amount} {unit}" for amount, unit in parts)


def _shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
