"""The tokens and the money that a run's models cost, counted and bounded: those of a part are its owner's too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol

from wfc.runtime.calls.budget import check_budget, cost_of_call
from wfc.runtime.calls.sibling_modules import settings_folder
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.core.ticks import ModelUsed, Tick
from wfc.runtime.driver.run.children import Parent
from wfc.runtime.driver.run.needs import RunWorkflow
from wfc.runtime.driver.run.watchers import Watchers
from wfc.runtime.errors import LimitError
from wfc.runtime.events.internal import ModelCalled
from wfc.runtime.plan.run_rules import Limits

__all__ = ["OWN_LIMITS", "check_limits", "count_call"]

OWN_LIMITS: Final = "agent."
"""What the names of errors begin with that are about the own limits of a part."""


class SpendingRun(Protocol):
    """The part of a run that spending uses."""

    @property
    def workflow(self) -> RunWorkflow[Any]:
        """The run's workflow."""

    @property
    def execution(self) -> Execution:
        """The run as data."""

    @property
    def limits(self) -> Limits | None:
        """The bounds on its models."""

    @property
    def above(self) -> Any:
        """The run that this run is part of; ``None`` if there is none."""

    @property
    def parent(self) -> Parent | None:
        """The step run that started it; ``None`` if none did."""

    @property
    def port(self) -> object | None:
        """What keeps the run; ``None``: nothing does."""

    @property
    def watchers(self) -> Watchers:
        """The run's watchers."""

    def take(self, tick: Tick) -> None:
        """Apply a tick."""


def _payers(run: SpendingRun) -> Iterator[SpendingRun]:
    """Yield a run, and those that pay for it, for it is nothing but a part of them, or their step pays for it."""
    paying: SpendingRun | None = run
    while paying is not None:
        yield paying
        above, parent = paying.above, paying.parent
        is_paid = (
            above is not None and parent is not None and parent.step in above.workflow._wfc.plan.pays_for
        )
        paying = above if is_paid or paying.workflow._wfc.is_part else None


def check_limits(run: SpendingRun, model: str, *, own_server: bool) -> None:
    """Check that a run may call a model, ``provider:name``, once more.

    Raises:
        LimitError: It, or one that pays for it, has used up its tokens or its budget.
        SettingsError: The cost is limited, and the model's price is unknown.
    """
    for payer in _payers(run):
        limits, execution = payer.limits, payer.execution
        if limits is None or (limits.tokens is None and limits.cost_usd is None):
            continue
        folder = settings_folder(type(payer.workflow))
        try:
            check_budget(limits, execution.tokens, execution.cost_usd, model, folder, own_server=own_server)
        except LimitError as error:
            if payer.workflow._wfc.is_part:
                said = str(error).replace("the run has", "the agent has")
                raise LimitError(said, OWN_LIMITS + error.name.rpartition(".")[2]) from None
            raise


def count_call(
    run: SpendingRun,
    step_run: StepRun,
    model: str,
    tokens_in: int,
    tokens_out: int,
    cached: int,
    price: Callable[[], float | None] | None,
) -> None:
    """Add a model call to what a run and its payers have used.

    Its cost is worked out where one of them limits it, the run is kept, or somebody watches.

    Args:
        cached: The number of the tokens that came from the provider's cache.
        price: Returns what the call has cost in US dollars, if that is known; asked where no settings say it.
    """
    payers = list(_payers(run))
    is_limited = any(one.limits is not None and one.limits.cost_usd is not None for one in payers)
    cost = None
    if is_limited or run.execution.observed or run.port is not None:
        folder = settings_folder(type(run.workflow))
        cost = cost_of_call(model, tokens_in, tokens_out, folder, price)
    number = step_run.number
    for payer in payers:
        payer.take(ModelUsed(tokens_in + tokens_out, cost or 0.0, number))
        number = payer.parent.number if payer.parent is not None else 0
    if run.execution.observed:
        called = ModelCalled(
            step_name=step_run.step.name,
            worker_id=str(step_run.number),
            attempt=step_run.attempt,
            model=model,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            tokens_cached=cached,
            cost_usd=cost,
        )
        run.watchers.note(called)
