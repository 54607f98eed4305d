"""Findings from comparing bindings with the signatures of their functions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import click

from wfc.compiler.cli.import_tools.compatibility import gives, takes
from wfc.compiler.cli.import_tools.processes import SECONDS, Described, Function, ask
from wfc.compiler.diagnostics import Finding, Origin, Place
from wfc.compiler.model import MapItems, Resource, Tool, ToolCall
from wfc.compiler.rules import python as problems
from wfc.compiler.types import ANY, Field, show
from wfc.compiler.workspace.compiled import Compiled, with_findings
from wfc.compiler.workspace.project import Project

__all__ = ["with_imports"]

Binding = Tool | Resource


class Around(NamedTuple):
    """The context of a binding in a spec: the names of resources, and arguments that some step omits."""

    resources: frozenset[str]
    left_out: frozenset[tuple[Tool, str]]


BY_NAME = ("POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY")


def with_imports(
    checked: Sequence[Compiled], project: Project, *, base: str = "", seconds: float = SECONDS
) -> list[Compiled]:
    """Return the findings of a check, with those from importing the Python functions added.

    Args:
        base: The folder that paths are relative to; the current one without.
        seconds: How long the import of one module may take.

    Raises:
        click.UsageError: The settings do not let checks import anything.
    """
    bindings = [list(bindings_of(each, project)) for each in checked]
    wanted = {each: function_of(each, base) for found in bindings for each in found}
    refuse({each.folder for each in wanted.values()})
    answers = ask(wanted.values(), seconds)
    made = []
    for each, found in zip(checked, bindings, strict=True):
        known = Around(
            frozenset(one.name for one in found if isinstance(one, Resource)), left_out(calls_in(each))
        )
        findings = [
            finding
            for one in found
            for finding in compared(one, place_of(one, each), answers[wanted[one]], known)
        ]
        made.append(with_findings(each, findings, project))
    return made


def refuse(folders: set[str]) -> None:
    from pathlib import Path

    from wfc.runtime.calls.settings import settings_near
    from wfc.runtime.errors import SettingsError

    for folder in sorted(folders):
        try:
            settings = settings_near(Path(folder))
        except SettingsError as error:
            raise click.UsageError(str(error)) from None
        if not settings.import_tools:
            raise click.UsageError(
                f"`import_tools = false` in {settings.path}: checks may not import anything"
            )


def bindings_of(checked: Compiled, project: Project) -> Iterator[Binding]:
    """Return the Python tools and resources of a spec, each once, with those it uses from other files."""
    path, found = shown(checked.path), checked.workflow
    if found is None:
        unit = project.units.get(path)
        declared = unit.declared if unit is not None else None
        tools = tuple(declared.tools.nodes.values()) if declared is not None else ()
        resources = tuple(declared.resources.nodes.values()) if declared is not None else ()
        called: tuple[Tool, ...] = ()
    else:
        called = tuple(call.tool for call in calls_in(checked))
        tools, resources = found.tools, found.resources
    bindings: tuple[Binding, ...] = (*tools, *resources)
    own = [each for each in bindings if each.file == path]
    of_others = [each for each in resources if each.file != path and any(tool.python for tool in called)]
    for each in dict.fromkeys((*own, *called, *of_others)):
        if each.python is not None and ":" in each.python:
            yield each


def calls_in(checked: Compiled) -> list[ToolCall]:
    """Return the calls of tools in a spec's steps."""
    steps = checked.workflow.steps if checked.workflow is not None else ()
    actions = (step.action.do if isinstance(step.action, MapItems) else step.action for step in steps)
    return [action for action in actions if isinstance(action, ToolCall)]


def left_out(calls: Iterable[ToolCall]) -> frozenset[tuple[Tool, str]]:
    """Return the arguments of tools that some step omits."""
    return frozenset(
        (call.tool, name) for call in calls for name in call.tool.args.fields if name not in dict(call.args)
    )


