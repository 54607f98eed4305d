"""Python functions as tools: what a function's signature and docstring say of its arguments, and how it is called."""

from __future__ import annotations

import functools
import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, get_args, get_origin

from pydantic import ConfigDict, Field, TypeAdapter, create_model
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError

from wfc.runtime.agents.docstrings import documented
from wfc.runtime.authoring.enclosing_names import enclosing_names
from wfc.runtime.authoring.resource.kinds import Resource
from wfc.runtime.calls.python_tools import ToolContext, call_function
from wfc.runtime.errors import WorkflowValidationError
from wfc.runtime.events import Record

__all__ = ["FunctionArgs", "ReadFunction", "read_function"]

_NONE: Final = type(None)


class FunctionArgs(Record):
    """The base of the classes of functions' arguments: a default is the function's own business."""

    model_config = ConfigDict(validate_default=False)


@dataclass(frozen=True)
class ReadFunction:
    """A function, as an agent can have it as a tool.

    Args:
        name: Its own name.
        description: What its docstring says of it.
        args: The record class of what the model gives.
        call: Calls it with a context and that record.
        output: The type of its result; ``Any`` for one that has no schema.
    """

    name: str
    description: str
    args: type[FunctionArgs]
    call: Callable[[Any, Any], Any]
    output: Any


def read_function(function: Any, known_as: str = "") -> ReadFunction:
    """Return a function as a tool.

    Args:
        function: A function, plain or ``async``; a bound method; a ``functools.partial``, whose arguments nobody else
            chooses; or an object that can be called.
        known_as: What the tool is to be called in place of the function's name.

    Raises:
        WorkflowValidationError: It is no function, or a parameter cannot be described to a model.
    """
    base = _base(function)
    name = known_as or _name(base)
    bound = function.keywords if isinstance(function, functools.partial) else {}
    fields: dict[str, Any] = {}
    attributes: dict[str, str] = {}
    resources: dict[str, Resource[Any]] = {}
    context = ""
    said = documented(_docstring(base))
    hints = _Hints(base, name)
    for parameter in _signature(function, name).parameters.values():
        if parameter.name in bound:
            continue
        _check_kind(parameter, name)
        if _is_context(parameter, hints):
            context = parameter.name
            continue
        hint = hints.of(parameter)
        if (resource := _resource(hint)) is not None:
            resources[parameter.name] = resource
            continue
        attribute = _attribute(parameter.name, fields)
        attributes[attribute] = parameter.name
        fields[attribute] = _field(parameter, hint, said.parameters.get(parameter.name, ""), attribute, name)
    args: type[FunctionArgs] = create_model(f"{_camel(name)}Args", __base__=FunctionArgs, **fields)
    output = _output(hints)

    async def call(host: Any, given: Any) -> Any:
        values = {parameter: getattr(given, attribute) for attribute, parameter in attributes.items()}
        return await call_function(host, function, name, values, output, context=context, resources=resources)

    return ReadFunction(name, said.description, args, call, output)


def _base(function: Any) -> Any:
    """Return the function that a partial or a decorator stands before.

    Raises:
        WorkflowValidationError: It is none.
    """
    base = function
    while isinstance(base, functools.partial):
        base = base.func
    if isinstance(base, type) or not callable(base):
        what = f"the class `{base.__name__}`" if isinstance(base, type) else f"`{base!r:.80}`"
        raise WorkflowValidationError(
            f"{what} among the tools of an agent is neither an `AgentTool` nor a function{_told_of_agents(base)}"
        )
    code = base if inspect.isroutine(base) else type(base).__call__
    if inspect.isgeneratorfunction(code) or inspect.isasyncgenfunction(code):
        raise WorkflowValidationError(
            f"the function `{_name(base)}` yields, and a tool gives one result: let it return a list"
        )
    return base


def _told_of_agents(base: Any) -> str:
    """Return how an agent is a tool of another one."""
    if not hasattr(base, "all_tools") and not hasattr(getattr(base, "agent", None), "all_tools"):
        return ""
    return "; an agent is a tool by its loop: `AgentTool(name, None, Args, agent=ItsLoop)`"


def _name(base: Any) -> str:
    """Return the name of a function, or of the class of an object that can be called."""
    name = str(getattr(base, "__name__", type(base).__name__))
    if not name.isidentifier():
        raise WorkflowValidationError(
            f"a tool needs a name, and `{name}` has none: `AgentTool.of(…, name=…)` gives it one"
        )
    return name


def _docstring(base: Any) -> str | None:
    """Return the docstring of a function; of an object that can be called, that of its method or of its class."""
    if inspect.isroutine(base):
        return base.__doc__
    return type(base).__call__.__doc__ or type(base).__doc__


def _signature(function: Any, name: str) -> inspect.Signature:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise WorkflowValidationError(f"the function `{name}` does not say what it takes: {error}") from None


