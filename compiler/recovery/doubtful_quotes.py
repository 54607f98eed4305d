"""Numbers in a test that are put in quotes: certain only where nothing else says that the type may be the wrong one."""

from __future__ import annotations

from collections.abc import Sequence

from wfc.compiler.diagnostics import Finding, Severity
from wfc.compiler.slotted import replace

__all__ = ["without_doubtful_quotes"]


def without_doubtful_quotes(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings of which none has quotes in a test as its safe fix, where there are other errors: two fields, or
    two types, may have changed places.
    """
    others = any(each.severity is Severity.ERROR and not puts_in_quotes(each) for each in findings)
    return [in_doubt(each) if others and puts_in_quotes(each) else each for each in findings]


def in_doubt(finding: Finding) -> Finding:
    fix = finding.fix
    return finding if fix is None else replace(finding, fix=replace(fix, applicability="unsafe"))


def puts_in_quotes(finding: Finding) -> bool:
    """Return whether the fix for a value of a test is to put it in quotes."""
    in_test = finding.code == "wrong-value" and finding.place.address[:1] == ("tests",)
    return in_test and finding.fix is not None and all(each.how == "quote" for each in finding.fix.edits)
