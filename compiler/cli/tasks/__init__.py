"""``wfc tasks``: the questions that runs in a store ask people."""

from __future__ import annotations

import click

from wfc.compiler.cli.command import Commands

__all__ = ["command"]

COMMANDS = {
    "list": "List the open questions.",
    "show": "Show a question and its form.",
    "answer": "Answer a question.",
    "delegate": "Pass a question on to somebody else.",
}


@click.group("tasks", cls=Commands, commands=COMMANDS, package=__name__)
def command() -> None:
    """List, show, answer and pass on the questions that runs in a store ask people.

    The store is that of --store, of WFC_STORE or of the settings; else it is .wfc/runs.db beside the project.
    """
