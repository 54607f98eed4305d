"""The cost of model calls, and the check against a run's limits.

Prices stand in the project's settings, or else in the table of the library through which models are called.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from wfc.runtime.errors import LimitError, SettingsError
from wfc.runtime.plan.run_rules import Limits

if TYPE_CHECKING:
    from wfc.runtime.calls.settings import Price

__all__ = ["check_budget", "cost_of_call", "listed_price"]

_A_MILLION = 1_000_000


def check_budget(
    limits: Limits, tokens: int, cost_usd: float, model: str, folder: Path, *, own_server: bool = False
) -> None:
    """Check that a run may call a model once more.

    Args:
        tokens: The number of tokens that the run has used so far.
        cost_usd: The cost of its calls so far, in US dollars.
        model: ``provider:name``.
        folder: The folder where the search for the settings, which hold the prices, begins.
        own_server: Whether it is asked at an address of its own, where the provider's prices do not hold.

    Raises:
        LimitError: The run has used up its limit: ``limit.tokens`` or ``limit.cost``.
        SettingsError: The run's cost is limited, and the model's price is unknown.
    """
    if limits.tokens is not None and tokens >= limits.tokens:
        raise LimitError(f"the run has used {tokens} tokens, and may use {limits.tokens}", "limit.tokens")
    if limits.cost_usd is not None:
        if _price(model, folder) is None and (own_server or listed_price(model, 1, 1) is None):
            where = (
                " at its `base_url`, for listed prices are those of the provider's own address"
                if own_server
                else ""
            )
            raise SettingsError(
                f"the run may cost {limits.cost_usd:g} US dollars, and nobody knows what `{model}` costs{where}: set "
                f'`prices."{model}" = {{input = …, output = …}}` (US dollars for a million tokens) in the settings, '
                "`[tool.wfc]` of the pyproject.toml or wfc.toml"
            )
        if cost_usd >= limits.cost_usd:
            raise LimitError(
                f"the run has cost {cost_usd:g} US dollars, and may cost {limits.cost_usd:g}", "limit.cost"
            )


def cost_of_call(
    model: str, tokens_in: int, tokens_out: int, folder: Path, listed: Callable[[], float | None] | None
) -> float | None:
    """Return the cost of a model call in US dollars; ``None`` if nobody knows the price.

    Args:
        listed: Returns the cost by the library's prices; asked if the settings have no price for the model.
    """
    price = _price(model, folder)
    if price is None:
        return listed() if listed is not None else None
    return (tokens_in * price.input + tokens_out * price.output) / _A_MILLION


@lru_cache(maxsize=256)
def listed_price(model: str, tokens_in: int, tokens_out: int) -> float | None:
    """Return what a call of a model, ``provider:name``, costs in US dollars by the library's prices.

    ``None``: It does not know the model, or is not installed.
    """
    try:
        from genai_prices import Usage, calc_price
    except ImportError:
        return None
    provider, _, name = model.partition(":")
    try:
        usage = Usage(input_tokens=tokens_in, output_tokens=tokens_out)
        return float(calc_price(usage, name, provider_id=provider).total_price)
    except LookupError:
        return None


def _price(model: str, folder: Path) -> Price | None:
    from wfc.runtime.calls.settings import settings_near

    return settings_near(folder).prices.get(model)
