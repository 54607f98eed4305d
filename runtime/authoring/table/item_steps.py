"""The step that a step's items are runs of: made from its ``item`` function and what else is said of items."""

from __future__ import annotations

import inspect
from copy import copy
from typing import TYPE_CHECKING

from wfc.runtime.authoring.table.injection import Call, make_call
from wfc.runtime.authoring.table.signature import (
    Emissions,
    Gives,
    Signature,
    pause_kinds,
    read_signature,
    result_of,
)
from wfc.runtime.errors import WorkflowValidationError

if TYPE_CHECKING:
    from wfc.runtime.authoring.step_functions import ItemFunction
    from wfc.runtime.authoring.table import Step

__all__ = ["is_about_items", "make_item_step"]

_OF_ITEMS = ("require", "idempotency_key", "stream_before", "stream_after")
"""Functions of a step that are about its items if they take an item, and else about the step."""


def make_item_step(index: int, step: Step, written: ItemFunction, calls: dict[str, Call]) -> Step:
    """The step of a step's items.

    Args:
        calls: The functions that are about items, by name.

    Raises:
        WorkflowValidationError: The function takes no item.
    """
    signature = read_signature(written.function, names=written.names)
    if not signature.wants(Gives.ITEM):
        raise WorkflowValidationError(
            f"`{written.function.__qualname__}` takes no item: give it a parameter `item: Item[…]`"
        )
    made = copy(step)
    made.index = index
    made.function = written.function
    made.signature = signature
    made.action = make_call(written.function, signature, step.slots, is_tail=False)
    made.is_async = inspect.iscoroutinefunction(written.function)
    made.num_workers = written.num_workers
    made.retry = written.retry_policy
    made.timeout = written.timeout
    made.cache = written.cache
    made.of = step
    made.item = None
    made.on_item_error = written.on_error
    made.pauses = pause_kinds(signature.result)
    made.result = result_of(signature.result)
    made.bound = None
    made.then = made.on_error = made.on_limit = made.on_timeout = made.on_expired = made.that = None
    made.max_runs = None
    made.limited = made.plain = False
    made.emissions = Emissions()
    made.require, made.idempotency_key = calls.get("require"), calls.get("idempotency_key")
    made.stream_before, made.stream_after = calls.get("stream_before"), calls.get("stream_after")
    made.give = calls.get("give")
    made.wants_snapshot = step.wants_snapshot or signature.wants(Gives.STATE)
    made.routes, made.items, made.batches = {}, {}, {}
    made.opens = made.items_open = ()
    return made


def is_about_items(name: str, signature: Signature) -> bool:
    """Whether a function of a step is about its items."""
    return name == "give" or (name in _OF_ITEMS and signature.wants(Gives.ITEM))
