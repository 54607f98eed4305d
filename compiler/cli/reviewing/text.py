"""A report of changes as text for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wfc.compiler.cli.reviewing.report import Report
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.review.changes import AUDIENCES

__all__ = ["counted", "report_text", "summary"]


def report_text(report: Report) -> str:
    """Return a report as text."""
    return "".join(f"{printable(line)}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    for each in report["broken"]:
        yield broken_line(each, report)
    for audience, title in AUDIENCES.items():
        changes = [each for each in report["changes"] if each["audience"] == audience]
        if changes:
            yield title
            for each in changes:
                yield from _change(each)
            yield ""


def broken_line(each: dict[str, Any], report: Report) -> str:
    """Return what is told of a spec that has errors on one side."""
    line = "" if each["start"] is None else f":{each['start']['line']}:{each['start']['column']}"
    more = f" and {each['errors'] - 1} more" if each["errors"] > 1 else ""
    code = f" [{each['code']}]" if each["code"] else ""
    side = report[each["side"]]
    return f"{each['path']}{line} in {side}: not compared, since it has errors: {each['message']}{code}{more}"


def _change(each: dict[str, Any]) -> Iterator[str]:
    yield f"  {each['level']}: {each['message']} [{each['rule']}] {each['fingerprint']}"
    if each["approved"] is not None:
        yield f"    approved, because {each['approved']}"
    places = [
        f"{_place(each[side])}{words}"
        for side, words in (("new", ""), ("old", " before"))
        if each[side] is not None
    ]
    yield f"    at {', '.join(places)}"
    if each["advice"] and each["approved"] is None:
        yield f"    {each['advice']}"


def _place(place: dict[str, Any]) -> str:
    return f"{place['path']}:{place['start']['line']}:{place['start']['column']}"


def summary(report: Report) -> str:
    """Return how many changes there are, and of which levels, in one line."""
    specs = len(report["specs"])
    if not report["changes"] and not report["broken"]:
        return "no change in meaning"
    about = "1 spec differs" if specs == 1 else f"{specs} specs differ"
    return f"{about}: {counted(report) or 'no change that is told'}"


def counted(report: Report) -> str:
    """Return how many changes of each level there are."""
    levels = [each["level"] for each in report["changes"] if each["approved"] is None]
    found = [f"{levels.count(each)} {each}" for each in ("break", "act", "warn", "info") if each in levels]
    approved = len(report["changes"]) - len(levels)
    return ", ".join([*found, *([f"{approved} approved"] if approved else [])])
