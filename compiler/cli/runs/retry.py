"""``wfc runs retry``."""

from __future__ import annotations

import asyncio
import os
import time
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.offers import run_ids, workflows
from wfc.compiler.cli.resuming import load_code, load_newer, load_own
from wfc.compiler.cli.runs.going_back import (
    confirmed,
    continue_runs,
    detach_option,
    tell,
    yes_option,
)
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.cli.stores import StorePlace, open_engine, place_of, refusals, store_option
from wfc.compiler.cli.tables import format_option
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.types.durations import seconds

if TYPE_CHECKING:
    from wfc.runtime import Engine

__all__ = ["command"]

MOST = 10_000
"""How many of the runs that have failed are looked at, the newest first."""


@click.command("retry", cls=Command)
@click.argument("runs", metavar="[RUN]...", nargs=-1, shell_complete=run_ids)
@click.option("--failed", is_flag=True, help="All runs that have failed; less with the next two options.")
@click.option("--dead", is_flag=True, help="All that were given up; less with the next two options.")
@click.option("--workflow", metavar="NAME", shell_complete=workflows, help="Only those of this workflow.")
@click.option(
    "--since", metavar="TIME", help="Only those that were over within this time, such as 1d or 90m."
)
@click.option(
    "--with", "program", metavar="SPEC", help="With this spec or module instead of the code they began with."
)
@yes_option
@detach_option
@format_option
@store_option
def command(
    runs: tuple[str, ...],
    failed: bool,
    dead: bool,
    workflow: str | None,
    since: str | None,
    program: str | None,
    yes: bool,
    detach: bool,
    format: str,
    store: str | None,
) -> int:
    """Let runs that have failed go on from the steps that failed. Steps that were done are not done again.

    It is told first what is tried again; then it is asked for at the terminal, or --yes says it. A step that failed
    has all its attempts again. A run that was given up, as it killed its process again and again, goes on from where it
    was, and so does one that was cancelled, which must be named.

    With --with runs move to a mended version, if they can go on there from what has failed: see wfc runs upgrade.

    Exit status: 0 all have ended well, or are recorded, or nothing was done; 1 none can go on, or one has failed
    again; 3 one rests.
    """
    statuses = [status for status, is_wanted in (("failed", failed), ("dead", dead)) if is_wanted]
    if bool(runs) == bool(statuses) or (runs and (workflow is not None or since is not None)):
        raise click.UsageError(
            "name runs, or choose them by `--failed` and `--dead`, with `--workflow` and `--since`"
        )
    place = place_of(store, os.path.dirname(program) if program else ".")
    engine = open_engine(place, is_new_allowed=False)
    try:
        with refusals():
            with output_kept():
                version = "" if program is None else load_newer(engine, place, program)
                if version is None:
                    return 1
            found = list(dict.fromkeys(runs)) or failed_runs(engine, statuses, workflow, since)
            if not found:
                words = {"failed": "has failed", "dead": "was given up"}
                click.echo(f"no run {' or '.join(words[one] for one in statuses)}", err=True)
                return 0
            chosen = told(engine, place, found, format, version=version, skips=bool(statuses), yes=yes)
            if not chosen:
                return 1
            if not confirmed(yes=yes, count=len(chosen)):
                return 0
            asyncio.run(retry(engine, chosen, version))
            return continue_runs(engine, place, chosen, detach=detach)
    finally:
        engine.close()


def failed_runs(engine: Engine, statuses: list[str], workflow: str | None, since: str | None) -> list[str]:
    """Return the ids of the runs that have failed, or were given up, and are no parts of others, the oldest first.

    Raises:
        click.UsageError: The time is none.
    """
    length = None if since is None else seconds(since)
    if since is not None and (length is None or length < 0):
        raise click.UsageError(
            printable(f"`--since {since}` is no length of time: write it as 1d, 12h or 90m")
        )
    earliest = 0 if length is None else time.time_ns() - int(length * 1e9)
    rows = [
        row
        for status in statuses
        for row in engine.list_runs(status=status, workflow=workflow, most=MOST)
        if (row.ended or 0) >= earliest and engine.store.root_of(row.run_id) == row.run_id
    ]
    return [row.run_id for row in sorted(rows, key=lambda row: row.ended or 0)]


def told(
    engine: Engine,
    place: StorePlace,
    runs: list[str],
    format: str,
    *,
    version: str,
    skips: bool,
    yes: bool,
) -> list[str]:
    """Tell what runs do again; return those that can.

    Args:
        version: The mended version with which they go on; empty: their own.
        skips: Whether one that cannot is left out; else it is an error.

    Raises:
        click.ClickException: One of them cannot, or its code is not there.
    """
    from wfc.runtime.errors import WorkflowError

    found = []
    for run_id in runs:
        try:
            engine.show(run_id)
            with output_kept():
                if version:
                    load_own(engine, place, run_id)
                else:
                    load_code(engine, place, run_id, None)
            tell(asyncio.run(engine.retry(run_id, version=version, dry_run=True)), format, yes=yes)
        except (click.ClickException, WorkflowError) as error:
            if not skips:
                raise
            click.echo(printable(f"{run_id}: left out: {error}"), err=True)
        else:
            found.append(run_id)
    return found


async def retry(engine: Engine, runs: list[str], version: str) -> None:
    """Let runs go on from what has failed."""
    for run_id in runs:
        await engine.retry(run_id, version=version)
