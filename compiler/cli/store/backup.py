"""``wfc store backup``."""

from __future__ import annotations

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.stores import open_engine, place_of, refusals, store_option
from wfc.compiler.diagnostics.escaping import printable

__all__ = ["command"]


@click.command("backup", cls=Command)
@click.argument("file", type=click.Path())
@store_option
def command(file: str, store: str | None) -> int:
    """Copy a store to a FILE as it is at one moment, while runs go on.

    A copy by other means may lack what is in the file `-wal` beside the store. The code of the runs is not in the
    store: keep the folder `.wfc/versions` with the copy.
    """
    engine = open_engine(place_of(store), is_new_allowed=False)
    try:
        with refusals():
            engine.store.backup(file)
    finally:
        engine.close()
    click.echo(printable(f"copied to {file}"), err=True)
    return 0
