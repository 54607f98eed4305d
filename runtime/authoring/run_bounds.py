"""Bounds that are worked out when a run starts: read from what ``@run_bounds`` returns, and checked."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any, Final

from wfc.runtime.core.execution import OF_RUN
from wfc.runtime.errors import ExpressionError
from wfc.runtime.plan import Plan
from wfc.runtime.plan.pauses import LONGEST_WAIT, seconds_of
from wfc.runtime.plan.run_rules import Bounds, StepBounds
from wfc.runtime.plan.step import Step

__all__ = ["bounds_in_numbers"]

_TIMES: Final = {"deadline", "timeout", "within"}
_OF_ITEMS: Final = {"timeout", "num_workers"}
"""Bounds on the attempts at an action, which are those at an item where a step acts on each of several."""


def bounds_in_numbers(bounds: Bounds, plan: Plan) -> dict[tuple[str, int], float]:
    """Return bounds as numbers, times in seconds, by their names and the index of their step or ``OF_RUN``.

    Raises:
        ExpressionError: A bound is out of its range.
    """
    found: dict[tuple[str, int], float] = {}
    for name in ("deadline", "steps", "tokens", "cost_usd", "concurrent_runs"):
        _add(found, name, getattr(bounds, name), OF_RUN, f"`{name}` of the run")
    for step_name, of_step in bounds.of_steps.items():
        _add_of_step(found, of_step, plan.by_name[step_name])
    return found


def _add_of_step(found: dict[tuple[str, int], float], bounds: StepBounds, step: Step) -> None:
    for name in StepBounds.__slots__:
        bounded = step.item if name in _OF_ITEMS and step.item is not None else step
        _add(found, name, getattr(bounds, name), bounded.index, f"`{name}` of step `{step.name}`")


def _add(found: dict[tuple[str, int], float], name: str, value: Any, index: int, where: str) -> None:
    if value is None:
        return
    if name in _TIMES:
        seconds = seconds_of(value)
        if not (math.isfinite(seconds) and 0 < seconds <= LONGEST_WAIT.total_seconds()):
            raise ExpressionError(
                f"{where} is worked out as {_shown(value)}: more than nothing and at most ten years are possible"
            )
        found[name, index] = seconds
    else:
        least = 0 if name == "cost_usd" else 1
        if not (math.isfinite(value) and value >= least):
            raise ExpressionError(f"{where} is worked out as {value}: at least {least} is possible")
        found[name, index] = value


def _shown(value: timedelta | float) -> str:
    return f"{seconds_of(value):g} s"
