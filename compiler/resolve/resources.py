"""Python objects that tools ask for by the name of a parameter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import MapItems, Resource, Step, Tool, ToolCall
from wfc.compiler.resolve.bindings import PYTHON
from wfc.compiler.resolve.declared import Declared
from wfc.compiler.resolve.names import check_style
from wfc.compiler.rules import bindings as problems
from wfc.compiler.rules.names import name_declared_twice, unused_declaration

__all__ = ["declare_resources", "note_used_resources", "report_unused_resources"]


def declare_resources(declared: Declared) -> None:
    """Enter the resources under `resources`."""
    declared.prepare("resources", declared.resources)
    found = declared.resources.nodes
    for name, content, address in declared.entries("resources"):
        place = Place(address)
        if name in found:
            first = Place(found[name].address).key
            declared.report(name_declared_twice(place.key, name, first, "a resource"))
            continue
        python = content.get("python") if isinstance(content, Mapping) else None
        if not check_style(name, place.key, "resource", declared.report) or not isinstance(python, str):
            declared.resources.broken.add(name)
            continue
        if not PYTHON.fullmatch(python):
            declared.report(problems.bad_python_tool(place / "python", python))
        per = content.get("per") if isinstance(content, Mapping) else None
        file = declared.around.path
        found[name] = Resource(name, python, "process" if per == "process" else "run", address, file)


def note_used_resources(steps: Iterable[Step], declared: Declared) -> None:
    """Take for used what a Python tool can ask for: all but the names of its own arguments.

    What parameters a Python function has is not known here.
    """
    tools = (*declared.tools.nodes.values(), *written_in_steps(steps))
    python = [tool for tool in tools if tool.python is not None]
    for name in declared.resources.nodes:
        if any(name not in tool.args.fields for tool in python):
            declared.resources.used.add(name)


def report_unused_resources(declared: Declared) -> None:
    """Warn of the spec's own resources that no Python tool can ask for."""
    unsure = {"unknown-tool", "bad-python-tool"} & set(declared.codes)
    if unsure or declared.tools.broken or declared.tools.unread:
        return
    for name, resource in declared.resources.nodes.items():
        if ("resources", name) not in declared.imported and name not in declared.resources.used:
            declared.report(unused_declaration(Place(resource.address).key, "resource", name))


def written_in_steps(steps: Iterable[Step]) -> list[Tool]:
    actions = (step.action.do if isinstance(step.action, MapItems) else step.action for step in steps)
    return [action.tool for action in actions if isinstance(action, ToolCall)]
