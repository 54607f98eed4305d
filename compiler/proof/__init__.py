"""Rules over a whole workflow: what its steps do together."""

from __future__ import annotations

from collections.abc import Callable

from wfc.compiler.diagnostics import Finding, Report
from wfc.compiler.model import Workflow
from wfc.compiler.proof.batches import batches_nest
from wfc.compiler.proof.cancelling import nothing_else_is_cancelled
from wfc.compiler.proof.cycles import cycles_are_bounded
from wfc.compiler.proof.ends import runs_end
from wfc.compiler.proof.exits import entries_can_be_taken, entries_cover_every_case
from wfc.compiler.proof.joins import joins_are_filled
from wfc.compiler.proof.keys import keys_change
from wfc.compiler.proof.races import races_are_declared
from wfc.compiler.proof.reach import ends_are_reached, events_lead_somewhere, steps_are_reached
from wfc.compiler.proof.subject import Subject
from wfc.compiler.proof.values import types_are_finite

__all__ = ["check"]

Rule = Callable[[Subject, Report], None]

RULES: tuple[Rule, ...] = (
    entries_can_be_taken,
    types_are_finite,
    events_lead_somewhere,
    steps_are_reached,
    ends_are_reached,
    batches_nest,
    cycles_are_bounded,
    joins_are_filled,
    nothing_else_is_cancelled,
    runs_end,
    races_are_declared,
    keys_change,
)

BY_ITSELF: frozenset[Rule] = frozenset({entries_can_be_taken, types_are_finite})
"""Rules that look at one step or type at a time, and so also at a workflow of which parts are missing."""

OF_ALL_ENTRIES: frozenset[Rule] = frozenset(
    {events_lead_somewhere, steps_are_reached, ends_are_reached, joins_are_filled, runs_end}
)
"""Rules that find something missing, and are silent where an entry is: who knows what it would emit."""


def check(workflow: Workflow, report: Report) -> None:
    """Report what is wrong with a workflow as a whole; see ``docs/proof.md``."""
    subject = Subject(workflow)
    open_cases: list[Finding] = []
    entries_cover_every_case(subject, open_cases.append)
    for finding in open_cases:
        report(finding)
    for rule in RULES:
        if rule in BY_ITSELF or (workflow.whole and not (open_cases and rule in OF_ALL_ENTRIES)):
            rule(subject, report)
