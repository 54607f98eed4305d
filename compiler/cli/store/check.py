"""``wfc store check``."""

from __future__ import annotations

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.stores import open_engine, place_of, refusals, store_option
from wfc.compiler.diagnostics.escaping import printable

__all__ = ["command"]


@click.command("check", cls=Command)
@store_option
def command(store: str | None) -> int:
    """Look whether a store is whole: its file, the journals of its runs, and their large values.

    Exit status: 0 it is; 1 it is damaged, or cannot be read.
    """
    engine = open_engine(place_of(store), is_new_allowed=False)
    try:
        with refusals():
            problems = engine.store.problems()
            told = f"{engine.store.name}: format {engine.store.format}, {len(problems) or 'no'} problems"
    finally:
        engine.close()
    for problem in problems:
        click.echo(printable(problem))
    click.echo(printable(told), err=True)
    return 1 if problems else 0