def _check_kind(parameter: inspect.Parameter, name: str) -> None:
    """Check that a parameter can be given by its name.

    Raises:
        WorkflowValidationError: It cannot.
    """
    whose = f"`{name}` cannot be a tool with its parameter `{parameter.name}`"
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
        raise WorkflowValidationError(
            f"{whose}: a model has to be told each argument by name and type, so `{stars}{parameter.name}` has to go"
        )
    if parameter.kind is parameter.POSITIONAL_ONLY:
        raise WorkflowValidationError(f"{whose}: it is positional-only, and arguments are given by name")


class _Hints:
    """The annotations of a function, each resolved by itself, so that it can be told which one is wrong."""

    def __init__(self, base: Any, name: str) -> None:
        code = base if inspect.isroutine(base) else type(base).__call__
        self._code = inspect.unwrap(getattr(code, "__func__", code))
        self._names = enclosing_names(self._code)
        self._name = name

    def of(self, parameter: inspect.Parameter) -> Any:
        """Return the type of a parameter.

        Raises:
            WorkflowValidationError: It has none, or that cannot be resolved.
        """
        if parameter.annotation is parameter.empty:
            raise WorkflowValidationError(
                f"the parameter `{parameter.name}` of the tool `{self._name}` has no annotation, so a model cannot be "
                f"told what to give"
            )
        try:
            return self._resolved(parameter.annotation)
        except Exception as error:  # whatever evaluating it comes to
            raise WorkflowValidationError(
                f"the annotation `{parameter.annotation}` of the parameter `{parameter.name}` of the tool "
                f"`{self._name}` cannot be resolved: {error}"
            ) from None

    def returned(self) -> Any:
        """Return the type of the result; ``Any`` if nothing is known of it."""
        try:
            return self._resolved(getattr(self._code, "__annotations__", {}).get("return", Any))
        except Exception:  # it helps no model, so it need not be known
            return Any

    def _resolved(self, annotation: Any) -> Any:
        holder: Any = types.SimpleNamespace(__annotations__={"it": annotation})
        found = typing.get_type_hints(
            holder, getattr(self._code, "__globals__", {}), dict(self._names), include_extras=True
        )
        return found["it"]


def _is_context(parameter: inspect.Parameter, hints: _Hints) -> bool:
    """Return whether a parameter takes the context: by its annotation, or by its name, as functions of specs do."""
    if parameter.annotation is parameter.empty:
        return parameter.name == "context"
    hint = hints.of(parameter)
    members = get_args(hint) if get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
    return ToolContext in members


def _resource(hint: Any) -> Resource[Any] | None:
    if get_origin(hint) is not Annotated:
        return None
    return next((each for each in hint.__metadata__ if isinstance(each, Resource)), None)


def _field(
    parameter: inspect.Parameter, hint: Any, description: str, attribute: str, name: str
) -> tuple[Any, Any]:
    """Return a parameter as a field of a record class.

    Raises:
        WorkflowValidationError: Its type has no schema.
    """
    kind, more = (hint.__origin__, hint.__metadata__) if get_origin(hint) is Annotated else (hint, ())
    if parameter.default is None and kind is not Any:
        kind = kind | None
    try:
        TypeAdapter(hint).json_schema()
    except (PydanticUserError, TypeError, NameError, ValueError, RecursionError) as error:
        # what pydantic advises for a class that it does not know helps nobody here
        said = "" if isinstance(error, PydanticSchemaGenerationError) else f": {str(error).splitlines()[0]}"
        raise WorkflowValidationError(
            f"the parameter `{parameter.name}` of the tool `{name}` is annotated `{inspect.formatannotation(hint)}`, "
            f"for which there is no JSON Schema, so a model cannot give it{_hint_of(hint)}{said}"
        ) from None
    own: dict[str, Any] = {"description": description} if description else {}
    if attribute != parameter.name:
        own["alias"] = parameter.name
    # what the annotation says of itself comes after what the docstring says, and counts
    shown = Annotated[kind, Field(**own), *more]  # type: ignore[valid-type]
    return shown, ... if parameter.default is parameter.empty else parameter.default


def _hint_of(hint: Any) -> str:
    """Return what is meant by a context of a step, or of another library."""
    named = getattr(get_origin(hint) or hint, "__name__", "")
    return " (what a tool may have of its run is a `ToolContext`)" if named == "Context" else ""


def _output(hints: _Hints) -> Any:
    """Return the type that a function's result is held against; ``Any`` where it says none that has a schema."""
    returned = hints.returned()
    try:
        TypeAdapter(returned).json_schema()
    except (PydanticUserError, TypeError, NameError, ValueError, RecursionError):
        return Any
    return returned


def _attribute(name: str, taken: Mapping[str, Any]) -> str:
    """Return the name of a field for a parameter: its own one, unless records have something of that name."""
    found = name
    while found.startswith("_") or hasattr(FunctionArgs, found) or found in taken:
        found = f"{found.lstrip('_')}_"
    return found


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"\W|_", name))
