"""``wfc runs resume``."""

from __future__ import annotations

import asyncio
import os

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.following import show
from wfc.compiler.cli.resuming import go_on, load_code
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.cli.stores import open_engine, place_of, refusals, store_option

__all__ = ["command"]


@click.command("resume", cls=Command)
@click.argument("run")
@click.argument("program", metavar="[SPEC|MODULE]", required=False)
@store_option
def command(run: str, program: str | None, store: str | None) -> int:
    """Let a RUN go on in this process, until it ends or rests.

    It goes on with the code that it was started with, which is kept beside the project. A SPEC or MODULE that is
    given is used instead, if its steps and events are those of the run.

    Prints the end event as wfc run does. A run that rests, as it waits for an answer or for a time, is told of, with
    exit status 3.
    """
    place = place_of(store, os.path.dirname(program) if program else ".")
    engine = open_engine(place, is_new_allowed=False)
    try:
        with output_kept(), refusals():
            if not load_code(engine, place, run, program):
                return 1
            followed = asyncio.run(go_on(engine, place, lambda: engine.resume(run)))
    finally:
        engine.close()
    return followed.status if followed.end is None else show(followed.end, None)
