"""The difference between two versions of a workflow, in meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from wfc.compiler.review.catalogue import (
    agents,
    approvals,
    bounds,
    callers,
    calls,
    data,
    exits,
    flow,
    knowledge,
    operators,
    reach,
    rest,
    runs,
    words,
    workflows,
)
from wfc.compiler.review.changes import RULES, ChangeRule, SpecChange, in_order
from wfc.compiler.review.pair import Facts, Pair

__all__ = ["added_workflow", "all_rules", "compare", "removed_workflow"]

_FINDERS: Final[tuple[Callable[[Pair], Iterator[SpecChange]], ...]] = (
    reach.changes_of_reach,
    data.changes_of_data,
    approvals.changes_of_approvals,
    calls.changes_of_calls,
    agents.changes_of_agents,
    workflows.changes_of_name,
    callers.changes_for_callers,
    bounds.changes_of_bounds,
    operators.changes_for_operators,
    knowledge.changes_of_knowledge,
    flow.changes_of_flow,
    exits.changes_of_exits,
    words.changes_of_words,
)


def all_rules() -> Mapping[str, ChangeRule]:
    """Return all rules about changes, by their ids: this module imports whatever enters some."""
    assert runs.LEVELS  # its rules are entered for what the runtime judges
    return RULES


def compare(old: Facts, new: Facts) -> list[SpecChange]:
    """Return what has changed between two versions of a workflow, in the order in which it is told.

    Args:
        old: The facts of the earlier version, as ``workflow_facts`` makes them.
        new: Those of the later one.
    """
    pair = Pair(old, new)
    found = {change.fingerprint: change for find in _FINDERS for change in find(pair)}
    told = [*found.values()]
    covered = {part: change for change in told for part in change.covers}
    kept = [change for change in told if covered.get(change.about, change) is change]
    return in_order([*kept, *rest.rest_of(pair, told)])


def added_workflow(new: Facts) -> list[SpecChange]:
    """Return what is told of a workflow that is new: that it is, and all that it reaches."""
    nothing = {**new, "steps": {}, "secrets": {}, "agents": {}, "moved": {}}
    return in_order([*workflows.added(new), *reach.changes_of_reach(Pair(nothing, new))])


def removed_workflow(old: Facts) -> list[SpecChange]:
    """Return what is told of a workflow that is gone."""
    return list(workflows.removed(old))
