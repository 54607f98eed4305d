"""``wfc mcp``."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from wfc.compiler.cli.command import Command

__all__ = ["command"]


@click.command("mcp", cls=Command)
@click.argument("folder", metavar="[FOLDER]", default=".", type=click.Path(exists=True, file_okay=False))
def command(folder: str) -> None:
    """Serve a language model that writes specs: tools that check, explain, test, compare and draw them.

    A program for agents starts this and talks with it over standard input and output by the Model Context Protocol.
    It is given texts, or paths of specs in FOLDER or below it; nothing outside of it and nothing hidden is read, and
    nothing is written. Tests run without acting. What `wfc skill` prints is the resource wfc://skill.
    """
    if find_spec("mcp") is None:
        raise click.ClickException('this needs the package mcp: `pip install "wfc-workflows[mcp]"`')
    from wfc.compiler.cli.drafting.mcp_server import serve

    serve(Path(folder).resolve())
