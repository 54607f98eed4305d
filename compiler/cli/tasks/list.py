"""``wfc tasks list``."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.offers import run_ids
from wfc.compiler.cli.resuming import this_user
from wfc.compiler.cli.stores import open_engine, place_of, store_option
from wfc.compiler.cli.tables import format_option, moment, show_rows

if TYPE_CHECKING:
    from wfc.runtime.store.sql.reading import TaskRow

__all__ = ["command"]


@click.command("list", cls=Command)
@click.option("--run", "run_id", metavar="RUN", shell_complete=run_ids, help="Of this run only.")
@click.option("--mine", is_flag=True, help="Those that you, a group of yours or anybody may answer.")
@click.option("--for", "whom", metavar="NAME", help="Those that a person or a group is asked.")
@click.option("--overdue", is_flag=True, help="Those whose time is over, and that nobody has closed.")
@click.option("--all", "every", is_flag=True, help="Closed ones too.")
@click.option(
    "--most", type=click.IntRange(1), default=100, show_default=True, help="How many, the oldest first."
)
@format_option
@store_option
def command(
    run_id: str | None,
    mine: bool,
    whom: str | None,
    overdue: bool,
    every: bool,
    most: int,
    format: str,
    store: str | None,
) -> int:
    """List the open questions of the runs in a store, the oldest first.

    Whom a question is assigned to is a text such as user:ann or group:leads; --for ann finds both user:ann and
    group:ann. You are the user of this computer, and your groups are those that it says.
    """
    names = names_of(whom) if whom is not None else this_user_and_groups() if mine else []
    if mine and whom is not None:
        raise click.UsageError("`--mine` and `--for` both say whose questions are meant: leave one out")
    now = time.time_ns()
    engine = open_engine(place_of(store), is_new_allowed=False)
    try:
        rows = [
            [
                task.task_id,
                task.workflow,
                task.title,
                ", ".join(task.assign) + passed_on(task),
                moment(task.opened),
                moment(task.expires),
                task.because or ("overdue" if (task.expires or now + 1) <= now else "open"),
            ]
            for task in engine.tasks(
                run_id=run_id, is_open=not every, whom=names, or_anybody=mine, is_overdue=overdue, most=most
            )
        ]
    finally:
        engine.close()
    show_rows(["task", "workflow", "title", "assigned", "opened", "expires", "status"], rows, format)
    return 0


def names_of(name: str) -> list[str]:
    """Return the texts by which a person or a group may be assigned to a question."""
    return [name] if ":" in name else [name, f"user:{name}", f"group:{name}"]


def this_user_and_groups() -> list[str]:
    """Return the texts by which whoever uses this computer may be assigned to a question."""
    user = this_user()
    names = [user, user.removeprefix("user:")]
    try:
        import grp  # which not every system has
    except ImportError:
        return names
    for number in os.getgroups():
        try:
            names.append(f"group:{grp.getgrgid(number).gr_name}")
        except KeyError:  # a group without a name
            continue
    return names


def passed_on(task: TaskRow) -> str:
    """Return who has passed a task on last; empty if nobody has."""
    if task.delegations == "[]":
        return ""
    last = task.passed_on[-1]
    return f" (from {last.by})"
