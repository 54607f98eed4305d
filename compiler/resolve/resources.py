"""Python objects that tools ask for by the name of a parameter."""

from __future__ import annotations

from collections.abc import Mapping

from wfc.compiler.diagnostics import Place
from wfc.compiler.nodes import Resource
from wfc.compiler.problems import bindings as problems
from wfc.compiler.problems.names import name_declared_twice
from wfc.compiler.resolve.bindings import PYTHON
from wfc.compiler.resolve.declared import Declared, entries
from wfc.compiler.resolve.names import check_style

__all__ = ["resolve_resources"]


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
