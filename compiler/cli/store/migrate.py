"""``wfc store migrate``."""

from __future__ import annotations

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.stores import open_engine, place_of, refusals, store_option
from wfc.compiler.diagnostics.escaping import printable

__all__ = ["command"]


@click.command("migrate", cls=Command)
@store_option
def command(store: str | None) -> int:
    """Bring a store to the format of this version, all at once or not at all.

    Each command that opens a store does so: this one does nothing else. A store of a later format is refused.
    """
    engine = open_engine(place_of(store), is_new_allowed=False)
    try:
        with refusals():
            told = f"{engine.store.name} has the format {engine.store.format}"
    finally:
        engine.close()
    click.echo(printable(told), err=True)
    return 0
