"""The construction of a step from its decorated function: what it accepts, emits and needs, and its calls."""

from __future__ import annotations

import inspect
from typing import Any

from wfc.runtime.authoring.injection import make_call
from wfc.runtime.authoring.item_steps import is_about_items, make_item_step
from wfc.runtime.authoring.resource.kinds import check_resources
from wfc.runtime.authoring.signatures import pause_kinds, read_signature, result_of
from wfc.runtime.authoring.step_functions import AFTER_CALL, APPROVE, OFFER, StepFunction
from wfc.runtime.errors import WorkflowValidationError
from wfc.runtime.plan.joins import AllOf, EachOf
from wfc.runtime.plan.pauses import PAUSES, Items
from wfc.runtime.plan.signature import Call, Emissions, Gives, Parameter, Signature
from wfc.runtime.plan.step import Step

__all__ = ["read_step"]

AnyStepFunction = StepFunction[Any, Any]

_OF_THE_ACTION = ("stream_before", "idempotency_key", "require", "that")
"""Functions that see the state as it was when the step run began; the others see it as it is."""

_EMITTING = ("then", "on_error", "on_limit", "on_timeout", "on_expired")

_SAVING = (*_EMITTING, "give")
"""Functions that may change the state."""


def read_step(index: int, function: AnyStepFunction) -> Step:
    """Return the step that a decorated function defines, without what depends on the other steps.

    Args:
        index: The step's position in the plan.

    Raises:
        WorkflowValidationError: A signature or an option is wrong.
    """
    signature = read_signature(function.function, is_tail=function.is_transform, names=function.names)
    pauses = _read_pauses(function, signature)
    result = result_of(signature.result) if pauses else signature.result
    resources = tuple(one.request for one in signature.parameters if one.request is not None)
    check_resources(resources)
    slots = _read_slots(function, signature)
    exits, calls, of_items = _read_exits(function, slots)
    collects = _collects(signature)
    step = Step(
        index=index,
        name=function.name,
        function=function.function,
        signature=signature,
        result=result,
        is_async=inspect.iscoroutinefunction(function.function),
        num_workers=function.num_workers,
        retry=function.retry_policy,
        timeout=function.timeout,
        cache=function.cache,
        subclasses=function.accept_event_subclasses,
        skips=function.skip_graph_checks,
        max_recoveries=function.max_recoveries,
        for_steps=function.for_steps,
        accepts=tuple(dict.fromkeys(one for event in signature.events for one in event.events)),
        emissions=_read_emissions(function.name, signature, exits, result),
        collects=collects,
        take=signature.events[0].take if collects else None,
        count=_read_count(function),
        join=function.join,
        slots=slots,
        pauses=pauses,
        bound=function.within,
        exits=exits,
        resources=resources,
        max_runs=_read_limit(function, calls.get("max_runs")),
    )
    _set_calls(step, function, calls)
    _set_views(step, function)
    _set_item(step, function, of_items)
    return step


def _set_calls(step: Step, function: AnyStepFunction, calls: dict[str, Call]) -> None:
    """Set the calls of a step's functions on the step."""
    own = make_call(
        function.function,
        step.signature,
        step.slots,
        is_tail=function.is_transform,
        saves=function.is_transform,
    )
    if function.is_transform:
        if "then" in step.exits:
            raise WorkflowValidationError(f"transform `{step.name}` is a tail itself, so it has no `then`")
        step.then = own
    else:
        step.action = own
        step.then = calls.get("then")
    step.on_error = calls.get("on_error")
    step.on_limit = calls.get("on_limit")
    step.on_timeout = calls.get("on_timeout")
    step.on_expired = calls.get("on_expired")
    step.that = calls.get("that")
    step.require = calls.get("require")
    step.stream_before = calls.get("stream_before")
    step.stream_after = calls.get("stream_after")
    step.idempotency_key = calls.get("idempotency_key")
    step.approvals, step.offers = _by_tool(calls, APPROVE), _by_tool(calls, OFFER)
    step.call_saves, step.agent_system = _by_tool(calls, AFTER_CALL), calls.get("system")
    step.match_by = _checked_match(function, step.slots, calls.get("match_by"))


def _by_tool(calls: dict[str, Call], kind: str) -> dict[str, Call]:
    return {name.removeprefix(kind): one for name, one in calls.items() if name.startswith(kind)}


def _set_views(step: Step, function: AnyStepFunction) -> None:
    """Set on the step which of its functions see the state, and whether it needs nothing but to be awaited."""
    before = [signature for one, signature in step.exits.items() if one in _OF_THE_ACTION]
    step.needs_snapshot = any(one.asks_for(Gives.STATE) for one in (step.signature, *before))
    saving = [step.exits[one] for one in _SAVING if one in step.exits]
    if function.is_transform:
        saving.append(step.signature)
    step.saves = any(one.asks_for(Gives.STATE) for one in saving)
    step.plain = not step.needs_snapshot and not step.exits and not step.resources and _is_plain(function)


