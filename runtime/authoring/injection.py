"""Calls of steps and tails with the arguments that their parameters ask for, prepared once for each class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.errors import WorkflowValidationError
from wfc.runtime.events import event_name
from wfc.runtime.plan.inputs import Loop, RunInfo
from wfc.runtime.plan.pauses import Items
from wfc.runtime.plan.signature import Call, Gives, Parameter, Signature

__all__ = ["CallingRun", "make_call"]


class CallingRun(Protocol):
    """The part of a run that calls of a step's functions use."""

    @property
    def workflow(self) -> Any:
        """The workflow object, on which methods are called."""

    @property
    def execution(self) -> Execution:
        """The run as data."""

    @property
    def config(self) -> Any:
        """The workflow's config."""

    def context_of(self, step_run: StepRun) -> Any:
        """Return the context for a step run."""

    def info_of(self, step_run: StepRun) -> RunInfo:
        """Return the object that a step sees as ``run``."""

    def part_for(self, step_run: StepRun, name: str) -> Any:
        """Return the workflow for a parameter; runs started through it are parts of the step's run."""


_Get = Callable[[CallingRun, StepRun, Any], Any]


def make_call(
    function: Callable[..., Any],
    signature: Signature,
    slots: tuple[Parameter, ...],
    *,
    is_tail: bool,
    saves: bool = False,
) -> Call:
    """Return a callable that calls a function of a step with the arguments it asks for.

    Args:
        slots: The step's parameters that a join fills; empty if the step is not a join.
        is_tail: Whether the function sees the live state; an action sees it as of the start of its step run.
        saves: Whether it may change the state: then it is given the draft of its step run.

    Raises:
        WorkflowValidationError: The function asks for an event that the step does not accept.
    """
    parameters = signature.parameters
    if signature.is_method and not slots:
        fast = _fast(function, tuple(one.gives for one in parameters))
        if fast is not None and not any(one.keyword_only for one in parameters):
            return fast
    state = _draft if saves else _live_state if is_tail else _snapshot
    getters = tuple(_getter(one, slots, state, function.__qualname__) for one in parameters)
    named = tuple((one.name, get) for one, get in zip(parameters, getters, strict=True) if one.keyword_only)
    placed = tuple(get for one, get in zip(parameters, getters, strict=True) if not one.keyword_only)

    def call(run: CallingRun, step_run: StepRun, result: Any) -> Any:
        given = [get(run, step_run, result) for get in placed]
        more = {name: get(run, step_run, result) for name, get in named} if named else {}
        return function(run.workflow, *given, **more) if is_method else function(*given, **more)

    is_method = signature.is_method
    return call


def _fast(function: Callable[..., Any], gives: tuple[Gives, ...]) -> _Get | None:
    """Return a callable without loops for one of the most common signatures, or ``None``."""
    if gives in {(Gives.EVENT,), (Gives.EVENTS,)}:
        return lambda run, step_run, result: function(run.workflow, step_run.event)
    if gives in {(Gives.CONTEXT, Gives.EVENT), (Gives.CONTEXT, Gives.EVENTS)}:
        return lambda run, step_run, result: function(run.workflow, run.context_of(step_run), step_run.event)
    if gives == (Gives.EVENT, Gives.RESULT):
        return lambda run, step_run, result: function(run.workflow, step_run.event, result)
    return None


def _getter(parameter: Parameter, slots: tuple[Parameter, ...], state: _Get, where: str) -> _Get:
    gives = parameter.gives
    if gives is Gives.EVENT and slots:
        return _slot_getter(parameter, slots, where)
    if gives is Gives.RESOURCE:
        name = parameter.name
        return lambda run, step_run, result: step_run.resources[name]
    if gives is Gives.STATE:
        return state
    if gives is Gives.WORKFLOW:
        name = parameter.name
        return lambda run, step_run, result: run.part_for(step_run, name)
    return _GETTERS[gives]


def _slot_getter(parameter: Parameter, slots: tuple[Parameter, ...], where: str) -> _Get:
    same_name = [at for at, slot in enumerate(slots) if slot.name == parameter.name]
    same_type = [at for at, slot in enumerate(slots) if slot.events == parameter.events]
    found = same_name or same_type
    if not found:
        names = " | ".join(event_name(one) for one in parameter.events)
        raise WorkflowValidationError(f"`{where}` asks for {names}, which its step does not accept")
    at = found[0]
    return lambda run, step_run, result: step_run.event.get(at)


def _snapshot(run: CallingRun, step_run: StepRun, result: Any) -> Any:
    return step_run.snapshot


def _draft(run: CallingRun, step_run: StepRun, result: Any) -> Any:
    return step_run.draft


def _live_state(run: CallingRun, step_run: StepRun, result: Any) -> Any:
    return run.execution.state


def _item(run: CallingRun, step_run: StepRun, result: Any) -> Any:
    items = step_run.parent.value
    assert isinstance(items, Items)
    return items.items[step_run.position]


def _loop(run: CallingRun, step_run: StepRun, result: Any) -> Loop:
    items = step_run.parent.value
    assert isinstance(items, Items)
    return items.place_of(step_run.position)


_GETTERS: dict[Gives, _Get] = {
    Gives.CONTEXT: lambda run, step_run, result: run.context_of(step_run),
    Gives.EVENT: lambda run, step_run, result: step_run.event,
    Gives.EVENTS: lambda run, step_run, result: step_run.event,
    Gives.CONFIG: lambda run, step_run, result: run.config,
    Gives.INPUTS: lambda run, step_run, result: run.execution.inputs,
    Gives.ITEM: _item,
    Gives.LOOP: _loop,
    Gives.RUN: lambda run, step_run, result: run.info_of(step_run),
    Gives.RESULT: lambda run, step_run, result: result,
    Gives.RESPONSE: lambda run, step_run, result: step_run.response,
    Gives.ERROR: lambda run, step_run, result: step_run.error,
}
