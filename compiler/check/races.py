"""Rule 8: what runs side by side does not race, unless the author says so."""

from __future__ import annotations

from wfc.compiler.check.subject import Subject
from wfc.compiler.diagnostics import Report

__all__ = ["races_are_declared"]


def races_are_declared(subject: Subject, report: Report) -> None:
    """Placeholder."""
