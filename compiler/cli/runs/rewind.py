"""``wfc runs rewind``."""

from __future__ import annotations

import asyncio

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.offers import run_argument
from wfc.compiler.cli.resuming import opened_run, this_user
from wfc.compiler.cli.runs.going_back import (
    at_option,
    confirmed,
    continue_runs,
    detach_option,
    step_option,
    tell,
    tick_of,
    yes_option,
)
from wfc.compiler.cli.state_changes import changes_of, set_option
from wfc.compiler.cli.stores import store_option
from wfc.compiler.cli.tables import format_option

__all__ = ["command"]


@click.command("rewind", cls=Command)
@run_argument
@at_option
@step_option
@set_option
@yes_option
@detach_option
@format_option
@store_option
def command(
    run: str,
    at: int | None,
    step: str | None,
    changes: tuple[str, ...],
    yes: bool,
    detach: bool,
    format: str,
    store: str | None,
) -> int:
    """Let a RUN that rests or is over go on from how it was before: after a tick, or when a step began.

    It is told first which steps are done again, with their effects outside; then it is asked for at the terminal, or
    --yes says it. What came after that tick counts no more, and is shown as undone; `wfc runs show --at` still has it,
    and the run may go back to it. The run's clocks have stood still since then.

    Exit status: 0 it has ended well, or is recorded, or nothing was done; 1 it has failed; 3 it rests.
    """
    state = changes_of(changes)
    with opened_run(store, run) as (engine, place):
        to = tick_of(engine, run, at, step)
        tell(asyncio.run(engine.rewind(run, to, state=state, dry_run=True)), format, yes=yes)
        if not confirmed(yes=yes):
            return 0
        asyncio.run(engine.rewind(run, to, state=state, by=this_user()))
        return continue_runs(engine, place, [run], detach=detach)
