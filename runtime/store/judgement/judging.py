"""The one judgement whether a run may go on under another version of its workflow."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from wfc.runtime.store.judgement.conversions import Conversion
from wfc.runtime.store.judgement.join_rules import judge_joins
from wfc.runtime.store.judgement.missed_rules import judge_missed
from wfc.runtime.store.judgement.moves import Description, Moves
from wfc.runtime.store.judgement.position import RunPosition
from wfc.runtime.store.judgement.step_rules import judge_steps
from wfc.runtime.store.judgement.value_rules import judge_values
from wfc.runtime.store.judgement.verdicts import Judgement, Verdict

__all__ = ["judge", "judge_by"]


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
    return Judgement(moves, () if old == new else judge_by(moves, position))


def judge_by(moves: Moves, position: RunPosition) -> tuple[Verdict, ...]:
    """Return what all rules say of a run under another version, which is not the same."""
    found: dict[Verdict, None] = {}
    for rules in (judge_steps, judge_joins, judge_values, judge_missed):
        found |= dict.fromkeys(rules(moves, position))
    if any(
        one.rule == "step-removed" for one in found
    ):  # joins that changed by that are no cause of their own
        found = {one: None for one in found if not one.rule.startswith("join-")}
    return tuple(found)
