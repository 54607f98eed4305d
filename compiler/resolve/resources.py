"""Python objects that tools ask for by the name of a parameter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wfc.compiler.diagnostics import Place
from wfc.compiler.nodes import MapItems, Resource, Step, Tool, ToolCall
from wfc.compiler.problems import bindings as problems
from wfc.compiler.problems.names import name_declared_twice, unused_declaration
from wfc.compiler.resolve.bindings import PYTHON
from wfc.compiler.resolve.declared import Declared, entries
from wfc.compiler.resolve.names import check_style

__all__ = ["report_unused_resources", "resolve_resources"]


def resolve_resources(data: Mapping[str, object], declared: Declared) -> tuple[Resource, ...]:
    """The resources of a spec, in the order written."""
    found: dict[str, Resource] = {}
    for name, content, address in entries(data.get("resources"), ("resources",)):
        place = Place(address)
        if name in found:
            first = Place(found[name].address).key
            declared.report(name_declared_twice(place.key, name, first, "a resource"))
            continue
        python = content.get("python") if isinstance(content, Mapping) else None
        if not check_style(name, place.key, "resource", declared.report) or not isinstance(python, str):
            continue
        if not PYTHON.fullmatch(python):
            declared.report(problems.bad_python_tool(place / "python", python))
        per = content.get("per") if isinstance(content, Mapping) else None
        found[name] = Resource(name, python, "process" if per == "process" else "run", address)
    return tuple(found.values())


def report_unused_resources(resources: Iterable[Resource], steps: Iterable[Step], declared: Declared) -> None:
    """Warn of what no Python tool can ask for: there is none, or each has an argument of that name.

    What parameters a Python function has is not known here.
    """
    unsure = {"unknown-tool", "bad-python-tool"} & set(declared.codes)
    if unsure or declared.tools.broken or declared.tools.unread:
        return
    python = [
        tool for tool in (*declared.tools.nodes.values(), *written_in_steps(steps)) if tool.python is not None
    ]
    for resource in resources:
        if all(resource.name in tool.args.fields for tool in python):
            declared.report(unused_declaration(Place(resource.address).key, "resource", resource.name))


def written_in_steps(steps: Iterable[Step]) -> list[Tool]:
    actions = (step.action.do if isinstance(step.action, MapItems) else step.action for step in steps)
    return [action.tool for action in actions if isinstance(action, ToolCall)]
