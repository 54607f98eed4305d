"""Dates and moments as texts, the same on any machine: no locale and no time zone of its own plays a part."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Final

from wfc.runtime.errors import ExpressionError

__all__ = ["DATE_DIRECTIVES", "TIME_DIRECTIVES", "formatted"]

DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS: Final = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
DATE_DIRECTIVES: Final[Mapping[str, Callable[[date], str]]] = {
    "%Y": lambda day: f"{day.year:04}",
    "%y": lambda day: f"{day.year % 100:02}",
    "%m": lambda day: f"{day.month:02}",
    "%-m": lambda day: str(day.month),
    "%B": lambda day: MONTHS[day.month - 1],
    "%b": lambda day: MONTHS[day.month - 1][:3],
    "%d": lambda day: f"{day.day:02}",
    "%-d": lambda day: str(day.day),
    "%j": lambda day: f"{day.timetuple().tm_yday:03}",
    "%A": lambda day: DAYS[day.weekday()],
    "%a": lambda day: DAYS[day.weekday()][:3],
    "%u": lambda day: str(day.isoweekday()),
    "%V": lambda day: f"{day.isocalendar().week:02}",
    "%G": lambda day: f"{day.isocalendar().year:04}",
    "%%": lambda day: "%",
}
TIME_DIRECTIVES: Final[Mapping[str, Callable[[datetime], str]]] = {
    "%H": lambda moment: f"{moment.hour:02}",
    "%-H": lambda moment: str(moment.hour),
    "%I": lambda moment: f"{(moment.hour - 1) % 12 + 1:02}",
    "%-I": lambda moment: str((moment.hour - 1) % 12 + 1),
    "%p": lambda moment: "AM" if moment.hour < 12 else "PM",
    "%M": lambda moment: f"{moment.minute:02}",
    "%S": lambda moment: f"{moment.second:02}",
    "%f": lambda moment: f"{moment.microsecond:06}",
}
DIRECTIVE: Final = re.compile(r"%-?.?", re.DOTALL)


def formatted(value: date, pattern: str) -> str:
    """Return a date or a moment as a text: each directive of the pattern replaced by what it stands for.

    A moment is that of its own time zone; a day alone begins at midnight.

    Raises:
        ExpressionError: The pattern has a directive that there is not.
    """
    moment = (
        value if isinstance(value, datetime) else datetime(value.year, value.month, value.day, tzinfo=UTC)
    )

    def part(match: re.Match[str]) -> str:
        directive = match.group()
        if (of_date := DATE_DIRECTIVES.get(directive)) is not None:
            return of_date(moment)
        if (of_time := TIME_DIRECTIVES.get(directive)) is not None:
            return of_time(moment)
        raise ExpressionError(f"`{directive}` in a pattern stands for nothing")

    return DIRECTIVE.sub(part, pattern)
