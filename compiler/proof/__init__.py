"""Rules over a whole workflow: what its steps do together. They are explained in ``docs/proof.md``.

- ``graph``: the flow of the workflow as a graph, its paths, cycles, batches, and what may run side by side.
- ``joins``: the proof that joins are filled, by all that a completion of their fork can lead to.
- ``analysis``: the workflow, its graph and the outcome of that proof, each worked out once for all rules.
- ``rules``: one rule a file.
"""

from __future__ import annotations

from wfc.compiler.diagnostics import Finding, Report
from wfc.compiler.model import Workflow
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.proof.rules import batches, cancellation, clocks, idempotency_keys, joins, races, run_exits
from wfc.compiler.proof.rules.bounded_cycles import cycles_are_bounded
from wfc.compiler.proof.rules.connections import ends_are_reached, events_lead_somewhere, steps_are_reached
from wfc.compiler.proof.rules.entries import entries_can_be_taken, entries_cover_every_case
from wfc.compiler.proof.rules.finite_types import types_are_finite
from wfc.compiler.proof.rules.termination import runs_end

__all__ = ["check"]


def check(workflow: Workflow, report: Report) -> None:
    """Report what is wrong with a workflow as a whole."""
    analysis = FlowAnalysis(workflow)
    open_cases: list[Finding] = []
    entries_cover_every_case(analysis, open_cases.append)
    for finding in open_cases:
        report(finding)
    check_parts(analysis, report)
    if workflow.whole:
        if not open_cases:
            check_what_is_missing(analysis, report)
        check_what_is_there(analysis, report)


def check_parts(analysis: FlowAnalysis, report: Report) -> None:
    """Look at one step or type at a time, as can be done with a workflow of which parts are missing."""
    entries_can_be_taken(analysis, report)
    types_are_finite(analysis, report)


def check_what_is_missing(analysis: FlowAnalysis, report: Report) -> None:
    """Find what is missing, in a workflow of which no entry is: who knows what that would emit."""
    events_lead_somewhere(analysis, report)
    steps_are_reached(analysis, report)
    ends_are_reached(analysis, report)
    if analysis.has_joins:
        joins.joins_are_filled(analysis, report)
    runs_end(analysis, report)


def check_what_is_there(analysis: FlowAnalysis, report: Report) -> None:
    """Find what is wrong in what is there, once all steps are."""
    if analysis.graph.batching:
        batches.batches_nest(analysis, report)
    cycles_are_bounded(analysis, report)
    if analysis.has_joins:
        cancellation.nothing_else_is_cancelled(analysis, report)
        clocks.clocks_measure_work(analysis, report)
    if analysis.graph.parts:
        races.races_are_declared(analysis, report)
    if analysis.workflow.run.leading_on:
        run_exits.exits_lead_to_an_end(analysis, report)
    if any(step.idempotency_key is not None for step in analysis.workflow.steps):
        idempotency_keys.keys_change(analysis, report)
