"""Checks of what a step emits against what it declares."""

from __future__ import annotations

import inspect
from typing import Any

from wfc.runtime.core.execution import Execution
from wfc.runtime.errors import UndeclaredResultError
from wfc.runtime.events import InputRequiredEvent, StopEvent, event_name
from wfc.runtime.plan.namesakes import describe_namesakes
from wfc.runtime.plan.signature import EventClass
from wfc.runtime.plan.step import Step

__all__ = [
    "check_result",
    "describe_value",
    "routes_of_item_subclass",
    "routes_of_subclass",
    "undeclared_result",
]


def routes_of_subclass(execution: Execution, step: Step, kind: EventClass) -> tuple[Step, ...]:
    """Return the target steps of an event that ends the run or asks, or whose class the signature does not name.

    Raises:
        UndeclaredResultError: The step does not declare it.
    """
    if not any(issubclass(kind, one) for one in step.emissions.events):
        names = sorted({event_name(one) for one in step.emits}) or ["nothing"]
        said = f"step `{step.name}` emitted {event_name(kind)}, but declares {' | '.join(names)}"
        raise UndeclaredResultError("; ".join([said, *describe_namesakes([kind, *step.emits])]))
    routes = execution.plan.acceptors(kind)
    ends_or_asks = issubclass(kind, StopEvent | InputRequiredEvent)
    (step.ends if ends_or_asks else step.routes)[kind] = routes
    return routes


def routes_of_item_subclass(execution: Execution, step: Step, item: Any) -> tuple[Step, ...]:
    """Return the target steps of a batch's item whose exact class the step's signature does not name.

    Raises:
        UndeclaredResultError: The step does not declare it.
    """
    for batch in step.emissions.batches:
        if isinstance(item, batch):
            step.items[type(item)] = routes = execution.plan.acceptors(type(item))
            return routes
    raise undeclared_result(step, item)


def undeclared_result(step: Step, emitted: Any) -> UndeclaredResultError:
    """Return the error for a step that has returned what it does not declare."""
    names = [event_name(one) for one in step.emissions.events]
    names += [f"list[{' | '.join(event_name(one) for one in batch)}]" for batch in step.emissions.batches]
    said = (
        f"step `{step.name}` returned {describe_value(emitted)}, but declares {' | '.join(names) or 'None'}"
    )
    return UndeclaredResultError(said + _forgotten_await(emitted))


def check_result(step: Step, result: Any) -> None:
    """Reject an end result that has not been awaited.

    Raises:
        UndeclaredResultError: The result is a coroutine or another awaitable.
    """
    if hasattr(result, "__await__"):  # `inspect.isawaitable` takes ten times as long
        raise UndeclaredResultError(
            f"step `{step.name}` ends the run with {describe_value(result)}{_forgotten_await(result)}"
        )


def _forgotten_await(value: Any) -> str:
    if not hasattr(value, "__await__"):
        return ""
    if not inspect.iscoroutine(value):
        return ": `await` is missing before it"
    value.close()  # nobody else will, and Python would complain of it as well
    return f": `await` is missing before `{value.__name__}(…)`"


def describe_value(value: Any) -> str:
    """Return a description of the kind of a value."""
    if isinstance(value, list) and value:
        return f"a list with {describe_value(value[0])}"
    return "an empty list" if isinstance(value, list) else f"a value of type {type(value).__name__}"
