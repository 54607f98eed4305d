"""``wfc schema``."""

from __future__ import annotations

import click

from wfc.compiler.cli.command import Command

__all__ = ["command"]


@click.command("schema", cls=Command)
def command() -> None:
    """Print the JSON Schema of specs, for editors and other tools."""
    import json

    from wfc.compiler.schema.expansion import schema

    click.echo(json.dumps(schema(), ensure_ascii=False, indent=2))
