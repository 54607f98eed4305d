"""Which plans what is kept of a run can be read with: its own, and those that differ in nothing that matters for it."""

from __future__ import annotations

import json
from typing import Any

from wfc.runtime.plan import Plan
from wfc.runtime.store.judgement.moves import Description, Moves
from wfc.runtime.store.judgement.position import RunPosition
from wfc.runtime.store.judgement.value_rules import judge_values
from wfc.runtime.store.snapshots import shape_of
from wfc.runtime.store.versions.describing import describe

__all__ = ["can_fold", "is_of_plan", "plan_of"]

_BEFORE_PLANS = 2
"""The version of snapshots in whose time runs were kept without their plans."""


def is_of_plan(shape: str, plan: Plan) -> bool:
    """Return whether a run has a plan, by the digest that is kept with the run."""
    return shape == describe(plan).digest or shape == shape_of(plan, _BEFORE_PLANS)


def plan_of(body: str, shape: str, plan: Plan) -> Description | None:
    """Return the description of the plan that a run has.

    Args:
        body: What is kept of it, if anything is.
        plan: The plan of the code that there is, which may be the same one.
    """
    if body:
        found: dict[str, Any] = json.loads(body)
        return found
    return describe(plan).data if is_of_plan(shape, plan) else None


def can_fold(body: str, shape: str, plan: Plan) -> bool:
    """Return whether the ticks of a run, which are of its own plan, come to the same by another plan.

    Args:
        body: The description of the run's plan, if it is kept.
    """
    if is_of_plan(shape, plan):
        return True
    if not body:
        return False
    old, new = json.loads(body), describe(plan).data
    if old["order"] != new["order"] or _flow(old) != _flow(new):
        return False
    everything = RunPosition(values=frozenset(old["classes"]))
    return all(
        one.rule.endswith("-field-added") and one.means == "migrated"
        for one in judge_values(Moves(old, new, {}, ()), everything)
    )


def _flow(description: Description) -> dict[str, Any]:
    """Return what of a plan the ticks of a run depend on."""
    found = {name: one for name, one in description.items() if name not in ("classes", "steps")}
    steps = description["steps"]
    found["steps"] = {
        key: {name: one for name, one in step.items() if name != "soft"} for key, step in steps.items()
    }
    return found
