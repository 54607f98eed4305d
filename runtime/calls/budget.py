"""What calls of models cost, held against what a run may spend on them."""

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
        tokens: What the run has used of them so far.
        cost_usd: What its calls have cost so far.
        model: ``provider:name``.
        folder: Where the settings, which have the prices, are looked for.

    Raises:
        LimitError: It has used up what it may spend: ``limit.tokens`` or ``limit.cost``.
        SettingsError: What the run may cost is bounded, and nobody knows the model's price.
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
    """Return what a call of a model has cost in US dollars; 0 where nobody bounds that, or knows the price."""
    if limits is None or limits.cost_usd is None:
        return 0.0
    price = _price(model, folder)
    return 0.0 if price is None else (tokens_in * price.input + tokens_out * price.output) / _A_MILLION


def _price(model: str, folder: Path) -> Price | None:
    from wfc.runtime.calls.settings import settings_near

    return settings_near(folder).prices.get(model)
