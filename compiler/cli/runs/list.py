"""``wfc runs list``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.offers import workflows
from wfc.compiler.cli.stores import open_engine, place_of, refusals, store_option
from wfc.compiler.cli.tables import format_option, moment, show_rows

if TYPE_CHECKING:
    from wfc.runtime import Engine
    from wfc.runtime.store.sql.reading import RunRow

__all__ = ["command"]

NAMES = [
    "run",
    "workflow",
    "version",
    "key",
    "status",
    "started",
    "ended",
    "waits for",
    "until",
    "tasks",
    "worker",
    "note",
]


@click.command("list", cls=Command)
@click.option(
    "--status",
    type=click.Choice(["live", "queued", "parked", "halted", "done", "failed", "cancelled", "dead"]),
)
@click.option("--workflow", metavar="NAME", shell_complete=workflows, help="Of this workflow only.")
@click.option(
    "--most", type=click.IntRange(1), default=100, show_default=True, help="How many, the newest first."
)
@format_option
@store_option
def command(status: str | None, workflow: str | None, most: int, format: str, store: str | None) -> int:
    """List the runs of a store, the newest first.

    Of a run that rests it is told what it waits for, and until when; of one that is under way, which process works on
    it: its name has the number of the process, after the name of the machine where there are several. What is due
    although no process works on it is said so: `wfc runs resume` lets it go on, and so does a `wfc worker`.
    """
    engine = open_engine(place_of(store), is_new_allowed=False)
    try:
        with refusals():
            rows = [
                line(engine, row) for row in engine.list_runs(status=status, workflow=workflow, most=most)
            ]
    finally:
        engine.close()
    show_rows(NAMES, rows, format)
    return 0


def line(engine: Engine, row: RunRow) -> list[object]:
    """Return the cells of a run."""
    first = next(iter(engine.waits_of(row.run_id)), None)
    return [
        row.run_id,
        row.workflow,
        row.version[:12],
        row.key or "",
        row.status,
        moment(row.started),
        moment(row.ended),
        "" if first is None else f"{first.step}: {first.what}",
        "" if first is None else moment(first.until),
        row.open_tasks,
        engine.worker_on(row),
        engine.note_on(row),
    ]
