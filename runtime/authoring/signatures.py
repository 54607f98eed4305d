"""Signatures of steps: the events that they accept, their other parameters, and what they may emit."""

from __future__ import annotations

import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Union, get_args, get_origin

from wfc.runtime.authoring.resource.kinds import resource_request
from wfc.runtime.errors import StepError, WorkflowValidationError
from wfc.runtime.events import Event, RunConfig, RunState
from wfc.runtime.plan.collect import Collect, Take, TakeAll
from wfc.runtime.plan.inputs import (
    ContextBase,
    HttpResponse,
    InputsMark,
    ItemMark,
    Loop,
    RunInfo,
    WorkflowBase,
)
from wfc.runtime.plan.outcomes import All, Fail, Restart, Unhandled
from wfc.runtime.plan.pauses import PAUSES, Delay, Items, Until
from wfc.runtime.plan.signature import Emissions, Gives, Parameter, Signature

__all__ = ["arguments_of", "pause_kinds", "read_signature", "result_of"]

_BY_CLASS: tuple[tuple[type, Gives], ...] = (
    (RunState, Gives.STATE),
    (RunConfig, Gives.CONFIG),
    (RunInfo, Gives.RUN),
    (Loop, Gives.LOOP),
    (HttpResponse, Gives.RESPONSE),
    (StepError, Gives.ERROR),
)


def read_signature(
    function: Callable[..., Any], *, is_tail: bool = False, names: Mapping[str, Any] | None = None
) -> Signature:
    """Return the signature of a step's function.

    Args:
        is_tail: Whether a parameter called ``result`` is the action's result.
        names: Names that annotations given as strings may mention besides the module's own.

    Raises:
        WorkflowValidationError: An annotation is missing, unreadable, or nothing that a step can be given.
    """
    hints = _hints(function, names or {})
    where = function.__qualname__
    parameters: list[Parameter] = []
    state: Any = None
    is_method = False
    for position, parameter in enumerate(inspect.signature(function).parameters.values()):
        if position == 0 and (parameter.name not in hints or parameter.name == "self"):
            is_method = True
            continue
        if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}:
            raise WorkflowValidationError(f"`{where}`: `*{parameter.name}` cannot be given anything")
        annotation = hints.get(parameter.name, Any)
        found = _parameter(parameter, annotation, is_tail) or _resource(
            parameter, annotation, is_tail, names or {}
        )
        if found is None and parameter.default is parameter.empty:
            raise WorkflowValidationError(
                f"`{where}`: nothing is known to give to the parameter `{parameter.name}` of type "
                f"{_shown(annotation)}: steps are given events, the context, state, config, inputs and run"
            )
        if found is None:
            continue
        parameters.append(found)
        if found.gives is Gives.STATE:
            state = _without_none(annotation)[0]
        elif found.gives is Gives.CONTEXT and get_args(_bare(annotation)):
            state = get_args(_bare(annotation))[0]
    if "return" not in hints:
        raise WorkflowValidationError(f"`{where}` must say what it returns, by `-> …`")
    if state is Any or isinstance(state, typing.TypeVar):
        state = None
    emissions = _emissions(hints["return"])
    return Signature(tuple(parameters), emissions, hints["return"], state, is_method)


def _hints(function: Callable[..., Any], names: Mapping[str, Any]) -> dict[str, Any]:
    module = sys.modules.get(function.__module__)
    try:
        return typing.get_type_hints(
            function, vars(module) if module else None, dict(names), include_extras=True
        )
    except Exception as error:
        raise WorkflowValidationError(
            f"`{function.__qualname__}`: its annotations cannot be read: {error}"
        ) from error


def _parameter(parameter: inspect.Parameter, annotation: Any, is_tail: bool) -> Parameter | None:
    name = parameter.name
    keyword_only = parameter.kind is parameter.KEYWORD_ONLY or parameter.default is not parameter.empty
    if is_tail and name == "result":
        return Parameter(name, Gives.RESULT, keyword_only=keyword_only, kind=annotation)
    marks = annotation.__metadata__ if get_origin(annotation) is Annotated else ()
    if any(isinstance(mark, InputsMark) for mark in marks):
        return Parameter(name, Gives.INPUTS, keyword_only=keyword_only)
    if any(isinstance(mark, ItemMark) for mark in marks):
        return Parameter(name, Gives.ITEM, keyword_only=keyword_only)
    members = _without_none(_bare(annotation))
    optional = len(members) < len(_members(_bare(annotation)))
    if not members:
        return None
    marks = annotation.__metadata__ if get_origin(annotation) is Annotated else ()
    collect = next((mark for mark in marks if isinstance(mark, Collect)), None)
    if len(members) == 1 and get_origin(members[0]) is list:
        elements = tuple(_without_none(get_args(members[0])[0]))
        if _all_events(elements):
            return Parameter(name, Gives.EVENTS, elements, optional, keyword_only, _taken(collect, name))
    if collect is not None:
        raise WorkflowValidationError(
            f"`{name}`: `Collect` goes with a list of events, not {_shown(annotation)}"
        )
    if _all_events(members):
        return Parameter(name, Gives.EVENT, tuple(members), optional, keyword_only)
    only = members[0]
    if _is_context(get_origin(only) or only):
        return Parameter(name, Gives.CONTEXT, keyword_only=keyword_only)
    for kind, gives in _BY_CLASS:
        if isinstance(only, type) and issubclass(only, kind):
            return Parameter(name, gives, keyword_only=keyword_only)
    if isinstance(only, type) and issubclass(only, WorkflowBase):
        return Parameter(
            name, Gives.WORKFLOW, keyword_only=keyword_only, kind=only, default=parameter.default
        )
    return None


