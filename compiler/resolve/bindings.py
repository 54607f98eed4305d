"""Models and tools: what steps call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Address, Place
from wfc.compiler.expressions import Template
from wfc.compiler.model import Model, Secret, Tool
from wfc.compiler.resolve.declarations import read_fields
from wfc.compiler.resolve.declared import Declared
from wfc.compiler.resolve.durations import duration
from wfc.compiler.resolve.names import check_style, normal, pascal_case
from wfc.compiler.resolve.requests import resolve_request, secret
from wfc.compiler.resolve.scopes import binding_scope
from wfc.compiler.resolve.values import Texts
from wfc.compiler.rules import bindings as problems
from wfc.compiler.rules.names import name_declared_twice
from wfc.compiler.slotted import replace
from wfc.compiler.types import ANY, UNKNOWN, Record, Type, parse_type

__all__ = ["declare_models", "declare_tools", "resolve_tool"]

SETTINGS: Final = ("temperature", "max_tokens", "top_p", "seed")
PYTHON: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


def declare_models(data: Mapping[str, object], declared: Declared) -> None:
    """Enter the models under `models`, each after those that it falls back to."""
    declared.prepare("models", declared.models)
    written: dict[str, tuple[Mapping[str, object], Address]] = {}
    for name, content, address in declared.entries("models"):
        place = Place(address)
        if name in written:
            first = Place(written[name][1]).key
            declared.report(name_declared_twice(place.key, name, first, "a model"))
        elif not check_style(name, place.key, "model", declared.report) or not isinstance(content, Mapping):
            declared.models.broken.add(name)
        else:
            written[name] = (content, address)
    for name, (content, address) in written.items():
        declared.models.nodes[name] = model(name, content, Place(address), declared)
    for name in in_order(written, declared):
        content, address = written[name]
        declared.models.nodes[name] = replace(
            declared.models.nodes[name], fallback=fallbacks(content, Place(address), declared)
        )


def fallbacks(content: Mapping[str, object], place: Place, declared: Declared) -> tuple[Model, ...]:
    names = content.get("fallback")
    found = (
        declared.models.find(str(each), place / "fallback" / index, declared.report)
        for index, each in enumerate(names if isinstance(names, list) else ())
    )
    return tuple(each for each in found if each is not None)


def in_order(written: Mapping[str, tuple[Mapping[str, object], Address]], declared: Declared) -> list[str]:
    """Names such that each comes after its fallbacks; what leads back to itself is reported and goes last."""
    waiting = {
        name: [normal(str(each)) for each in listed(content)] for name, (content, _) in written.items()
    }
    order: dict[str, None] = {}
    for name in written:
        stack = [name]
        while stack:
            current = stack[-1]
            needed = [each for each in waiting.get(current, ()) if each in written and each not in order]
            loop = next((each for each in needed if each in stack), None)
            if loop is not None:
                index = waiting[current].index(loop)
                place = Place((*written[current][1], "fallback", index))
                declared.report(problems.fallback_loop(place, loop))
                waiting[current] = []
            elif needed:
                stack.append(needed[0])
            else:
                order[stack.pop()] = None
    return list(order)


def listed(content: Mapping[str, object]) -> list[object]:
    names = content.get("fallback")
    return names if isinstance(names, list) else []


def model(name: str, data: Mapping[str, object], place: Place, declared: Declared) -> Model:
    settings: dict[str, object] = {key: data[key] for key in SETTINGS if key in data}
    if "timeout" in data:
        settings["timeout"] = duration(data["timeout"], place / "timeout", declared.report)
    own = data.get("settings")
    if isinstance(own, Mapping):
        settings["settings"] = dict(own)
    base_url: Template | None = None
    if "base_url" in data:
        base_url = Texts(declared.report).text(data["base_url"], place / "base_url", binding_scope(declared))
    key: Secret | None = None
    if "api_key" in data:
        key = secret(data["api_key"], place / "api_key", declared)
    use = str(data.get("use", ""))
    if "use" in data and ":" not in use:
        declared.report(problems.model_without_provider(place / "use", use))
    return Model(name, use, base_url, key, settings, (), place.address)


def declare_tools(data: Mapping[str, object], declared: Declared) -> None:
    """Enter the tools under `tools`."""
    declared.prepare("tools", declared.tools)
    for name, content, address in declared.entries("tools"):
        place = Place(address)
        if name in declared.tools.nodes:
            first = Place(declared.tools.nodes[name].address).key
            declared.report(name_declared_twice(place.key, name, first, "a tool"))
        elif not check_style(name, place.key, "tool", declared.report) or not isinstance(content, Mapping):
            declared.tools.broken.add(name)
        else:
            declared.tools.nodes[name] = resolve_tool(name, content, place, declared)


def resolve_tool(name: str, data: Mapping[str, object], place: Place, declared: Declared) -> Tool:
    """A tool's binding, under `tools` or in a step."""
    args = Record(f"{pascal_case(name)}Args", role="namespace", address=(*place.address, "args"))
    read_fields(data.get("args"), args.address, args, declared)
    output: Type = ANY
    if "output" in data:
        class_name = f"{pascal_case(name)}Output"
        output = parse_type(data["output"], place / "output", declared.types, declared.report, class_name)
    if declared.is_broken((*place.address, "output")):
        output = UNKNOWN
    python = data.get("python")
    if isinstance(python, str) and not PYTHON.fullmatch(python):
        declared.report(problems.bad_python_tool(place / "python", python))
    http = data.get("http")
    request = None
    if isinstance(http, Mapping):
        scope = binding_scope(declared, args)
        request = resolve_request(http, place / "http", scope, declared, Texts(declared.report))
    secrets, workflow = data.get("secrets"), data.get("workflow")
    return Tool(
        name=name,
        python=python if isinstance(python, str) else None,
        request=request,
        args=args,
        output=output,
        secrets=tool_secrets(secrets, place / "secrets", declared),
        read_only=data.get("read_only") is True,
        description=str(data.get("description", "")),
        address=place.address,
        declares_args="args" in data,
        workflow=normal(workflow) if isinstance(workflow, str) else None,
        file=place.origin or declared.around.path,
    )


def tool_secrets(data: object, place: Place, declared: Declared) -> tuple[tuple[str, Secret], ...]:
    """The secrets that a function gets as keyword arguments, `token: {secret: NAME}` or `token: NAME`."""
    if not isinstance(data, Mapping):
        return ()
    found: list[tuple[str, Secret]] = []
    for key, content in data.items():
        at = place / str(key)
        if isinstance(content, Mapping):
            named, at = content.get("secret"), at / "secret"
        else:
            named = content
        found.append((normal(str(key)), secret(named, at, declared)))
    return tuple(found)
