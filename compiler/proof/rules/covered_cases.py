"""Rule 2: a step has a way to leave in every case."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.model.flow import exits
from wfc.compiler.proof.analysis import Analysis
from wfc.compiler.rules import flow as problems

__all__ = ["entries_cover_every_case"]


def entries_cover_every_case(analysis: Analysis, report: Report) -> None:
    """One entry always matches; for `on_error` the run's own exits are next, so that it may leave a case."""
    for key, exit_ in analysis.workflow.run.exits:
        if exit_.entries and key != "on_error" and not exit_.exhaustive:
            when = exit_.entries[-1].when
            place = when.place if when is not None else Place(exit_.address)
            report(problems.emit_falls_through(place, "the run", key, exit_.left))
    for step in analysis.workflow.steps:
        for occasion, exit_ in exits(step):
            if exit_.entries and occasion != "on_error" and not exit_.exhaustive:
                when = exit_.entries[-1].when
                place = when.place if when is not None else Place(exit_.address)
                report(problems.emit_falls_through(place, step.name, occasion, exit_.left))
