"""What the specs of a pull request change in meaning, as a part of ``wfc ci``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wfc.compiler.cli.pipeline.parts import Case, PartReport
from wfc.compiler.cli.policy.changes import ToldChanges
from wfc.compiler.cli.reviewing.comparison import Comparison
from wfc.compiler.cli.reviewing.markdown import comment_lines
from wfc.compiler.cli.reviewing.sarif_log import change_as_diagnostic
from wfc.compiler.cli.reviewing.text import broken_line, report_text, summary
from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.review.changes import RULES

__all__ = ["RULES", "changed"]


def changed(told: ToldChanges | None, against: str | None) -> PartReport:
    """Return what `wfc diff AGAINST...HEAD` tells.

    Args:
        told: ``None``: no revision was named.
    """
    if told is None or against is None:
        return PartReport("diff", "skipped", "`--against` names no revision")
    report, comparison = told.report, told.comparison
    found = [each for each in map(diagnostic, report["changes"]) if each is not None]
    return PartReport(
        "diff",
        "failed" if report["fails"] else "passed",
        summary(report),
        tuple(cases(report)),
        tuple(found),
        texts_of(comparison, found),
        report_text(report),
        tuple(comment_lines(report, comparison, [f"{against}...HEAD"])),
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
    is_told = change["level"] != "info" and change["approved"] is None
    return change_as_diagnostic(change) if is_told else None


def texts_of(comparison: Comparison, found: Sequence[Diagnostic]) -> dict[str, str]:
    units = comparison.new.units
    return {each.path: units[each.path].document.text for each in found if each.path in units}
