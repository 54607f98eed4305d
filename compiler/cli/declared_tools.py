"""The tools that a file declares, whatever else may be wrong with it."""

from __future__ import annotations

from collections.abc import Mapping

import click

from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.model import Tool
from wfc.compiler.resolve import Refused
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.slotted import dataclass
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.sources import load

__all__ = ["DeclaredTools", "declared_tools"]


@dataclass(frozen=True, slots=True)
class DeclaredTools:
    """What a file declares.

    Args:
        path: As it was given.
        data: The file as it is written.
    """

    path: str
    data: Mapping[str, object]
    declared: Declarations

    @property
    def servers(self) -> dict[str, Tool]:
        """The tools under `tools` that are MCP servers whose types the spec does not say itself, by name."""
        written = self.data.get("tools")
        found: dict[str, Tool] = {}
        for name, content in written.items() if isinstance(written, Mapping) else ():
            tool = self.declared.tools.nodes.get(str(name))
            says_types = isinstance(content, Mapping) and bool({"args", "output"} & content.keys())
            if tool is not None and tool.mcp is not None and not says_types:
                found[str(name)] = tool
        return found


def declared_tools(path: str) -> DeclaredTools:
    """Return what a spec, or a file of declarations, declares.

    Raises:
        PathError: It cannot be read.
        click.ClickException: It is no spec, or too much is wrong with it.
    """
    source = load(path)
    project = project_of([source])
    shown = source.path.replace("\\", "/")
    unit = project.unit(shown, source.raw)
    declared = None if isinstance(unit, Refused) else project.declared(shown, unit)
    if isinstance(unit, Refused) or declared is None or not isinstance(unit.document.data, dict):
        raise click.ClickException(printable(f"{path} cannot be read as a spec; `wfc check` says why"))
    return DeclaredTools(path, unit.document.data, declared)
