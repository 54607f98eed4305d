"""A report of changes as a SARIF log: each change where it stands in the later version."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from wfc.compiler.cli.reviewing.comparison import Comparison
from wfc.compiler.cli.reviewing.report import Report
from wfc.compiler.diagnostics import Diagnostic, Position, Severity
from wfc.compiler.diagnostics.formats import sarif
from wfc.compiler.diagnostics.results import Results, Rule

__all__ = ["change_as_diagnostic", "placed_paths", "report_sarif", "within_later"]

_START = Position(1, 1, 0)


def report_sarif(report: Report, comparison: Comparison, describe: Callable[[str], Rule]) -> str:
    """Return a log with all changes; one of what is gone stands at the beginning of the spec that it is gone from.

    What is approved is suppressed there, with the reason; fingerprints are those of the report.
    """
    paths = placed_paths(report)
    found = [within_later(each, paths) for each in report["changes"]]
    log = json.loads(sarif.render(Results(found, {}, describe)))
    for change, result in zip(report["changes"], log["runs"][0]["results"], strict=True):
        result["partialFingerprints"] = {"wfcChange/v1": change["fingerprint"]}
        if change["level"] == "info":
            result["level"] = "note"
        if change["approved"] is not None:
            result["suppressions"] = [{"kind": "external", "justification": change["approved"]}]
    return json.dumps(log, indent=2) + "\n"


def placed_paths(report: Report) -> dict[str, str]:
    """Return where the specs of workflows are, by their names; of those that are gone where they were."""
    return {each["workflow"]: each["new"] or each["old"] for each in report["specs"]}


def within_later(change: Mapping[str, Any], paths: Mapping[str, str]) -> Diagnostic:
    """Return a change as a finding in the later version; what has no place there stands at a spec's beginning."""
    found = change_as_diagnostic(change)
    if found is not None:
        return found
    return _diagnostic(change, paths[change["workflow"]], _START, _START)


def change_as_diagnostic(change: Mapping[str, Any]) -> Diagnostic | None:
    """Return a change as a finding in the later version; ``None`` where it has no place there."""
    place = change["new"]
    if place is None:
        return None
    start, end = (
        Position(each["line"], each["column"], each["offset"]) for each in (place["start"], place["end"])
    )
    return _diagnostic(change, place["path"], start, end)


def _diagnostic(change: Mapping[str, Any], path: str, start: Position, end: Position) -> Diagnostic:
    severity = Severity.ERROR if change["fails"] else Severity.WARNING
    return Diagnostic(path, start, end, change["rule"], change["message"], severity, change["advice"])
