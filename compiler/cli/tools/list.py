"""``wfc tools list``."""

from __future__ import annotations

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.declared_tools import declared_tools
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.model import Tool
from wfc.compiler.types import show

__all__ = ["command"]


@click.command("list", cls=Command)
@click.argument("spec")
def command(spec: str) -> int:
    """List the tools of a SPEC, with the operations of services and the pinned tools of MCP servers.

    Nothing is started and nobody is asked.
    """
    found = declared_tools(spec)
    servers = found.servers
    for tool in found.declared.tools.nodes.values():
        if tool.name in servers and tool.operations is None:
            click.echo(printable(f"{tool.name}: `wfc tools pin {spec}` asks this server for its tools"))
        elif tool.operations is None:
            click.echo(printable(line_of(tool)))
        elif not tool.operations:
            click.echo(printable(f"{tool.name}: nothing is known of its operations; `wfc check` says why"))
    return 0


def line_of(tool: Tool) -> str:
    """Return a tool as one line: its name, what it takes and gives, and what is said of it."""
    args = ", ".join(f"{each.name}: {show(each.type)}" for each in tool.args.fields.values())
    taken = f"({args})" if tool.declares_args else ""
    said = tool.description.partition("\n")[0]
    return f"{tool.name}{taken} -> {show(tool.output)}" + (f"  # {said}" if said else "")
