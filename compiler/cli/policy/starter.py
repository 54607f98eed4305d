"""``wfc policy starter``."""

from __future__ import annotations

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.review.policy.starter import starter_text

__all__ = ["command"]


@click.command("starter", cls=Command)
def command() -> None:
    """Print a policy to start with: rules that most teams want, each with its reason and its tests."""
    click.echo(starter_text(), nl=False)
