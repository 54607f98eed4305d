"""Python functions as tools: what a function's signature and docstring say of its arguments, and how it is called."""

from __future__ import annotations

import functools
import inspect
import json
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, get_args, get_origin

from pydantic import (
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    SerializerFunctionWrapHandler,
    TypeAdapter,
    create_model,
    model_serializer,
)
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema

from wfc.runtime.agents.docstrings import documented
from wfc.runtime.authoring.enclosing_names import enclosing_names
from wfc.runtime.authoring.resource.kinds import Resource
from wfc.runtime.calls.python_tools import ToolContext, call_function
from wfc.runtime.errors import WorkflowValidationError
from wfc.runtime.events import Record
from wfc.runtime.values.outputs import InvalidOutput, from_json
from wfc.runtime.values.outside_names import json_outside

__all__ = ["FunctionArgs", "ReadFunction", "read_function"]

_NONE: Final = type(None)


@dataclass(frozen=True)
class _ToldDefault:
    """A default that a model could give as well: it stands in the schema, and where arguments are shown."""

    value: Any

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "default": self.value}


class FunctionArgs(Record):
    """The base of the classes of functions' arguments: a default is the function's own business.

    So it may be anything, and is written only if it is told.
    """

    model_config = ConfigDict(validate_default=False)

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler) -> Any:
        shown = self.model_copy()
        for name, info in type(self).model_fields.items():
            told = any(isinstance(each, _ToldDefault) for each in info.metadata)
            if not told and name not in self.model_fields_set:
                del shown.__dict__[name]
        return write(shown)


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
    contexts: list[str] = []
    said = documented(_docstring(base))
    hints = _Hints(base, name)
    parameters = _signature(function, name).parameters
    for parameter in parameters.values():
        if parameter.name in bound:
            continue
        _check_kind(parameter, name)
        if _is_context(parameter, hints):
            contexts.append(parameter.name)
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
    # what is left out is left to Python, which knows nothing of `= Field(3)`
    by_pydantic = {name for name, each in parameters.items() if isinstance(each.default, FieldInfo)}

    async def call(host: Any, given: Any) -> Any:
        values = {
            parameter: getattr(given, attribute)
            for attribute, parameter in attributes.items()
            if attribute in given.model_fields_set or parameter in by_pydantic
        }
        return await call_function(
            host, function, name, values, output, contexts=contexts, resources=resources
        )

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
    if hasattr(base, "dispatch") and hasattr(base, "registry"):
        raise WorkflowValidationError(
            f"the function `{_name(base)}` is a `singledispatch`, which takes its first argument by place only, and "
            f"arguments are given by name: give one of its functions, or one that calls it"
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
    hint = _bare(hints.of(parameter))
    members = get_args(hint) if get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
    return ToolContext in map(_bare, members)


def _bare(hint: Any) -> Any:
    """Return a type without what `Annotated` says of it."""
    return hint.__origin__ if get_origin(hint) is Annotated else hint


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
    default = parameter.default
    # what the annotation says of itself comes after what the docstring says, and counts
    shown: Any = Annotated[kind, Field(**own), *more]
    if default is parameter.empty:
        return shown, ...
    if (told := _told_default(shown, default)) is not None:
        shown = Annotated[shown, told]
    # made by a function, since pydantic copies a default, and looks at it for the schema
    return shown, default if isinstance(default, FieldInfo) else Field(default_factory=lambda: default)


def _told_default(kind: Any, default: Any) -> _ToldDefault | None:
    """Return a default, unless it is no JSON or does not fit, so that no model could give it."""
    if isinstance(default, FieldInfo):
        default = default.default
    try:
        written = json_outside(default)
        value = json.loads(written, parse_constant=_refuse_constant)
        from_json(kind, written, outside=True)
    except (ValueError, TypeError, RecursionError, InvalidOutput):
        return None
    return _ToldDefault(value)


def _refuse_constant(name: str) -> None:
    """Refuse `NaN` and the like, which Python writes into JSON."""
    raise ValueError(f"{name} is no number in JSON")


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
