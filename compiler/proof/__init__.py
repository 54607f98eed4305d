"""Rules over a whole workflow: what its steps do together. They are explained in ``docs/proof.md``.

- ``graph``: the flow of the workflow as a graph, its paths, cycles, batches, and what may run side by side.
- ``joins``: the proof that joins are filled, by all that a completion of their fork can lead to.
- ``analysis``: the workflow, its graph and the outcome of that proof, each worked out once for all rules.
- ``rules``: one rule a file.
"""

from __future__ import annotations

from collections.abc import Callable

from wfc.compiler.diagnostics import Finding, Report
from wfc.compiler.model import Workflow
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.proof.rules.batches import batches_nest
from wfc.compiler.proof.rules.bounded_cycles import cycles_are_bounded
from wfc.compiler.proof.rules.cancellation import nothing_else_is_cancelled
from wfc.compiler.proof.rules.connected_events import events_lead_somewhere
from wfc.compiler.proof.rules.covered_cases import entries_cover_every_case
from wfc.compiler.proof.rules.finite_types import types_are_finite
from wfc.compiler.proof.rules.idempotency_keys import keys_change
from wfc.compiler.proof.rules.joins import joins_are_filled
from wfc.compiler.proof.rules.races import races_are_declared
from wfc.compiler.proof.rules.reachable_ends import ends_are_reached
from wfc.compiler.proof.rules.reachable_entries import entries_can_be_taken
from wfc.compiler.proof.rules.reachable_steps import steps_are_reached
from wfc.compiler.proof.rules.termination import runs_end

__all__ = ["check"]

Rule = Callable[[FlowAnalysis, Report], None]

RULES_OF_PARTS: tuple[Rule, ...] = (entries_can_be_taken, types_are_finite)
"""Rules that look at one step or type at a time, and so also at a workflow of which parts are missing."""

RULES_OF_ALL_ENTRIES: tuple[Rule, ...] = (
    events_lead_somewhere,
    steps_are_reached,
    ends_are_reached,
    joins_are_filled,
    runs_end,
)
"""Rules that find something missing, and are silent where an entry is: who knows what it would emit."""

RULES_OF_THE_FLOW: tuple[Rule, ...] = (
    batches_nest,
    cycles_are_bounded,
    nothing_else_is_cancelled,
    races_are_declared,
    keys_change,
)
"""Rules that find something wrong in what is there, once all steps are."""


def check(workflow: Workflow, report: Report) -> None:
    """Report what is wrong with a workflow as a whole."""
    analysis = FlowAnalysis(workflow)
    open_cases: list[Finding] = []
    entries_cover_every_case(analysis, open_cases.append)
    for finding in open_cases:
        report(finding)
    rules = RULES_OF_PARTS
    if workflow.whole:
        rules += RULES_OF_THE_FLOW if open_cases else RULES_OF_ALL_ENTRIES + RULES_OF_THE_FLOW
    for rule in rules:
        rule(analysis, report)
