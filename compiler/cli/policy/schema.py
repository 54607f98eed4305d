"""``wfc policy schema``."""

from __future__ import annotations

import click

from wfc.compiler.cli.command import Command

__all__ = ["command"]


@click.command("schema", cls=Command)
def command() -> None:
    """Print the JSON Schema of policies, for editors and other tools."""
    import json

    from wfc.schemas import load

    click.echo(json.dumps(load("policy"), ensure_ascii=False, indent=2))
