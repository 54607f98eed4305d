"""``wfc runs show``."""

from __future__ import annotations

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.json_text import one_line
from wfc.compiler.cli.stores import open_engine, place_of, refusals, store_option
from wfc.compiler.cli.tables import format_option, moment, show_rows
from wfc.compiler.diagnostics.escaping import printable

__all__ = ["command"]

LONGEST = 100
"""How much of a tick's data is shown in a table."""


@click.command("show", cls=Command)
@click.argument("run")
@format_option
@store_option
def command(run: str, format: str, store: str | None) -> int:
    """Show a RUN: where it is, and what has happened to it, tick by tick."""
    engine = open_engine(place_of(store), is_new_allowed=False)
    try:
        with refusals():
            row = engine.show(run)
            ticks = engine.history(run)
            tasks = engine.tasks(run_id=run)
        if format == "table":
            told = {
                "run": row.run_id,
                "workflow": row.workflow,
                "status": " ".join(filter(None, [row.status, engine.note_on(row)])),
                "started": moment(row.started),
                "ended": moment(row.ended),
                "wakes": moment(row.wake_at),
                "open tasks": ", ".join(task.task_id for task in tasks),
                "outcome": (row.outcome or b"").decode()[:1000],
            }
            for name, value in told.items():
                if value:
                    click.echo(printable(f"{name}: {value}"))
            click.echo()
        rows: list[list[object]] = [
            [tick.seq, moment(tick.at), tick.kind, data_of(tick.data, format)] for tick in ticks
        ]
        show_rows(["tick", "at", "kind", "data"], rows, format)
    finally:
        engine.close()
    return 0


def data_of(data: list[object], format: str) -> object:
    if format == "json":
        return data
    text = one_line(data, "utf-8")
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"
