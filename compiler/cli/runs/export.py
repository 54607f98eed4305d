"""``wfc runs export``."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.json_text import one_line
from wfc.compiler.cli.run_text import task_as_data
from wfc.compiler.cli.stores import open_engine, place_of, refusals, store_option

if TYPE_CHECKING:
    from wfc.runtime import Engine

__all__ = ["command"]


@click.command("export", cls=Command)
@click.argument("run")
@store_option
def command(run: str, store: str | None) -> int:
    """Print all that is kept of a RUN as one line of JSON: itself, its questions, and what happened, tick by tick.

    Moments are in nanoseconds since 1970. Values of secrets are in no store, and so in no export.
    """
    engine = open_engine(place_of(store), is_new_allowed=False)
    try:
        with refusals():
            data = exported(engine, run)
    finally:
        engine.close()
    click.echo(one_line(data, sys.stdout.encoding))
    return 0


def exported(engine: Engine, run_id: str) -> dict[str, Any]:
    """Return all that is kept of a run, as plain data."""
    row = engine.show(run_id)._asdict()
    outcome = row.pop("outcome")
    row.pop("owner")
    return {
        **row,
        "outcome": None if outcome is None else json.loads(outcome),
        "tasks": [
            task_as_data(engine.task(task.task_id)) for task in engine.tasks(run_id=run_id, is_open=False)
        ],
        "ticks": [tick._asdict() for tick in engine.history(run_id)],
    }
