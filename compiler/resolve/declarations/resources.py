"""Python objects that tools ask for by the name of a parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from wfc.compiler.model import Resource
from wfc.compiler.resolve.declarations.tools import PYTHON
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.rules import bindings as problems

__all__ = ["declare_resources"]


def declare_resources(declared: Declarations) -> None:
    """Enter the resources under `resources`."""
    found = declared.resources
    for name, content, place in declared.new_entries("resources", found):
        python = content.get("python") if isinstance(content, Mapping) else None
        if not isinstance(content, Mapping) or not isinstance(python, str):
            found.broken.add(name)
            continue
        if not PYTHON.fullmatch(python):
            declared.report(problems.bad_python_tool(place / "python", python))
        per: Literal["process", "run"] = "process" if content.get("per") == "process" else "run"
        found.nodes[name] = Resource(name, python, per, place.address, declared.project.path)
