"""``wfc runs edit``."""

from __future__ import annotations

import asyncio

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.offers import run_argument
from wfc.compiler.cli.resting import command_that_resumes
from wfc.compiler.cli.resuming import opened_run, this_user
from wfc.compiler.cli.send import message_of
from wfc.compiler.cli.state_changes import changes_of, set_option
from wfc.compiler.cli.stores import store_option
from wfc.compiler.diagnostics.escaping import printable

__all__ = ["command"]


@click.command("edit", cls=Command)
@run_argument
@set_option
@click.option(
    "--event",
    "events",
    metavar="EVENT=JSON",
    multiple=True,
    help="An event for the steps that accept it, as if another step had sent it.",
)
@click.option(
    "--drop-event",
    "dropped",
    type=click.IntRange(0),
    metavar="NUMBER",
    multiple=True,
    help="A pending event that is not to be taken; `wfc runs show` has its number.",
)
@store_option
def command(
    run: str, changes: tuple[str, ...], events: tuple[str, ...], dropped: tuple[int, ...], store: str | None
) -> int:
    """Edit a RUN that is not over: its state, and its pending events, as if a step had done it.

    All is held against the types of the state and the events first; then all of it is recorded at once, with the user
    of this computer, or nothing. A process that has the run is told. Questions stay open; `wfc tasks answer --set`
    edits the state in the moment of an answer. A run that is over is edited as it goes back: `wfc runs rewind --set`.

    Exit status: 0 it is recorded; 1 it does not fit, or there is no such run, or that is over.
    """
    if not (changes or events or dropped):
        raise click.UsageError("say what is changed: by `--set`, `--event` or `--drop-event`")
    found = changes_of(changes)
    messages = [message_of(text) for text in events]
    with opened_run(store, run) as (engine, place):
        from wfc.runtime.driver.run.edits import Edits

        asyncio.run(engine.edit(run, Edits(found, messages, dropped), by=this_user()))
        root = engine.store.root_of(run) or run
        if engine.store.is_worked_on(root):
            told = "recorded, and the process that has the run is told"
        elif messages and not engine.store.has_workers():
            told = f"recorded; nobody works on it: {command_that_resumes(root, place)}"
        else:
            told = "recorded"
        click.echo(printable(f"{run}: {told}"), err=True)
    return 0
