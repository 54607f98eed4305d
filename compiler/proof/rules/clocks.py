"""The rule that the clock of a join measures work: some step lies between its fork and itself."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.model import Join
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.rules import joins as problems

__all__ = ["clocks_measure_work"]


def clocks_measure_work(analysis: FlowAnalysis, report: Report) -> None:
    """Report joins with a time-out whose clock begins when the step right before them is done."""
    graph = analysis.graph
    for join, fork in graph.forks.items():
        accepts = analysis.step(join).accepts
        if not isinstance(accepts, Join) or accepts.within is None or join not in graph.alive:
            continue
        from_outside = any(event.name in graph.outside for event in accepts.events)
        if from_outside or graph.leading_to(join) - {join}:
            continue
        emitted = {analysis.workflow.start.name, *(emit.event.name for emit, _ in analysis.emits)}
        if emitted.issuperset(event.name for event in accepts.events):  # else the work may be what is missing
            place = Place((*accepts.address, "within")).key
            names = analysis.name(join), analysis.name(fork)
            choice = accepts.form == "any" and len(accepts.slots) > 1
            cancels = accepts.rest == "cancel"
            report(problems.clock_without_work(place, *names, choice=choice, cancels=cancels))
