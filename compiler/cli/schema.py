"""``wfc schema``."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command("schema")
def command() -> None:
    """Print the JSON Schema of specs, for editors and other tools."""
    import json

    from wfc.compiler.schema.expansion import schema

    click.echo(json.dumps(schema(), ensure_ascii=False, indent=2))