def _resource(
    parameter: inspect.Parameter, annotation: Any, is_tail: bool, names: Mapping[str, Any]
) -> Parameter | None:
    request = resource_request(parameter.name, annotation, names)
    if request is None:
        return None
    if is_tail:
        raise WorkflowValidationError(
            f"`{parameter.name}`: what is called when a result is recorded cannot wait for a resource; "
            f"its step can ask for it"
        )
    return Parameter(parameter.name, Gives.RESOURCE, keyword_only=True, request=request)


def _taken(collect: Collect | None, name: str) -> int | None:
    if collect is None or isinstance(collect.cardinality, TakeAll):
        return None
    if isinstance(collect.cardinality, Take):
        return collect.cardinality.n
    raise WorkflowValidationError(
        f"`{name}`: `Collect` takes `All()` or `Take(n)`, not {collect.cardinality!r}"
    )


def _is_context(kind: Any) -> bool:
    """Return whether it is the context class itself, of which steps get an instance, not a subclass."""
    return isinstance(kind, type) and ContextBase in kind.__bases__


def _emissions(annotation: Any) -> Emissions:
    found = Emissions()
    for member in _members(_bare(annotation)):
        _emission(member, found)
    return found


def _emission(member: Any, found: Emissions) -> None:
    origin = get_origin(member)
    if origin is All:
        for argument in get_args(member):
            for one in _members(argument):
                _emission(one, found)
    elif origin is list and _all_events(elements := tuple(_members(get_args(member)[0]))):
        found.batches.append(elements)
    elif isinstance(member, type) and issubclass(member, Event):
        found.events.append(member)
    elif member is not type(None) and member not in {Fail, Restart, Unhandled}:
        found.only_events = False


def pause_kinds(annotation: Any) -> tuple[type[Any], ...]:
    """Return the kinds of pauses in a function's return annotation."""
    kinds = [get_origin(one) or one for one in _members(_bare(annotation))]
    return tuple(kind for kind in kinds if kind in PAUSES)


def arguments_of(annotation: Any, kind: type[Any]) -> list[Any]:
    """Return a generic class's arguments in a return annotation: ``Form`` of ``Question[Form] | Delay``."""
    return [
        one
        for member in _members(_bare(annotation))
        if get_origin(member) is kind
        for one in get_args(member)
    ]


def result_of(annotation: Any) -> Any:
    """Return the type of an action's result; for an action that pauses, the type of the pause's result."""
    members = _members(_bare(annotation))
    if not any((get_origin(one) or one) in PAUSES for one in members):
        return annotation
    results = [_awaited(one) for one in members]
    return results[0] if len(results) == 1 else Union[tuple(results)]  # noqa: UP007 - its members are computed


def _awaited(member: Any) -> Any:
    if member in {Delay, Until}:
        return None
    kind = get_origin(member) or member
    arguments = get_args(member)
    result = arguments[0] if arguments and kind in PAUSES else Any if kind in PAUSES else member
    return list[result] if kind is Items else result  # type: ignore[valid-type]


def _all_events(members: Any) -> bool:
    return bool(members) and all(isinstance(one, type) and issubclass(one, Event) for one in members)


def _bare(annotation: Any) -> Any:
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _members(annotation: Any) -> list[Any]:
    return list(_flat(annotation))


def _flat(annotation: Any) -> Iterator[Any]:
    if type(annotation).__name__ == "TypeAliasType":  # `type X = A | B`, of Python 3.12
        annotation = annotation.__value__
    if get_origin(annotation) in {Union, types.UnionType}:
        for argument in get_args(annotation):
            yield from _flat(argument)
    else:
        yield annotation


def _without_none(annotation: Any) -> list[Any]:
    return [one for one in _members(annotation) if one is not type(None)]


def _shown(annotation: Any) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)
