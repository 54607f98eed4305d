"""Steps whose runs are another step's items, built from its ``item`` function and item options."""

from __future__ import annotations

import inspect
from dataclasses import replace

from wfc.runtime.authoring.injection import make_call
from wfc.runtime.authoring.signatures import pause_kinds, read_signature, result_of
from wfc.runtime.authoring.step_functions import ItemFunction
from wfc.runtime.errors import WorkflowValidationError
from wfc.runtime.plan.signature import Call, Emissions, Gives, Signature
from wfc.runtime.plan.step import Step

__all__ = ["is_about_items", "make_item_step"]

_OF_ITEMS = ("require", "idempotency_key", "stream_before", "stream_after")
"""The functions of a step that concern its items if they take an item, and otherwise the step itself."""


def make_item_step(step: Step, item: ItemFunction, calls: dict[str, Call]) -> Step:
    """Return the step whose runs are the items of another step; its index is assigned by the plan.

    Args:
        calls: The functions that concern items, by name.

    Raises:
        WorkflowValidationError: The function takes no item.
    """
    signature = read_signature(item.function, names=item.names)
    if not signature.asks_for(Gives.ITEM):
        raise WorkflowValidationError(
            f"`{item.function.__qualname__}` takes no item: give it a parameter `item: Item[…]`"
        )
    if item.on_error != "fail" and "on_item_error" in calls:
        raise WorkflowValidationError(
            f"step `{step.name}`: `on_item_error` says what a failed item gives, so `on_error` of its items is `fail`"
        )
    return replace(
        step,
        function=item.function,
        signature=signature,
        action=make_call(item.function, signature, step.slots, is_tail=False),
        is_async=inspect.iscoroutinefunction(item.function),
        num_workers=item.num_workers,
        retry=item.retry_policy,
        timeout=item.timeout,
        cache=item.cache,
        of=step,
        on_item_error=item.on_error,
        pauses=pause_kinds(signature.result),
        result=result_of(signature.result),
        bound=None,
        item=None,
        then=None,
        on_error=None,
        on_limit=None,
        on_timeout=None,
        on_expired=None,
        that=None,
        require=calls.get("require"),
        idempotency_key=calls.get("idempotency_key"),
        stream_before=calls.get("stream_before"),
        stream_after=calls.get("stream_after"),
        give=calls.get("give"),
        give_instead=calls.get("on_item_error"),
        max_runs=None,
        plain=False,
        emissions=Emissions(),
        needs_snapshot=step.needs_snapshot or signature.asks_for(Gives.STATE),
        routes={},
        ends={},
        items={},
        batches={},
        opens=(),
        items_open=(),
    )


def is_about_items(name: str, signature: Signature) -> bool:
    """Return whether a function of a step concerns its items rather than the step itself."""
    return name in {"give", "on_item_error"} or (name in _OF_ITEMS and signature.asks_for(Gives.ITEM))
