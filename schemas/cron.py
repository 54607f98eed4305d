"""Cron lines, as triggers in specs have them: what a line says, or what is wrong with it. Both houses read it here.

A line has five fields: minute, hour, day of the month, month and day of the week. A field is `*` or a list of
numbers, ranges (`1-5`) and steps (`*/15`, `8-18/2`); months and days of the week may be named in English (`JAN`,
`MON`), and 7 is Sunday as well as 0. Where both fields of days are restricted, either is enough, as in every cron; one
that begins with `*` does not restrict.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final, NamedTuple

__all__ = ["BadCronError", "CronLine", "parse_cron"]

LONGEST: Final = 500
MONTHS: Final = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split()
WEEKDAYS: Final = "SUN MON TUE WED THU FRI SAT".split()
ALIASES: Final = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
PART: Final = re.compile(r"(?P<first>\*|\w+)(?:-(?P<last>\w+))?(?:/(?P<step>\w+))?", re.ASCII)
ZONED: Final = re.compile(r"(?:CRON_)?TZ=\S+|[A-Z][a-z]+/[A-Z]\w+|(?:UTC|GMT)\Z")
"""A word that names a zone, as other crons take one."""
DAYS_IN: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class BadCronError(ValueError):
    """A text is no cron line; ``hint`` says what to write instead, or is empty."""

    def __init__(self, message: str, hint: str = "", line: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        self.line = line


class Field(NamedTuple):
    """One of the five fields: what it is called, which numbers it may have, and what these are called."""

    name: str
    least: int
    most: int
    names: list[str] = []  # noqa: RUF012 - a named tuple's default is never changed


FIELDS: Final = (
    Field("minute", 0, 59),
    Field("hour", 0, 23),
    Field("day of the month", 1, 31),
    Field("month", 1, 12, MONTHS),
    Field("day of the week", 0, 7, WEEKDAYS),
)


class CronLine(NamedTuple):
    """The moments that a line means, each field as the numbers that it allows; days of the week from 0, Sunday.

    ``any_day`` and ``any_weekday`` say that the field does not restrict.
    """

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    any_day: bool
    any_weekday: bool

    def has_day(self, day: date) -> bool:
        """Return whether the line means something on a day."""
        if day.month not in self.months:
            return False
        in_days, in_weekdays = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        if self.any_day or self.any_weekday:
            return in_days and in_weekdays
        return in_days or in_weekdays


def parse_cron(text: str) -> CronLine:
    """Return what a cron line means.

    Raises:
        BadCronError: It is no cron line, or means no moment at all.
    """
    if len(text) > LONGEST:
        raise BadCronError(f"it is longer than {LONGEST} characters")
    words = text.split()
    if len(words) == 1 and words[0].startswith("@"):
        meant = ALIASES.get(words[0].lower(), "")
        raise BadCronError("the five fields are written out here", f"write `{meant}`" if meant else "", meant)
    if len(words) != len(FIELDS):
        raise BadCronError(f"it has {len(words)} fields, not five", _hint_for_count(words))
    minutes, hours, days, months, weekdays = map(_numbers, words, FIELDS)
    weekdays = frozenset(number % 7 for number in weekdays)
    line = CronLine(minutes, hours, days, months, weekdays, words[2][0] == "*", words[4][0] == "*")
    if line.any_weekday and not any(min(days) <= DAYS_IN[month - 1] for month in months):
        longest = max(DAYS_IN[month - 1] for month in months)
        raise BadCronError(
            "no year has such a day", f"the months of the fourth field have at most {longest} days"
        )
    return line


def _hint_for_count(words: list[str]) -> str:
    if zone := next((word for word in words if ZONED.match(word)), ""):
        return f"the zone stands under `zone`: `zone: {zone.rpartition('=')[2]}`"
    if len(words) in {6, 7}:
        return "seconds and years have no field: minute, hour, day of the month, month, day of the week"
    return (
        "minute, hour, day of the month, month, day of the week: `0 7 * * 1-5` is 7:00 from Monday to Friday"
    )


def _numbers(word: str, field: Field) -> frozenset[int]:
    found: set[int] = set()
    for part in word.split(","):
        found.update(_part(part, field))
    return frozenset(found)


def _part(part: str, field: Field) -> range:
    match = PART.fullmatch(part)
    if match is None or (part[0] == "*" and match["last"]):
        raise BadCronError(f"`{part}` is no {field.name}", _hint_for_sign(part, field))
    step = 1
    if match["step"] is not None:
        if not match["step"].isdecimal() or not 1 <= int(match["step"][:9]) <= field.most:
            raise BadCronError(f"`/{match['step']}` is no step of a {field.name}", f"1 to {field.most}")
        step = int(match["step"])
    if match["first"] == "*":
        return range(field.least, (6 if field.most == 7 else field.most) + 1, step)
    first = _number(match["first"], field)
    if match["last"] is None:
        if match["step"] is not None:
            raise BadCronError(f"`{part}` has a step and no range", f"write `{first}-{field.most}/{step}`")
        return range(first, first + 1)
    last = _number(match["last"], field)
    if field.most == 7 and match["last"].upper() == "SUN":
        last = 7  # SAT-SUN is a range, and SUN-SUN is one day
        first = 7 if match["first"].upper() == "SUN" else first
    if last < first:
        hint = f"write `{match['first']}-{field.most},{field.least}-{match['last']}`"
        raise BadCronError(f"the range `{part}` goes backwards", hint if match["step"] is None else "")
    return range(first, last + 1, step)


def _number(word: str, field: Field) -> int:
    if word.upper() in field.names:
        return field.names.index(word.upper()) + (1 if field.least else 0)
    if word.isdecimal() and field.least <= int(word[:9]) <= field.most:
        return int(word)
    raise BadCronError(f"`{word}` is no {field.name}", _hint_for_sign(word, field))


def _hint_for_sign(word: str, field: Field) -> str:
    if word == "?":
        return "write `*`: any"
    if field.most == DAYS_IN[0] and re.fullmatch(r"LW?|L-\d+", word, re.IGNORECASE):
        return "the last day has no sign here: run on `28-31`, and let a step ask whether the next day is the 1st"
    if re.fullmatch(r"\d+W|\w+#\d|\w*L", word, re.IGNORECASE):
        return "there is no sign for it here: let a step look at `trigger.due`"
    named = f", or {field.names[0]} to {field.names[-1]}" if field.names else ""
    return f"{field.least} to {field.most}{named}"
