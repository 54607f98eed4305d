"""Problems with patterns: of dates and moments, and of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import problem
from wfc.compiler.rules.fixes import replace_text
from wfc.compiler.rules.phrases import listed

__all__ = ["pattern_of_matches", "pattern_without_directive", "time_of_a_date", "unknown_directive"]

SAME: Final = {"%F": "%Y-%m-%d", "%T": "%H:%M:%S", "%R": "%H:%M", "%D": "%m/%d/%y", "%h": "%b"}
"""What directives of other languages are short for."""
OF_THE_MACHINE: Final = {"%c", "%x", "%X", "%r"}


@problem
def unknown_directive(place: Place, directive: str, known: Sequence[str]) -> Finding:
    """A pattern of `format` has a directive that there is not.

    A percent sign and what follows it stand for a part of the date, such as `%d` for the day; the reference lists
    them all. What looks different on another machine, because it depends on its language or its time zone, is
    not among them. A percent sign itself is written `%%`.
    """
    meant = SAME.get(directive)
    if meant:
        hint = f"write `{meant}`"
    elif directive in OF_THE_MACHINE:
        hint = "it depends on the machine; write out the parts, such as `%Y-%m-%d %H:%M`"
    elif directive in {"%z", "%Z"}:
        hint = "moments are in UTC: write `UTC` or `Z` itself"
    elif not directive[-1].isalpha():
        hint = "write `%%` for a percent sign"
    else:
        hint = f"there are {listed(known)}"
    fix = replace_text(place, meant, old=directive, applicability="safe") if meant else None
    return Finding("unknown-directive", f"`{directive}` stands for no part of a date", place, hint, fix=fix)


@problem
def time_of_a_date(place: Place, directive: str) -> Finding:
    """A pattern of `format` asks for the time of a date, which has none.

    A date is a whole day. Use a `datetime` if the time counts, or leave the hours and minutes out.
    """
    message = f"`{directive}` stands for a part of the time, and a date has none"
    return Finding("time-of-a-date", message, place)


@problem
def pattern_without_directive(place: Place, pattern: str) -> Finding:
    """A pattern of `format` says nothing of the date.

    The parts of a date are `%Y`, `%m`, `%d` and their like; all other letters stay as they are. `yyyy-MM-dd` of other
    languages is `%Y-%m-%d` here.
    """
    return Finding(
        "pattern-without-directive",
        f"`{pattern[:40]}` has no part that stands for one of the date's",
        place,
        "write the parts as `%Y`, `%m`, `%d` …",
    )


@problem
def pattern_of_matches(place: Place, why: str) -> Finding:
    """The pattern of `matches` is no regular expression that can be matched in linear time.

    Whether a text matches is found out in a time that grows as the text does, whatever the pattern is. So a pattern can
    neither look around (`(?=…)`) nor repeat what a group has found (`\\1`).
    """
    return Finding("pattern-of-matches", f"this pattern cannot be used: {why}", place)
