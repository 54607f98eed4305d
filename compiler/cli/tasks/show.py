"""``wfc tasks show``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.forms import fields_of
from wfc.compiler.cli.json_text import one_line
from wfc.compiler.cli.offers import task_ids
from wfc.compiler.cli.resting import command_that_answers
from wfc.compiler.cli.run_text import task_as_data
from wfc.compiler.cli.stores import open_engine, place_of, refusals, store_option
from wfc.compiler.cli.tables import format_option, moment
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.runtime.store.sql.reading import Delegation

__all__ = ["command"]


@click.command("show", cls=Command)
@click.argument("task", shell_complete=task_ids)
@format_option
@store_option
def command(task: str, format: str, store: str | None) -> int:
    """Show a TASK: the question, what is to be decided upon, and the fields of an answer."""
    place = place_of(store)
    engine = open_engine(place, is_new_allowed=False)
    try:
        with refusals():
            row = engine.task(task)
    finally:
        engine.close()
    if format == "json":
        click.echo(one_line(task_as_data(row), "utf-8"))
        return 0
    lines = [row.title, *(f"  {line}" for line in (row.about["show"] or "").splitlines())]
    lines += [f"  {field.name}: {field.words}" for field in fields_of(row.about["form"])]
    lines.append(f"asked by `{row.step}` of {row.workflow}, {moment(row.opened)}")
    if row.assign:
        lines.append(f"for {', '.join(row.assign)}")
    lines += [told_of(one) for one in row.passed_on]
    if row.expires is not None:
        lines.append(f"until {moment(row.expires)}")
    if row.because is not None:
        by = f" by {row.answered_by}" if row.answered_by else ""
        lines.append(f"closed: {row.because}{by}")
    else:
        lines.append(f"answer it with  {command_that_answers(task, row.about['form'], place)}")
    for line in lines:
        click.echo(printable(line))
    return 0


def told_of(delegation: Delegation) -> str:
    """Return what is told of the passing on of a task."""
    because = f": {delegation.because}" if delegation.because else ""
    return f"passed on to {delegation.to} by {delegation.by}, {moment(delegation.at)}{because}"
