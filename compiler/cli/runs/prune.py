"""``wfc runs prune``."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.offers import run_ids
from wfc.compiler.cli.stores import open_engine, place_of, refusals, store_option
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.runtime import Engine

__all__ = ["command"]


@click.command("prune", cls=Command)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, shell_complete=run_ids)
@store_option
def command(runs: tuple[str, ...], store: str | None) -> int:
    """Drop what runs need no more to go on: what happened before their last snapshot.

    A run goes on as before; `wfc runs show` and `wfc runs follow` tell only what came after.
    """
    engine = open_engine(place_of(store), is_new_allowed=False)
    try:
        with refusals():
            for run_id in runs:
                engine.show(run_id)
            asyncio.run(prune(engine, runs))
    finally:
        engine.close()
    return 0


async def prune(engine: Engine, runs: tuple[str, ...]) -> None:
    """Drop ticks of runs, and tell how many."""
    for run_id in runs:
        count = await engine.store.prune(run_id)
        click.echo(printable(f"{run_id}: {count} ticks dropped"), err=True)
