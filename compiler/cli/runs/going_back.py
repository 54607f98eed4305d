"""What the commands share by which a run goes on from an earlier tick: they tell what is done again, and ask first."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.following import show
from wfc.compiler.cli.json_text import one_line
from wfc.compiler.cli.offers import steps
from wfc.compiler.cli.resting import command_that_resumes
from wfc.compiler.cli.resuming import go_on
from wfc.compiler.cli.runs.moving import verdict_lines
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.cli.stores import StorePlace
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.runtime import Engine
    from wfc.runtime.driver.engine.checkpoints import Rewinding

__all__ = [
    "at_option",
    "confirmed",
    "continue_runs",
    "detach_option",
    "one_of",
    "step_option",
    "tell",
    "tick_of",
    "yes_option",
]

yes_option = click.option("--yes", is_flag=True, help="Do it, without asking.")

detach_option = click.option(
    "--detach", is_flag=True, help="Only record it: a `wfc worker` or `wfc runs resume` goes on."
)

at_option = click.option(
    "--at", type=click.IntRange(0), metavar="TICK", help="As the run was after this tick."
)

step_option = click.option(
    "--step",
    metavar="NAME",
    shell_complete=steps,
    help="As the run was when the last run of this step began.",
)

MOST = 20
"""How many step runs are told one by one."""


def tell(told: Rewinding, format: str, *, yes: bool) -> None:
    """Tell what a run does again when it goes on from an earlier tick; beside its output, if it does so at once."""
    if format == "json":
        click.echo(one_line(data_of(told), sys.stdout.encoding), err=yes)
        return
    for line in lines_of(told):
        click.echo(printable(line), err=yes)


def data_of(told: Rewinding) -> dict[str, Any]:
    return {
        "run": told.run_id,
        "after tick": told.to,
        "last tick": told.last,
        "failed by": told.failed_by,
        "again": [one._asdict() for one in told.again],
        "gone": list(told.came),
        "parts": [data_of(part) for part in told.parts],
        "verdicts": [one._asdict() for one in told.verdicts],
    }


def lines_of(told: Rewinding, indent: str = "") -> list[str]:
    """Return what people are told."""
    lines = [f"{indent}{told.run_id}: goes on after tick {told.to} of {told.last}"]
    if told.failed_by:
        lines.append(f"{indent}  it was over by: {told.failed_by}")
    acting = [one for one in told.again if one.acts]
    for one in acting[:MOST]:
        again = "is done again, with its effects" if one.status == "done" else "is tried again"
        lines.append(f"{indent}  {one.step} (number {one.number}, {one.status}) {again}")
    if len(acting) > MOST:
        lines.append(f"{indent}  and {len(acting) - MOST} more runs of steps")
    lines += [
        f"{indent}  {one} has come since, and is gone: send it once more if it counts" for one in told.came
    ]
    lines += [f"{indent}  {line}" for line in verdict_lines(told.verdicts)]
    for part in told.parts:
        lines += lines_of(part, indent + "  ")
    return lines


def confirmed(*, yes: bool, count: int = 1) -> bool:
    """Return whether what was told is to be done: it was said beforehand, or is now, at the terminal."""
    if yes:
        return True
    if sys.stdin.isatty() and sys.stderr.isatty():
        return click.confirm("Go on so?" if count == 1 else f"Go on so with {count} runs?", err=True)
    click.echo("nothing is changed: --yes does it", err=True)
    return False


def tick_of(engine: Engine, run_id: str, at: int | None, step: str | None) -> int:
    """Return the tick that is named, by its number or by a step that began then.

    Raises:
        click.UsageError: None is named, or two.
    """
    one_of(at, step)
    return at if at is not None else engine.beginning_of_step(run_id, str(step))


def one_of(at: int | None, step: str | None) -> None:
    """Check that a tick is named once.

    Raises:
        click.UsageError: It is named twice, or not at all.
    """
    if (at is None) == (step is None):
        raise click.UsageError("name the tick: by `--at TICK`, or by `--step NAME`, which began then")


def continue_runs(engine: Engine, place: StorePlace, runs: Sequence[str], *, detach: bool) -> int:
    """Go on with runs here, one after the other, unless a worker does; return the exit status."""
    status = 0
    for run_id in runs:
        if engine.store.has_workers():
            click.echo(printable(f"{run_id}: recorded; a worker takes it up"), err=True)
        elif detach:
            click.echo(
                printable(f"{run_id}: recorded; {command_that_resumes(run_id, place)} goes on"), err=True
            )
        else:
            with output_kept():
                followed = asyncio.run(go_on(engine, place, partial(engine.resume, run_id)))
            status = max(status, followed.status if followed.end is None else show(followed.end, None))
    return status
