"""The cost of model calls, and the check against a run's limits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wfc.runtime.errors import LimitError, SettingsError
from wfc.runtime.plan.run_rules import Limits

if TYPE_CHECKING:
    from wfc.runtime.calls.settings import Price

__all__ = ["check_budget", "cost_of_call"]

_A_MILLION = 1_000_000


def check_budget(limits: Limits, tokens: int, cost_usd: float, model: str, folder: Path) -> None:
    """Check that a run may call a model once more.

    Args:
        tokens: The number of tokens that the run has used so far.
        cost_usd: The cost of its calls so far, in US dollars.
        model: ``provider:name``.
        folder: The folder where the search for the settings, which hold the prices, begins.

    Raises:
        LimitError: The run has used up its limit: ``limit.tokens`` or ``limit.cost``.
        SettingsError: The run's cost is limited, and the settings have no price for the model.
    """
    if limits.tokens is not None and tokens >= limits.tokens:
        raise LimitError(f"the run has used {tokens} tokens, and may use {limits.tokens}", "limit.tokens")
    if limits.cost_usd is not None:
        if _price(model, folder) is None:
            raise SettingsError(
                f"the run may cost {limits.cost_usd:g} US dollars, and nobody knows what `{model}` costs: set "
                f'`prices."{model}" = {{input = …, output = …}}` (US dollars for a million tokens) in the settings'
            )
        if cost_usd >= limits.cost_usd:
            raise LimitError(
                f"the run has cost {cost_usd:g} US dollars, and may cost {limits.cost_usd:g}", "limit.cost"
            )


def cost_of_call(limits: Limits | None, model: str, tokens_in: int, tokens_out: int, folder: Path) -> float:
    """Return the cost of a model call in US dollars; 0 if the cost has no limit or the price is unknown."""
    if limits is None or limits.cost_usd is None:
        return 0.0
    price = _price(model, folder)
    return 0.0 if price is None else (tokens_in * price.input + tokens_out * price.output) / _A_MILLION


def _price(model: str, folder: Path) -> Price | None:
    from wfc.runtime.calls.settings import settings_near

    return settings_near(folder).prices.get(model)
