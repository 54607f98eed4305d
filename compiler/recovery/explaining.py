"""Whether a change of a spec explains its findings: how many errors are gone with it, and if there are new ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from wfc.compiler.diagnostics import Address, Finding, Place, Report, Severity
from wfc.compiler.recovery.analysis import Analysis

__all__ = ["UnexplainedError", "error_messages", "explains", "gone", "left_at", "until_new_error"]


class UnexplainedError(Exception):
    """A changed document has an error that was not there before."""


def until_new_error(report: Report, before: Analysis) -> Report:
    """Return a report that raises :class:`UnexplainedError` at an error that was not there before, or not as often."""
    left = error_messages(before)

    def send(finding: Finding) -> None:
        report(finding)
        if finding.severity is Severity.ERROR:
            left[finding.code, finding.message] -= 1
            if left[finding.code, finding.message] < 0:
                raise UnexplainedError

    return send


def explains(before: Analysis, after: Analysis, least: int) -> bool:
    """Return whether at least so many errors are gone, at as many places, and no new ones have appeared."""
    errors, left = error_messages(before), error_messages(after)
    if left - errors or errors.total() - left.total() < least:
        return False
    return len(error_places(before)) - len(error_places(after)) >= least


def gone(before: Analysis, after: Analysis) -> int:
    """Return how many errors fewer there are."""
    return error_messages(before).total() - error_messages(after).total()


def error_messages(analysis: Analysis) -> Counter[tuple[str, str]]:
    """Count each error's code and message."""
    return Counter((each.code, each.message) for each in analysis.findings if each.severity is Severity.ERROR)


def error_places(analysis: Analysis) -> set[tuple[str, tuple[int, int], int]]:
    """Return the places of errors in the text; what an alias repeats counts once, and so do its mistakes."""
    stretch = analysis.document.stretch
    counts: Counter[tuple[str, Place]] = Counter()
    found = set()
    for each in analysis.findings:
        if each.severity is Severity.ERROR and each.place.origin is None:
            counts[each.code, each.place] += 1
            found.add((each.code, stretch(each.place), counts[each.code, each.place]))
    return found


def left_at(analysis: Analysis, places: Sequence[Address]) -> bool:
    """Return whether something is said of what stands at or below some places."""
    return any(
        each.place.origin is None and each.place.address[: len(place)] == place
        for each in analysis.findings
        for place in places
    )
