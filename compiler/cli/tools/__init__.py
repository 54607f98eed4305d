"""``wfc tools``: what the tools of a spec are, and those of its MCP servers, which are pinned."""

from __future__ import annotations

import click

from wfc.compiler.cli.command import Commands

__all__ = ["command"]

COMMANDS = {
    "list": "List the tools of a spec, with all operations.",
    "pin": "Ask MCP servers for their tools, and keep the answer.",
}


@click.group("tools", cls=Commands, commands=COMMANDS, package=__name__)
def command() -> None:
    """List the tools of a spec, and pin those of its MCP servers."""
