"""``wfc runs resume``."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.following import show
from wfc.compiler.cli.resuming import go_on, load_code, load_newer, load_own
from wfc.compiler.cli.runs.moving import tell
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.cli.stores import StorePlace, open_engine, place_of, refusals, store_option

if TYPE_CHECKING:
    from wfc.runtime import Engine

__all__ = ["command"]


@click.command("resume", cls=Command)
@click.argument("run")
@click.argument("program", metavar="[SPEC|MODULE]", required=False)
@store_option
def command(run: str, program: str | None, store: str | None) -> int:
    """Let a RUN go on in this process, until it ends or rests.

    It goes on with the code that it was started with, which is kept beside the project. With a SPEC or MODULE it moves
    to that version first, as by wfc runs upgrade; if it cannot go on there, it stays as it is.

    Prints the end event as wfc run does. A run that rests, as it waits for an answer or for a time, is told of, with
    exit status 3.
    """
    place = place_of(store, os.path.dirname(program) if program else ".")
    engine = open_engine(place, is_new_allowed=False)
    try:
        with output_kept(), refusals():
            if program is None:
                load_code(engine, place, run, None)
            elif not move(engine, place, run, program):
                return 1
            followed = asyncio.run(go_on(engine, place, lambda: engine.resume(run)))
    finally:
        engine.close()
    return followed.status if followed.end is None else show(followed.end, None)


def move(engine: Engine, place: StorePlace, run_id: str, program: str) -> bool:
    """Move a run to the version of a program, and tell what that means for it; return whether there is one."""
    version = load_newer(engine, place, program)
    if version is None:
        return False
    root = engine.store.root_of(run_id) or run_id
    engine.show(root)
    load_own(engine, place, root)
    tell(asyncio.run(engine.upgrade(root, version=version)), "table", is_done=True, on_error_stream=True)
    return True
