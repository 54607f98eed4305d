"""What the specs of a pull request change in meaning, as a part of ``wfc ci``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wfc.compiler.cli.pipeline.parts import Case, PartReport
from wfc.compiler.cli.reviewing.approvals import read_approvals
from wfc.compiler.cli.reviewing.comparison import Comparison, compare_sides
from wfc.compiler.cli.reviewing.report import report_of
from wfc.compiler.cli.reviewing.revisions import sides_of
from wfc.compiler.cli.reviewing.text import broken_line, report_text, summary
from wfc.compiler.diagnostics import Diagnostic, Position, Severity
from wfc.compiler.review.changes import RULES

__all__ = ["RULES", "changed"]


def changed(against: str | None, paths: Sequence[str]) -> PartReport:
    """Return what `wfc diff AGAINST...HEAD` tells.

    Raises:
        PathError: There is no such revision.
    """
    if against is None:
        return PartReport("diff", "skipped", "`--against` names no revision")
    old, new = sides_of((f"{against}...HEAD", *paths))
    comparison = compare_sides(old, new)
    report = report_of(comparison, old, new, approvals=read_approvals())
    found = [each for each in map(diagnostic, report["changes"]) if each is not None]
    return PartReport(
        "diff",
        "failed" if report["fails"] else "passed",
        summary(report),
        tuple(cases(report)),
        tuple(found),
        texts_of(comparison, found),
        report_text(report),
    )


def cases(report: Mapping[str, Any]) -> Iterator[Case]:
    """Yield a case for each change, of which those have a problem that fail, and for each spec that has errors."""
    for each in report["broken"]:
        yield Case(each["path"], "diff", broken_line(each, dict(report)) if each["side"] == "new" else "")
    for each in report["changes"]:
        place = each["new"] or each["old"]
        about = each["workflow"] if place is None else place["path"]
        said = f"{about}: {each['level']}: {each['message']} [{each['rule']}] {each['fingerprint']}"
        yield Case(
            about,
            f"{each['rule']} {each['about']}",
            f"{said}\n{each['advice']}".rstrip() if each["fails"] else "",
            is_finding=True,
        )


def diagnostic(change: Mapping[str, Any]) -> Diagnostic | None:
    """Return a change as a finding in the later version; ``None`` where it has no place there, or only informs."""
    place = change["new"]
    if place is None or change["level"] == "info" or change["approved"] is not None:
        return None
    start, end = (
        Position(each["line"], each["column"], each["offset"]) for each in (place["start"], place["end"])
    )
    severity = Severity.ERROR if change["fails"] else Severity.WARNING
    return Diagnostic(
        place["path"], start, end, change["rule"], change["message"], severity, change["advice"]
    )


def texts_of(comparison: Comparison, found: Sequence[Diagnostic]) -> dict[str, str]:
    units = comparison.new.units
    return {each.path: units[each.path].document.text for each in found if each.path in units}
