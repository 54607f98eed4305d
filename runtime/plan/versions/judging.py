"""The one judgement whether a run may go on under another version of its workflow."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from wfc.runtime.plan.versions.conversions import Conversion
from wfc.runtime.plan.versions.join_rules import judge_joins
from wfc.runtime.plan.versions.missed_rules import judge_missed
from wfc.runtime.plan.versions.moves import Description, Moves
from wfc.runtime.plan.versions.position import RunPosition
from wfc.runtime.plan.versions.step_rules import judge_steps
from wfc.runtime.plan.versions.value_rules import judge_values
from wfc.runtime.plan.versions.verdicts import Judgement, Verdict

__all__ = ["judge"]


def judge(
    old: Description,
    new: Description,
    position: RunPosition,
    *,
    moved: Mapping[str, str] | None = None,
    removed: Collection[str] = (),
    conversions: Collection[Conversion] = (),
) -> Judgement:
    """Judge whether a run goes on under another version of its workflow, and what has to be converted for that.

    Args:
        old: The description of the plan that the run has.
        new: That of the plan that it is to have.
        moved: What the later version says of old names.
        removed: What it says is gone.
        conversions: What it says of values that become others.
    """
    moves = Moves(old, new, moved or {}, removed, conversions)
    if old == new:
        return Judgement(moves, ())
    found: dict[Verdict, None] = {}
    for rules in (judge_steps, judge_joins, judge_values, judge_missed):
        found |= dict.fromkeys(rules(moves, position))
    if any(
        one.rule == "step-removed" for one in found
    ):  # joins that changed by that are no cause of their own
        found = {one: None for one in found if not one.rule.startswith("join-")}
    return Judgement(moves, tuple(found))
