"""``wfc runs cancel``."""

from __future__ import annotations

import asyncio
import os

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.offers import run_argument
from wfc.compiler.cli.resuming import load_code
from wfc.compiler.cli.stores import open_engine, place_of, refusals, store_option
from wfc.compiler.diagnostics.escaping import printable

__all__ = ["command"]


@click.command("cancel", cls=Command)
@run_argument
@click.argument("program", metavar="[SPEC|MODULE]", required=False)
@store_option
def command(run: str, program: str | None, store: str | None) -> int:
    """Cancel a RUN, by its on_cancel if it has one; the process that has it is told, else it is done here."""
    place = place_of(store, os.path.dirname(program) if program else ".")
    engine = open_engine(place, is_new_allowed=False)
    try:
        with refusals():
            if not engine.store.is_worked_on(run) and not load_code(engine, place, run, program):
                return 1
            asyncio.run(engine.cancel(run))
            click.echo(printable(f"{run}: {engine.show(run).status}"), err=True)
    finally:
        engine.close()
    return 0
