"""``wfc runs list``."""

from __future__ import annotations

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.stores import open_engine, place_of, store_option
from wfc.compiler.cli.tables import format_option, moment, show_rows

__all__ = ["command"]


@click.command("list", cls=Command)
@click.option(
    "--status", type=click.Choice(["live", "queued", "parked", "done", "failed", "cancelled", "dead"])
)
@click.option("--workflow", metavar="NAME", help="Of this workflow only.")
@click.option(
    "--most", type=click.IntRange(1), default=100, show_default=True, help="How many, the newest first."
)
@format_option
@store_option
def command(status: str | None, workflow: str | None, most: int, format: str, store: str | None) -> int:
    """List the runs of a store, the newest first.

    What is due although no process works on it is said so: `wfc runs resume` lets it go on.
    """
    engine = open_engine(place_of(store), is_new_allowed=False)
    try:
        rows = engine.list_runs(status=status, workflow=workflow, most=most)
        show_rows(
            ["run", "workflow", "status", "started", "ended", "wakes", "tasks", "note"],
            [
                [
                    row.run_id,
                    row.workflow,
                    row.status,
                    moment(row.started),
                    moment(row.ended),
                    moment(row.wake_at),
                    row.open_tasks,
                    engine.note_on(row),
                ]
                for row in rows
            ],
            format,
        )
    finally:
        engine.close()
    return 0