def _set_item(step: Step, function: AnyStepFunction, of_items: dict[str, Call]) -> None:
    """Set on the step what is done for each of its items; refuse items without an action, and the reverse."""
    if function.items is not None:
        step.item = make_item_step(step, function.items, of_items)
        if step.item.limited:
            step.limited, step.simple = True, False
    if (Items in step.pauses) != (function.items is not None):
        raise WorkflowValidationError(
            f"step `{step.name}`: a step that returns `Items` has an action for each, `@{step.name}.item(…)`"
        )


def _read_pauses(function: AnyStepFunction, signature: Signature) -> tuple[type[Any], ...]:
    """Return what a step may pause for."""
    if inspect.isasyncgenfunction(function.function) or inspect.isgeneratorfunction(function.function):
        raise WorkflowValidationError(
            f"step `{function.name}` yields: it must return a list of events, or send them by `ctx.send_event`"
        )
    found = pause_kinds(signature.result) if function.is_pause else ()
    if function.is_pause and not found:
        raise WorkflowValidationError(
            f"step `{function.name}` must say by `-> …` what it pauses for: "
            f"{', '.join(one.__name__ for one in PAUSES)}"
        )
    return found


def _collects(signature: Signature) -> bool:
    events = signature.events
    return len(events) == 1 and events[0].gives is Gives.EVENTS


def _read_slots(function: AnyStepFunction, signature: Signature) -> tuple[Parameter, ...]:
    """Return the parameters of a join of several events; none for a step that is not a join."""
    name, join, events = function.name, function.join, signature.events
    collects = _collects(signature)
    if not events or (len(events) > 1 and any(one.gives is Gives.EVENTS for one in events)):
        raise WorkflowValidationError(
            f"step `{name}` must take an event, several events, or one list of events"
        )
    if isinstance(join, EachOf) != collects and join is not None:
        raise WorkflowValidationError(f"step `{name}`: `EachOf` goes with one parameter `list[…]`")
    if len(events) > 1 and not isinstance(join, AllOf) and any(len(one.events) > 1 for one in events):
        raise WorkflowValidationError(
            f"step `{name}` joins several events, so each of its parameters takes one kind of event; "
            f"only one of `AllOf` may take either of several"
        )
    return events if len(events) > 1 or (join is not None and not collects) else ()


def _read_exits(
    function: AnyStepFunction, slots: tuple[Parameter, ...]
) -> tuple[dict[str, Signature], dict[str, Call], dict[str, Call]]:
    """Return the signatures of a step's further functions, their calls, and the calls for its items."""
    exits: dict[str, Signature] = {}
    calls: dict[str, Call] = {}
    of_items: dict[str, Call] = {}
    for name, (exit, names) in function.exits.items():
        signature = read_signature(exit, is_tail=True, names=names)
        filled = () if name == "match_by" else slots  # it is given one event
        saves = name in _SAVING or name.startswith(AFTER_CALL)
        call = make_call(exit, signature, filled, is_tail=name not in _OF_THE_ACTION, saves=saves)
        exits[name] = signature
        (of_items if is_about_items(name, signature) else calls)[name] = call
    return exits, calls, of_items


def _checked_match(
    function: AnyStepFunction, slots: tuple[Parameter, ...], match_by: Call | None
) -> Call | None:
    if match_by is None:
        return None
    if function.join is None or not slots:
        raise WorkflowValidationError(
            f"step `{function.name}` is no join of several events, so it matches none"
        )
    if getattr(function.join, "rest", "finish") == "cancel":
        raise WorkflowValidationError(
            f"step `{function.name}` joins once for each value, so its frame has no rest to cancel"
        )
    return match_by


def _read_limit(function: AnyStepFunction, computed: Call | None) -> int | Call | None:
    if isinstance(function.limit, int):
        return function.limit
    if function.limit is not None and computed is None:
        raise WorkflowValidationError(
            f"step `{function.name}`: decorate the method `{function.limit}` with `@{function.name}.max_runs`"
        )
    return computed


def _read_count(function: AnyStepFunction) -> int | None:
    """Return how many events the join of a batch waits for; ``None``: all."""
    wanted = function.join.count if isinstance(function.join, EachOf) else None
    if wanted is not None and wanted < 1:
        raise WorkflowValidationError(f"step `{function.name}`: `count` must be greater than 0")
    return wanted


def _is_plain(function: AnyStepFunction) -> bool:
    """Return whether, judging by its options, running the step is only awaiting a coroutine function."""
    return (
        not function.is_transform
        and inspect.iscoroutinefunction(function.function)
        and function.timeout is None
        and function.cache is None
        and function.retry_policy is None
        and function.limit is None
    )


def _read_emissions(name: str, signature: Signature, exits: dict[str, Signature], result: Any) -> Emissions:
    """Return what a step may emit, by all its exits."""
    ways = [exits[one].emissions for one in _EMITTING if one in exits]
    if "then" not in exits:
        ways.append(signature.emissions)
        if not signature.emissions.only_events:
            raise WorkflowValidationError(
                f"step `{name}` must return events or `None`, not {result}; what a step with a tail "
                f"returns goes to its tail: `@{name}.then`"
            )
    return Emissions(
        [event for way in ways for event in way.events], [batch for way in ways for batch in way.batches]
    )
