"""Rule 1, for ends: each is emitted by some step."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.rules import flow as problems

__all__ = ["ends_are_reached"]


def ends_are_reached(analysis: FlowAnalysis, report: Report) -> None:
    """Each event under `end` is emitted by some step."""
    emitted = {emit.event.name for emit, _step in analysis.emits}
    several = len(analysis.workflow.end) > 1
    for index, event in enumerate(analysis.workflow.end):
        if event.name not in emitted and event.role == "end":
            place = Place(("end",))
            report(problems.unreachable_end(place / index if several else place, event.name))
