"""What a run has spent on models, held against what it may spend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wfc.runtime.core.ticks import ModelUsed
from wfc.runtime.errors import LimitError, SettingsError

if TYPE_CHECKING:
    from wfc.runtime.calls.settings import Price
    from wfc.runtime.driver.run import Run

__all__ = ["afford", "spend"]

_A_MILLION = 1_000_000


def afford(run: Run, model: str) -> None:
    """Says so if a run has used up what it may spend, before it calls a model once more.

    Args:
        model: ``provider:name``.

    Raises:
        LimitError: It has: ``limit.tokens`` or ``limit.cost``.
        SettingsError: What the run may cost is bounded, and nobody knows the model's price.
    """
    execution = run.execution
    limits = execution.plan.limits
    if limits is None:
        return
    if limits.tokens is not None and execution.tokens >= limits.tokens:
        raise LimitError(
            f"the run has used {execution.tokens} tokens, and may use {limits.tokens}", "limit.tokens"
        )
    if limits.cost_usd is not None:
        if _price(run, model) is None:
            raise SettingsError(
                f"the run may cost {limits.cost_usd:g} US dollars, and nobody knows what `{model}` costs: set "
                f'`prices."{model}" = {{input = …, output = …}}` (US dollars for a million tokens) in the settings'
            )
        if execution.cost_usd >= limits.cost_usd:
            raise LimitError(
                f"the run has cost {execution.cost_usd:g} US dollars, and may cost {limits.cost_usd:g}",
                "limit.cost",
            )


def spend(run: Run, model: str, tokens_in: int, tokens_out: int) -> None:
    """Counts a call of a model."""
    cost = 0.0
    limits = run.execution.plan.limits
    if limits is not None and limits.cost_usd is not None:
        price = _price(run, model)
        if price is not None:
            cost = (tokens_in * price.input + tokens_out * price.output) / _A_MILLION
    run.take(ModelUsed(tokens_in + tokens_out, cost))


def _price(run: Run, model: str) -> Price | None:
    from wfc.runtime.calls.beside import home_of
    from wfc.runtime.calls.settings import settings_near

    return settings_near(home_of(type(run.workflow))).prices.get(model)