def shown(path: str) -> str:
    return path.replace(os.sep, "/")


def function_of(binding: Binding, base: str) -> Function:
    folder = os.path.realpath(os.path.join(base, os.path.dirname(binding.file) or "."))
    return Function(str(binding.python), folder)


def place_of(binding: Binding, checked: Compiled) -> Place:
    place = Place(binding.address)
    if binding.file == shown(checked.path) or place.origin is not None:
        return place
    return Place((Origin(binding.file), *binding.address))


def compared(binding: Binding, place: Place, said: Described, around: Around) -> Iterator[Finding]:
    """Return the findings for mismatches between a binding and its function."""
    python = str(binding.python)
    if "error" in said:
        known = [str(each) for each in said.get("known", ())]
        yield problems.function_not_found(place / "python", python, str(said["error"]), known)
        return
    parameters = {str(each["name"]): each for each in said.get("parameters", ())}
    if "parameters" not in said:
        return
    given: set[str] = set()
    if isinstance(binding, Tool):
        if not binding.declares_args:
            return
        given = {*outside(binding), *(name for name, _ in binding.secrets)}
        unknown = list(without_parameter(binding, place, parameters))
        yield from (problems.function_differs(*each) for each in unknown)
        yield from types_that_differ(binding, place, parameters, said, around)
        given |= around.resources | {"context"}
        if unknown:
            return  # the parameters that nobody gives may be those that were meant
    for name, each in parameters.items():
        if each["required"] and not each["kind"].startswith("VAR_") and name not in given:
            who = "nobody gives" if isinstance(binding, Tool) else "a resource is made without"
            yield problems.function_differs(place / "python", python, f"wants `{name}`, which {who}", name)


def without_parameter(
    tool: Tool, place: Place, parameters: dict[str, Any]
) -> Iterator[tuple[Place, str, str, str, list[str]]]:
    """Yield what a tool passes that its function has no parameter for."""
    if any(each["kind"] == "VAR_KEYWORD" for each in parameters.values()):
        return
    known = [name for name, each in parameters.items() if each["kind"] in BY_NAME]
    args = outside(tool)
    left = [name for name in known if name not in args]
    for name, field in args.items():
        if name not in known:
            at = place / "args" / (field.address[-1] if field.address else name)
            at = at / "as" if field.foreign else at.key
            yield at, str(tool.python), f"has no parameter `{name}`", name, left
    for name, _ in tool.secrets:
        if name not in known:
            at = (place / "secrets" / name).key
            yield at, str(tool.python), f"has no parameter `{name}`", name, left


def outside(tool: Tool) -> dict[str, Field]:
    """Return what a tool takes, by the names of the function's parameters."""
    return {field.name_outside: field for field in tool.args.fields.values()}


def types_that_differ(
    tool: Tool, place: Place, parameters: dict[str, Any], said: Described, around: Around
) -> Iterator[Finding]:
    python = str(tool.python)
    for name, field in outside(tool).items():
        each = parameters.get(name)
        if each is None or each["kind"] not in BY_NAME:
            continue
        at = place / "args" / (field.address[-1] if field.address else name)
        if each["required"] and not field.has_default and (tool, field.name) in around.left_out:
            what = f"needs `{name}`, which a step leaves out"
            yield problems.function_differs(at.key, python, f"{what}: give its parameter a default", name)
        elif not takes(each["shape"], field.type):
            what = f"wants `{each['text']}` for `{name}`, and is given {show(field.type)}"
            yield problems.function_types_differ(at, python, what, as_dictionary(each["shape"]))
    if tool.output != ANY and not gives(said.get("returns"), tool.output):
        what = f"returns `{said['text']}`, and {show(tool.output)} is wanted"
        yield problems.function_types_differ(place / "output", python, what)


def as_dictionary(shape: Any) -> str:
    is_object = isinstance(shape, dict) and "fields" in shape and shape.get("as")
    return "a record comes as a dictionary: a `TypedDict` can say which fields it has" if is_object else ""
