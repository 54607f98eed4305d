"""Dates and moments as texts: the directives of patterns, and the filter that uses them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from wfc.compiler.expressions.filters.definition import CheckedFilter, Filter, FilterParameter
from wfc.compiler.expressions.python import pieces
from wfc.compiler.expressions.syntax.tree import Constant
from wfc.compiler.rules import patterns as problems
from wfc.compiler.types import DATE, DATETIME, STRING, Type, base

if TYPE_CHECKING:
    from wfc.compiler.expressions.python.filter_calls import PrintedFilter
    from wfc.compiler.expressions.python.pieces import Piece

__all__ = ["DATE_DIRECTIVES", "FORMAT", "TIME_DIRECTIVES"]

DATE_DIRECTIVES: Final[Mapping[str, str]] = {
    "%Y": "the year, of four digits",
    "%y": "its last two digits",
    "%m": "the month, from `01`",
    "%-m": "the month, from `1`",
    "%B": "the month in English, such as `January`",
    "%b": "its first three letters",
    "%d": "the day, from `01`",
    "%-d": "the day, from `1`",
    "%j": "the day of the year, from `001`",
    "%A": "the day of the week in English, such as `Monday`",
    "%a": "its first three letters",
    "%u": "the day of the week as a number, Monday is `1`",
    "%V": "the week by ISO 8601, from `01`",
    "%G": "the year that this week belongs to",
    "%%": "a percent sign",
}
TIME_DIRECTIVES: Final[Mapping[str, str]] = {
    "%H": "the hour, from `00` to `23`",
    "%-H": "the hour, from `0` to `23`",
    "%I": "the hour, from `01` to `12`",
    "%-I": "the hour, from `1` to `12`",
    "%p": "`AM` or `PM`",
    "%M": "the minute, from `00`",
    "%S": "the second, from `00`",
    "%f": "the microsecond, of six digits",
}
DIRECTIVE: Final = r"(?s)%-?.?"


def check_format(use: CheckedFilter) -> Type:
    kind = base(use.subject)
    if kind not in (DATE, DATETIME):
        return use.misfit()
    pattern = use.bound["pattern"]
    if not isinstance(pattern, Constant) or not isinstance(pattern.value, str):
        return STRING
    written = use.reporter.text[pattern.start + 1 : pattern.end - 1]
    place = use.reporter.at(pattern)
    found = list(re.finditer(DIRECTIVE, pattern.value))
    if not found:
        return use.wrong(problems.pattern_without_directive(place, pattern.value))
    for match in found:
        directive = match.group()
        if directive in DATE_DIRECTIVES or (directive in TIME_DIRECTIVES and kind is DATETIME):
            continue
        if written == pattern.value:  # so that each letter stands where it seems to stand
            start = pattern.start + 1 + match.start()
            place = use.reporter.place.stretch(start, start + len(directive))
        if directive in TIME_DIRECTIVES:
            return use.wrong(problems.time_of_a_date(place, directive))
        use.wrong(problems.unknown_directive(place, directive, (*DATE_DIRECTIVES, *TIME_DIRECTIVES)))
    return STRING


def print_format(use: PrintedFilter) -> Piece:
    return pieces.call("filters.formatted", use.subject, use.arguments["pattern"])


FORMAT: Final = Filter(
    "format",
    "date or datetime",
    "string",
    "The date, or the moment in UTC, as a text by a pattern that is written out, in which "
    "[directives](#directives-of-format) such as `%Y` stand for its parts.",
    ('"2026-01-31" | date | format("%d.%m.%Y")', '"31.01.2026"'),
    (FilterParameter("pattern", STRING, required=True, constant=True),),
    check_format,
    print_format,
)
