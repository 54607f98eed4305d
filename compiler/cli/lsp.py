"""``wfc lsp``."""

from __future__ import annotations

from importlib.util import find_spec

import click

from wfc.compiler.cli.command import Command

__all__ = ["command"]


@click.command("lsp", cls=Command)
def command() -> None:
    """Serve an editor: findings, completion and more as a spec is written.

    The editor starts this and talks with it over standard input and output by the Language Server Protocol.
    """
    if find_spec("pygls") is None:
        raise click.ClickException('this needs pygls: `pip install "wfc-workflows[lsp]"`')
    from wfc.compiler.lsp.server import server

    server.start_io()
