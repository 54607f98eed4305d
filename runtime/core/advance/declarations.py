"""What a step gives, held against what it declares."""

from __future__ import annotations

from typing import Any

from wfc.runtime.core.execution import Execution
from wfc.runtime.errors import UndeclaredResultError
from wfc.runtime.events import InputRequiredEvent, StopEvent, event_name
from wfc.runtime.plan.signature import EventClass
from wfc.runtime.plan.step import Step

__all__ = ["describe_value", "routes_of_item_subclass", "routes_of_subclass", "undeclared_result"]


def routes_of_subclass(execution: Execution, step: Step, kind: EventClass) -> tuple[Step, ...]:
    """Where an event goes whose class the step's signature does not name itself.

    Raises:
        UndeclaredResultError: The step does not declare it.
    """
    if not any(issubclass(kind, one) for one in step.emissions.events):
        names = sorted({event_name(one) for one in step.emits}) or ["nothing"]
        raise UndeclaredResultError(
            f"step `{step.name}` emitted {event_name(kind)}, but declares {' | '.join(names)}"
        )
    routes = execution.plan.acceptors(kind)
    if not issubclass(kind, StopEvent | InputRequiredEvent):
        step.routes[kind] = routes
    return routes


def routes_of_item_subclass(execution: Execution, step: Step, item: Any) -> tuple[Step, ...]:
    """Where an item of a batch goes whose class the step's signature does not name itself.

    Raises:
        UndeclaredResultError: The step does not declare it.
    """
    for batch in step.emissions.batches:
        if isinstance(item, batch):
            step.items[type(item)] = routes = execution.plan.acceptors(type(item))
            return routes
    raise undeclared_result(step, item)


def undeclared_result(step: Step, emitted: Any) -> UndeclaredResultError:
    """That a step has given what it does not declare."""
    names = [event_name(one) for one in step.emissions.events]
    names += [f"list[{' | '.join(event_name(one) for one in batch)}]" for batch in step.emissions.batches]
    return UndeclaredResultError(
        f"step `{step.name}` returned {describe_value(emitted)}, but declares {' | '.join(names) or 'None'}"
    )


def describe_value(value: Any) -> str:
    """What kind of value that is, in words."""
    if isinstance(value, list) and value:
        return f"a list with {describe_value(value[0])}"
    return "an empty list" if isinstance(value, list) else f"a value of type {type(value).__name__}"
