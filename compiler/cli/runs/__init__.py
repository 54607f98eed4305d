"""``wfc runs``: the runs that are kept in a store."""

from __future__ import annotations

import click

from wfc.compiler.cli.command import Commands

__all__ = ["command"]

COMMANDS = {
    "list": "List the runs of a store.",
    "show": "Show a run: its steps, its state, and what it waits for.",
    "follow": "Show what happens in a run until it is over.",
    "resume": "Let a run go on here, until it ends or rests.",
    "upgrade": "Move runs to a changed version of their workflow.",
    "retry": "Let runs that have failed go on from what failed.",
    "rewind": "Let a run go on from an earlier moment.",
    "fork": "Begin a new run from a moment of another.",
    "edit": "Change the state and the pending events of a run.",
    "cancel": "Cancel a run.",
    "remembered": "Show what runs remember, by key.",
    "forget": "Delete all that is kept of runs that are over.",
    "prune": "Drop what runs need no more to go on.",
    "export": "Print all that is kept of a run as JSON.",
}


@click.group("runs", cls=Commands, commands=COMMANDS, package=__name__)
def command() -> None:
    """List, show, follow, resume, upgrade, retry, rewind, fork, edit, cancel and delete runs that are kept in a store.

    The store is that of --store, of WFC_STORE or of the settings; else it is .wfc/runs.db beside the project.
    """
