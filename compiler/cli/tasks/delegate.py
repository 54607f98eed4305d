"""``wfc tasks delegate``."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.offers import task_ids
from wfc.compiler.cli.resuming import load_code
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.cli.stores import open_engine, place_of, refusals, store_option
from wfc.compiler.cli.tasks.answer import answerer
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.runtime import Engine

__all__ = ["command"]

LONGEST_REASON = 1000


@click.command("delegate", cls=Command)
@click.argument("task", shell_complete=task_ids)
@click.option("--to", required=True, metavar="NAME", help="Who is asked instead, such as user:ann.")
@click.option("--because", default="", metavar="TEXT", help="Why.")
@click.option("--by", "claimed", metavar="NAME", help="Who passes it on; recorded as what this user says.")
@store_option
def command(task: str, to: str, because: str, claimed: str | None, store: str | None) -> int:
    """Pass a TASK on, so that somebody else is asked.

    It takes the place of whoever passes it on, if that one is asked; else of all who are. What the question is, when
    it expires and who has answered already stays as it is. wfc tasks show says who has passed it on, when and why.
    """
    if len(because) > LONGEST_REASON:
        raise click.UsageError(f"`--because` is longer than {LONGEST_REASON} characters")
    from wfc.runtime.driver.engine.tasks import check_name

    place = place_of(store)
    engine = open_engine(place, is_new_allowed=False)
    try:
        with output_kept(), refusals():
            by = answerer(claimed, None)
            check_name(to)
            row = engine.task(task)
            if row.closed is None and not load_code(engine, place, row.run_id, None):
                return 1
            asyncio.run(delegate(engine, task, to, by, because))
    finally:
        engine.close()
    click.echo(printable(f"{to} is asked"), err=True)
    return 0


async def delegate(engine: Engine, task: str, to: str, by: str, because: str) -> None:
    """Pass a task on, and let the run rest again if it was taken up for that."""
    from wfc.runtime.errors import WorkflowError

    leave = engine.store.has_workers()
    handler = await engine.delegate(task, to, by=by, because=because, leave=leave)
    if handler is not None:
        with contextlib.suppress(WorkflowError):  # it is over, by what was due
            await engine.park(handler.run_id)
