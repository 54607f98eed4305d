"""``wfc tasks list``."""

from __future__ import annotations

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.stores import open_engine, place_of, store_option
from wfc.compiler.cli.tables import format_option, moment, show_rows

__all__ = ["command"]


@click.command("list", cls=Command)
@click.option("--run", "run_id", metavar="RUN", help="Of this run only.")
@click.option("--all", "every", is_flag=True, help="Closed ones too.")
@click.option(
    "--most", type=click.IntRange(1), default=100, show_default=True, help="How many, the oldest first."
)
@format_option
@store_option
def command(run_id: str | None, every: bool, most: int, format: str, store: str | None) -> int:
    """List the open questions of the runs in a store, the oldest first."""
    engine = open_engine(place_of(store), is_new_allowed=False)
    try:
        rows = [
            [
                task.task_id,
                task.workflow,
                task.about["title"],
                ", ".join(task.about["assign"]),
                moment(task.opened),
                moment(task.expires),
                task.because or "open",
            ]
            for task in engine.tasks(run_id=run_id, is_open=not every, most=most)
        ]
    finally:
        engine.close()
    show_rows(["task", "workflow", "title", "assigned", "opened", "expires", "status"], rows, format)
    return 0
