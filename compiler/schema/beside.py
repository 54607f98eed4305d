"""Which further keys a step can have beside those that it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wfc.compiler.model.kinds import STEP_KINDS
from wfc.compiler.model.step_keys import APART, NEEDED_BY_ALL, NEEDS, ONLY_READS

__all__ = ["can_stand_beside"]


def can_stand_beside(
    kind: str | None, step: Mapping[str, Any], absent: Sequence[str], tools: Any
) -> list[str]:
    """Return those of the absent keys of a step that can stand beside what is there.

    Args:
        kind: The step's; nothing if this is no step, whose keys are all returned.
        tools: What is declared under `tools`.
    """
    if kind not in STEP_KINDS:
        return list(absent)
    out = {one for pair in APART.get(kind, ()) for one, other in (pair, pair[::-1]) if other in step}
    if never_cached(kind, step, tools):
        out.add("cache")
    possible = {*absent} - out
    for key, needed in (*NEEDS.get(kind, ()), *NEEDED_BY_ALL):
        if needed not in step and needed not in possible:
            possible.discard(key)
    return [each for each in absent if each in possible]


def never_cached(kind: str, step: Mapping[str, Any], tools: Any) -> bool:
    """Return whether a step's action has to be performed each time, as far as the step and its tool say so."""
    action = step.get("do") if kind == "map" else step
    if not isinstance(action, Mapping):
        return False
    kind = str(action.get("kind"))
    if kind in STEP_KINDS and STEP_KINDS[kind].never_cached:
        return True
    tool = action.get("tool")
    if isinstance(tool, str) and isinstance(tools, Mapping):
        tool = tools.get(tool)
    changes = isinstance(tool, Mapping) and "python" in tool and tool.get("read_only") is not True
    return changes or ("method" in action and str(action["method"]).upper() not in ONLY_READS)
