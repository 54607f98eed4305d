"""``wfc runs forget``."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.offers import run_ids, workflows
from wfc.compiler.cli.runs.remembered import shelf_of
from wfc.compiler.cli.stores import open_engine, place_of, refusals, store_option
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.runtime import Engine

__all__ = ["command"]

DAY = 86_400.0


@click.command("forget", cls=Command)
@click.argument("runs", metavar="[RUN]...", nargs=-1, shell_complete=run_ids)
@click.option("--key", metavar="KEY", help="The runs with this key.")
@click.option(
    "--workflow", metavar="NAME", shell_complete=workflows, help="Of these only the runs of this workflow."
)
@click.option(
    "--older-than",
    type=click.FloatRange(0),
    metavar="DAYS",
    help="The runs that ended so long ago; with --remembered the entries.",
)
@click.option(
    "--remembered",
    metavar="WORKFLOW.COLLECTION",
    help="No runs: what runs of this workflow remember in this collection, under the --key or --older-than.",
)
@click.option("--entry", metavar="ID", help="Of what is remembered only this entry.")
@click.option("--dry-run", is_flag=True, help="Only list the runs, or count what is remembered.")
@store_option
def command(
    runs: tuple[str, ...],
    key: str | None,
    workflow: str | None,
    older_than: float | None,
    remembered: str | None,
    entry: str | None,
    dry_run: bool,
    store: str | None,
) -> int:
    """Delete all that is kept of runs that are over: what happened, their parts, questions and large values.

    Prints the id of each. A run that is not over is refused: cancel it first. What runs have sent to others stays in
    the journals of these.

    With --remembered and --key, what is kept of one key in a collection that runs write is deleted instead, with
    --older-than what is so old in it of any key; how many entries there were is printed. `wfc runs remembered` shows
    them.
    """
    if remembered is not None:
        if (key is None) == (older_than is None) or runs or workflow is not None:
            raise click.UsageError(
                "`--remembered` goes with either `--key` or `--older-than`, and nothing else that chooses"
            )
        if key is None and entry is not None:
            raise click.UsageError("`--entry` goes with `--remembered` and `--key`")
        if key is None:
            return forget_old(remembered, (older_than or 0.0) * DAY, store, is_rehearsal=dry_run)
        return forget_key(remembered, key, entry, store, is_rehearsal=dry_run)
    if entry is not None:
        raise click.UsageError("`--entry` goes with `--remembered` and `--key`")
    if bool(runs) == (key is not None or older_than is not None):
        raise click.UsageError("name runs, or choose them by `--key` or `--older-than`")
    engine = open_engine(place_of(store), is_new_allowed=False)
    try:
        with refusals():
            seconds = (older_than or 0.0) * DAY
            found = list(runs) or engine.ended_runs(older_than=seconds, key=key, workflow=workflow)
            asyncio.run(forget(engine, found, is_rehearsal=dry_run))
    finally:
        engine.close()
    return 0


def forget_key(collection: str, key: str, entry: str | None, store: str | None, *, is_rehearsal: bool) -> int:
    """Delete what runs remember under a key, or one entry of it, and print how many entries there were."""
    from wfc.runtime.calls.knowledge.remembered import MOST_ENTRIES
    from wfc.runtime.calls.memories import ShelfBounds

    shelf = shelf_of(collection, key)
    number = number_of(entry, collection) if entry is not None else None
    engine = open_engine(place_of(store), is_new_allowed=False)
    try:
        with refusals():
            if is_rehearsal:
                found = asyncio.run(engine.memories.entries(shelf, ShelfBounds(MOST_ENTRIES, None)))
                count = sum(number in (None, each.number) for each in found)
            else:
                count = asyncio.run(engine.memories.forget(shelf, number))
    finally:
        engine.close()
    click.echo(count)
    return 0


def forget_old(collection: str, seconds: float, store: str | None, *, is_rehearsal: bool) -> int:
    """Delete what is older in a collection, of whichever key, and print how many entries that were."""
    name = shelf_of(collection, "").collection
    engine = open_engine(place_of(store), is_new_allowed=False)
    try:
        with refusals():
            count = asyncio.run(engine.memories.drop_old(name, seconds, is_rehearsal=is_rehearsal))
    finally:
        engine.close()
    click.echo(count)
    return 0


def number_of(entry: str, collection: str) -> int:
    """Return the number of an entry.

    Raises:
        click.UsageError: It is not written as the id of one of this collection.
    """
    name, _, number = entry.rpartition("#")
    if name != collection.partition(".")[2] or not (
        number.isascii() and number.isdigit() and len(number) < 19
    ):
        raise click.UsageError(f"an entry is named as `{printable(collection.partition('.')[2])}#12`")
    return int(number)


async def forget(engine: Engine, runs: list[str], *, is_rehearsal: bool) -> None:
    """Delete runs, all of which are over, and print their ids."""
    for run_id in runs:
        engine.check_over(run_id)
    for run_id in runs:
        if not is_rehearsal:
            await engine.forget(run_id)
        click.echo(printable(run_id))
