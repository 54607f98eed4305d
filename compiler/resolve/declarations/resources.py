"""Python objects that tools ask for by the name of a parameter."""

from __future__ import annotations

from collections.abc import Mapping

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Resource
from wfc.compiler.resolve.declarations.tools import PYTHON
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_style
from wfc.compiler.rules import bindings as problems
from wfc.compiler.rules.names import name_declared_twice

__all__ = ["declare_resources"]


def declare_resources(declared: Declarations) -> None:
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
