"""``wfc runs fork``."""

from __future__ import annotations

import asyncio

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.offers import run_argument, steps
from wfc.compiler.cli.resuming import opened_run, this_user
from wfc.compiler.cli.runs.going_back import (
    at_option,
    confirmed,
    continue_runs,
    detach_option,
    one_of,
    tell,
    yes_option,
)
from wfc.compiler.cli.state_changes import changes_of, set_option
from wfc.compiler.cli.stores import store_option
from wfc.compiler.cli.tables import format_option

__all__ = ["command"]


@click.command("fork", cls=Command)
@run_argument
@at_option
@click.option(
    "--step",
    metavar="PLACE",
    shell_complete=steps,
    help="As the run was when the last run of this step began, or when it was last at a place within an agent, such as "
    "`answer/turn 3` or `answer/turn 3/refund`.",
)
@set_option
@click.option("--run-id", "new_id", metavar="ID", help="The id of the new run; by default a random one.")
@yes_option
@detach_option
@format_option
@store_option
def command(
    run: str,
    at: int | None,
    step: str | None,
    changes: tuple[str, ...],
    new_id: str | None,
    yes: bool,
    detach: bool,
    format: str,
    store: str | None,
) -> int:
    """Begin a new run that goes on from how a RUN was after a tick, or when a step began; the RUN stays as it is.

    It is told first which steps are done again, with their effects outside; then it is asked for at the terminal, or
    --yes says it. Its requests have other idempotency keys. Its agents go on from where they were at that moment; other
    workflows that it waits for begin anew for it.

    Exit status: 0 it has ended well, or is recorded, or nothing was done; 1 it has failed; 3 it rests.
    """
    state = changes_of(changes)
    with opened_run(store, run) as (engine, place):
        one_of(at, step)
        to = at if step is None else engine.point_of(run, step)
        told = asyncio.run(engine.fork(run, to, state=state, new_id=new_id, dry_run=True))
        tell(told, format, yes=yes)
        if not confirmed(yes=yes):
            return 0
        asyncio.run(engine.fork(run, to, state=state, by=this_user(), new_id=told.run_id))
        return continue_runs(engine, place, [told.run_id], detach=detach)
