"""Comments that suppress a finding: ``# wfc: ignore[code] because …``."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Final

import yaml

from wfc.compiler.limits import MAX_FINDINGS
from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml.parser import YAMLError, events

__all__ = ["Ignore", "find_ignores"]

START: Final = re.compile(r"#[ \t]*wfc:[ \t]*ignore\b")
COMMENT: Final = re.compile(
    r"#[ \t]*wfc:[ \t]*ignore\b[ \t]*(?:\[(?P<codes>[^\]\r\n]*)\])?[ \t]*(?:because\b[ \t]*(?P<reason>[^\r\n]*))?"
)
CODE: Final = re.compile(r"[^,\s]+")
LINE_END: Final = re.compile(r"[^\r\n]*")


@dataclass(frozen=True, slots=True)
class Ignore:
    """A comment that suppresses findings.

    Args:
        start: Where it begins, in code points.
        end: One past its end.
        line: The line, from 1, whose findings it is about: its own, or, if nothing else stands there, the next that
            is neither empty nor a comment.
        codes: Each with its place.
        reason: What it says after ``because``; empty if nothing.
    """

    start: int
    end: int
    line: int
    codes: tuple[tuple[str, int, int], ...]
    reason: str


def find_ignores(text: str) -> list[Ignore]:
    """Return the suppression comments of a text, in order; quoted texts and blocks are not searched."""
    found = [match.start() for match in START.finditer(text)]
    found = [start for start in found if not text[max(0, start - 1) : start].strip()]
    if len(found) > MAX_FINDINGS:
        return []  # nobody has written that; each would be a finding
    if not found:
        return []
    inside = list(scalars(text))
    starts = [start for start, _ in inside]

    def is_inside(at: int) -> bool:
        before = bisect_right(starts, at) - 1
        return before >= 0 and at < inside[before][1]

    asked, lines, counted = [], 0, 0
    for start in found:
        lines += text.count("\n", counted, start)
        counted = start
        if not is_inside(start):
            asked.append(one(text, start, lines))
    return asked


def one(text: str, start: int, lines: int) -> Ignore:
    end = LINE_END.match(text, start).end()  # type: ignore[union-attr]
    said = COMMENT.match(text, start, end)
    assert said is not None
    listed = CODE.finditer(text, *said.span("codes")) if said["codes"] is not None else ()
    codes = tuple((each.group(), each.start(), each.end()) for each in listed)
    return Ignore(start, end, line_meant(text, start, lines), codes, (said["reason"] or "").strip())


def line_meant(text: str, start: int, lines: int) -> int:
    """Return the line to which a comment refers.

    Args:
        lines: How many there are before its own.
    """
    if text[text.rfind("\n", 0, start) + 1 : start].strip():
        return lines + 1
    at = text.find("\n", start)
    while at >= 0:
        lines += 1
        end = text.find("\n", at + 1)
        line = text[at + 1 : end if end >= 0 else len(text)].strip()
        if line and not line.startswith("#"):
            break
        at = end
    return lines + 1


def scalars(text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of scalars; the line with a block's ``|`` is not included."""
    get = events(text)
    try:
        while True:
            event = get()
            if event.__class__ is yaml.StreamEndEvent:
                return
            if event.__class__ is yaml.ScalarEvent:
                yield extent(text, event)
    except YAMLError:
        return


def extent(text: str, event: Any) -> tuple[int, int]:
    start, end = event.start_mark.index, event.end_mark.index
    if event.style in {"|", ">"}:
        start = LINE_END.match(text, start).end()  # type: ignore[union-attr]
    return start, end
