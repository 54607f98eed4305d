"""Retries and time-outs of a step's action."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Expression
from wfc.compiler.model import Action, MapItems, Retry, WorkflowCall
from wfc.compiler.model.kinds import STEP_KINDS
from wfc.compiler.resolve.declarations import retries
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values import bounds

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
    if "retry" in data:
        return retries.resolve_retry(data["retry"], place / "retry", name, declared)
    return declared.defaults.retry if takes_defaults(data, action) else None


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
