"""``wfc store``: the upkeep of a store of runs."""

from __future__ import annotations

import click

from wfc.compiler.cli.command import Commands

__all__ = ["command"]

COMMANDS = {
    "check": "Look whether a store is whole.",
    "migrate": "Bring a store to the newest format.",
    "backup": "Copy a store while runs go on.",
}


@click.group("store", cls=Commands, commands=COMMANDS, package=__name__)
def command() -> None:
    """Check, migrate and copy a store of runs.

    The store is that of --store, of WFC_STORE or of the settings; else it is .wfc/runs.db beside the project.
    """
