"""Location of a run's failure: from the exception to the expression in the spec that has no value."""

from __future__ import annotations

import linecache
import re
from traceback import FrameSummary, extract_tb

__all__ = ["place_of_failure"]

MARK = re.compile(r"#\s*(?P<place>[^#]+\.ya?ml:[0-9]+)\s*$")
HEADER = re.compile(r"^# Generated from ", re.MULTILINE)
COMPUTING = re.compile(r"[/\\]runtime[/\\]values[/\\](?:filters|conversions)\b")
"""What expressions call; what fails anywhere else is no expression's fault."""
LONGEST = 200


def place_of_failure(error: BaseException) -> str:
    """Return the expression in which an error arose, with the place of its step; empty if there is none."""
    seen: set[int] = set()
    cause: BaseException | None = error
    found = ""
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        frames = [each for each in extract_tb(cause.__traceback__) if not COMPUTING.search(each.filename)]
        found = (in_generated(frames[-1]) if frames else "") or found
        inner = getattr(cause, "error", None)
        cause = cause.__cause__ or (inner if isinstance(inner, BaseException) else None)
    return found


def in_generated(frame: FrameSummary) -> str:
    """Return the same for one frame, if it is in code that was generated from a spec."""
    lines = linecache.getlines(frame.filename)
    if frame.lineno is None or not HEADER.search("".join(lines[:40])):
        return ""
    marks = (MARK.search(line) for line in reversed(lines[: frame.lineno]))
    place = next((mark["place"] for mark in marks if mark), "")
    if not place:
        return ""
    line = lines[frame.lineno - 1]
    one_line = frame.end_lineno == frame.lineno and frame.colno is not None and frame.end_colno is not None
    words = (
        line.encode()[frame.colno : frame.end_colno].decode(errors="replace") if one_line else line.strip()
    )
    return f"{place}: `{words[:LONGEST]}`"
