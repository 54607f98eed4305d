"""Rule 2: a step has a way to leave in every case."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.model.flow import exits
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.rules import flow as problems

__all__ = ["entries_cover_every_case"]


def entries_cover_every_case(analysis: FlowAnalysis, report: Report) -> None:
    """One entry always matches; for `on_error` the run's own exits are next, so that it may leave a case."""
    workflow = analysis.workflow
    found = [("the run", key, exit_) for key, exit_ in workflow.run.exits]
    found += [(step.name, occasion, exit_) for step in workflow.steps for occasion, exit_ in exits(step)]
    for owner, occasion, exit_ in found:
        if exit_.entries and occasion != "on_error" and not exit_.exhaustive:
            when = exit_.entries[-1].when
            place = when.place if when is not None else Place(exit_.address)
            report(problems.emit_falls_through(place, owner, occasion, exit_.left))
