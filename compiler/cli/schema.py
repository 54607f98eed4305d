"""``wfc schema``."""

from __future__ import annotations

import click

from wfc.compiler.cli.command import Command

__all__ = ["command"]


@click.command("schema", cls=Command)
def command() -> None:
    """Print the JSON Schema of specs, for editors and other tools."""
    from importlib.resources import files

    click.echo(files("wfc.schemas").joinpath("workflow.schema.json").read_text(encoding="utf-8"), nl=False)
