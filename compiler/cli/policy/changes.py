"""A policy held against what a change of specs means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wfc.compiler.cli.policy.holding import wrong_in
from wfc.compiler.cli.reviewing.approvals import Approvals, read_approvals
from wfc.compiler.cli.reviewing.comparison import Comparison, compare_sides
from wfc.compiler.cli.reviewing.foretelling import foretell_runs
from wfc.compiler.cli.reviewing.report import Report, report_of
from wfc.compiler.cli.reviewing.revisions import sides_of
from wfc.compiler.cli.reviewing.sarif_log import placed_paths, within_later
from wfc.compiler.cli.reviewing.sides import GivenSide, Side
from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.review.policy import Policy, judge_changes
from wfc.compiler.slotted import dataclass, replace
from wfc.compiler.workspace.compiled import Compiled

__all__ = ["ToldChanges", "held_changes", "told_between", "told_of_texts", "told_since"]


@dataclass(frozen=True, slots=True)
class ToldChanges:
    """What has changed between two sides, and what is told of it."""

    report: Report
    comparison: Comparison


def told_since(revision: str, paths: Sequence[str]) -> ToldChanges:
    """Return what has changed since HEAD left a revision.

    Raises:
        PathError: There is no such revision.
    """
    return told_between(*sides_of((f"{revision}...HEAD", *paths)), read_approvals())


def told_between(old: Side, new: Side, approvals: Approvals) -> ToldChanges:
    """Return what has changed between two sides."""
    comparison = compare_sides(old, new)
    notes = foretell_runs(comparison)
    return ToldChanges(report_of(comparison, old, new, approvals=approvals, notes=notes), comparison)


def told_of_texts(old: str, new: str, path: str) -> ToldChanges:
    """Return what has changed between two texts of a spec, which mention no files."""
    sides = [GivenSide(title, path, text.encode()) for title, text in (("before", old), ("now", new))]
    return told_between(sides[0], sides[1], Approvals())


def held_changes(policy: Policy, told: ToldChanges) -> list[Compiled]:
    """Return what a policy finds in changes, as findings in the later version of the specs."""
    changes = told.report["changes"]
    found, wrong = judge_changes(policy, [_asked(each) for each in changes])
    paths = placed_paths(told.report)
    by_path: dict[str, list[Diagnostic]] = {}
    for rule, number, message in found:
        placed = within_later(changes[number], paths)
        finding = replace(placed, code=rule.id, message=message, severity=rule.severity, hint=rule.hint)
        by_path.setdefault(finding.path, []).append(finding)
    units = told.comparison.new.units
    listed = [
        Compiled(path, units[path].document.text if path in units else "", "", None, "", tuple(findings))
        for path, findings in by_path.items()
    ]
    return [wrong_in(policy.document, wrong), *listed] if wrong else listed


def _asked(change: Mapping[str, Any]) -> dict[str, Any]:
    """Return what rules see of a change."""
    names = ("rule", "audience", "level", "message", "workflow", "about", "before", "after", "fingerprint")
    return {**{name: change[name] for name in names}, "approved": change["approved"] is not None}
