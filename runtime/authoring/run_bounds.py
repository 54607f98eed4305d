"""Bounds that are worked out when a run starts: read from what ``@run_bounds`` returns, and checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, Final

from wfc.runtime.authoring.retry import RetryPolicy
from wfc.runtime.core.execution import OF_RUN
from wfc.runtime.core.moments import as_moment
from wfc.runtime.errors import ExpressionError
from wfc.runtime.plan import Plan
from wfc.runtime.plan.pauses import LONGEST_WAIT, seconds_of
from wfc.runtime.plan.retries import RetryRule
from wfc.runtime.plan.run_rules import Bounds, RetryBounds, StepBounds
from wfc.runtime.plan.step import Step
from wfc.runtime.values.spans import span

__all__ = ["bounded_retry", "bounds_in_numbers"]

_TIMES: Final = {"deadline", "timeout", "within", "delay", "max_delay", "jitter", "total_timeout"}
_LEAST: Final = {"cost_usd": 0, "delay": 0, "jitter": 0}
"""The least values that differ from one, or for times from more than nothing."""

_OF_ITEMS: Final = {"timeout", "num_workers", "retry"}
"""Bounds on the attempts at an action, which are those at an item where a step acts on each of several."""

_RETRY: Final = "retry."
"""What the names of a retry policy's bounds begin with."""


def bounds_in_numbers(bounds: Bounds, plan: Plan) -> dict[tuple[str, int], float]:
    """Return bounds as numbers, by their names and the index of their step or ``OF_RUN``.

    Lengths of time are in seconds, moments as in ``core.moments``.

    Raises:
        ExpressionError: A bound is out of its range.
    """
    found: dict[tuple[str, int], float] = {}
    for name in ("deadline", "steps", "tokens", "cost_usd", "concurrent_runs"):
        value = getattr(bounds, name)
        if value is not None:
            found[name, OF_RUN] = _number(name, value, f"`{name}` of the run")
    for step_name, of_step in bounds.of_steps.items():
        _add_of_step(found, of_step, plan.by_name[step_name])
    return found


def _add_of_step(found: dict[tuple[str, int], float], bounds: StepBounds, step: Step) -> None:
    for name in StepBounds.__slots__:
        value = getattr(bounds, name)
        if value is None:
            continue
        bounded = step.item if name in _OF_ITEMS and step.item is not None else step
        where = f"`{name}` of step `{step.name}`"
        if name == "retry":
            _add_of_retry(found, value, bounded, step.name)
        elif name == "until":
            found[name, bounded.index] = _moment(value, where)
        else:
            found[name, bounded.index] = _number(name, value, where)


def _add_of_retry(found: dict[tuple[str, int], float], bounds: RetryBounds, step: Step, name: str) -> None:
    for field in fields(bounds):
        value = getattr(bounds, field.name)
        if value is not None:
            key = _KEYS.get(field.name, field.name)
            where = f"`{key}` of the retry policy of step `{name}`"
            found[_RETRY + field.name, step.index] = _number(field.name, value, where)
    policy = bounded_retry(step.retry, found, step.index)
    if isinstance(policy, RetryPolicy) and policy.max_delay is not None and policy.delay > policy.max_delay:
        raise ExpressionError(
            f"`delay` of the retry policy of step `{name}` is worked out as {span(policy.delay)}: that is longer than "
            f"its `max_delay`, {span(policy.max_delay)}"
        )


_KEYS: Final = {"total_timeout": "within"}
"""What specs call the parts of a retry policy that have another name here."""


def bounded_retry(
    policy: RetryRule | None, bounds: Mapping[tuple[str, int], float], index: int
) -> RetryRule | None:
    """Return a step's retry policy with the parts that were worked out when the run started."""
    if not bounds or not isinstance(policy, RetryPolicy):
        return policy
    parts: dict[str, Any] = {
        name.removeprefix(_RETRY): value
        for (name, of), value in bounds.items()
        if of == index and name.startswith(_RETRY)
    }
    if "max_attempts" in parts:
        parts["max_attempts"] = int(parts["max_attempts"])
    return replace(policy, **parts) if parts else policy


def _number(name: str, value: Any, where: str) -> float:
    least = _LEAST.get(name, 1)
    if name not in _TIMES:
        if not (math.isfinite(value) and value >= least):
            raise ExpressionError(f"{where} is worked out as {value}: at least {least} is possible")
        found: float = value
        return found
    seconds = seconds_of(value)
    is_long_enough = seconds >= 0 if name in _LEAST else seconds > 0
    if not (math.isfinite(seconds) and is_long_enough and seconds <= LONGEST_WAIT.total_seconds()):
        least_time = "nothing or more" if name in _LEAST else "more than nothing"
        raise ExpressionError(
            f"{where} is worked out as {span(seconds)}: {least_time} and at most ten years are possible"
        )
    return seconds


def _moment(value: datetime, where: str) -> float:
    if value.tzinfo is None:
        raise ExpressionError(f"{where} is worked out as {value.isoformat()}: a moment has an offset")
    return as_moment(value)
