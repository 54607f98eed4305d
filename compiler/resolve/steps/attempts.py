"""Retries and time-outs of a step's action."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Expression
from wfc.compiler.model import Action, MapItems, Retry, WorkflowCall
from wfc.compiler.model.kinds import STEP_KINDS, calls_agent
from wfc.compiler.resolve.declarations import retries
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values import bounds
from wfc.compiler.rules import shape as shape_problems

__all__ = ["step_attempts"]


def step_attempts(
    data: Data, action: Action | None, place: Place, name: str, declared: Declarations
) -> tuple[Retry | None, float | Expression | None]:
    """Return how often the action of a step is tried, and how long each attempt may take."""
    return step_retry(data, action, place, name, declared), step_timeout(data, action, place, declared)


def step_retry(
    data: Data, action: Action | None, place: Place, name: str, declared: Declarations
) -> Retry | None:
    """Return the retry policy that applies when an attempt of a step fails."""
    found = declared.defaults.retry if takes_defaults(data, action) else None
    if "retry" in data:
        found = retries.resolve_retry(data["retry"], place / "retry", name, declared)
    if found is not None and calls_agent(action) and is_worked_out(found):
        at = (place / "retry" if "retry" in data else place).key
        declared.report(
            shape_problems.not_supported_yet(at, "a retry policy with expressions, for an agent,")
        )
    return found


def is_worked_out(policy: Retry) -> bool:
    """Return whether any part of a policy is an expression."""
    parts = (
        policy.max_attempts,
        policy.delay,
        policy.backoff,
        policy.max_delay,
        policy.jitter,
        policy.within,
    )
    return any(isinstance(each, Expression) for each in parts)


def step_timeout(
    data: Data, action: Action | None, place: Place, declared: Declarations
) -> float | Expression | None:
    """Return how long an attempt of a step may take: seconds, or an expression of inputs and config."""
    if "timeout" in data:
        return bounds.length(data["timeout"], place / "timeout", declared)
    return declared.defaults.timeout if takes_defaults(data, action) else None


def takes_defaults(data: Data, action: Action | None) -> bool:
    """Return whether the defaults apply to a step: its kind takes them, and its action, or that for an item,
    is no workflow call.
    """
    call = action.do if isinstance(action, MapItems) else action
    return STEP_KINDS[str(data["kind"])].takes_defaults and not isinstance(call, WorkflowCall)
