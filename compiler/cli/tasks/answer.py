"""``wfc tasks answer``."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.following import show
from wfc.compiler.cli.forms import fields_of
from wfc.compiler.cli.offers import task_ids
from wfc.compiler.cli.resuming import go_on, load_code, this_user
from wfc.compiler.cli.state_changes import changes_of, set_option
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.cli.stores import open_engine, place_of, refusals, store_option
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.rules import closest
from wfc.runtime.values.strict_json import parsed

__all__ = ["command"]

LONGEST_NAME = 100


@click.command("answer", cls=Command)
@click.argument("task", shell_complete=task_ids)
@click.argument("answer", metavar="[JSON]", required=False)
@click.option(
    "-i", "pairs", metavar="NAME=VALUE", multiple=True, help="A field of the answer; lists as JSON."
)
@click.option("--by", "claimed", metavar="NAME", help="Who has answered; recorded as what this user says.")
@set_option
@store_option
def command(
    task: str,
    answer: str | None,
    pairs: tuple[str, ...],
    claimed: str | None,
    changes: tuple[str, ...],
    store: str | None,
) -> int:
    """Answer a TASK, and let the run go on, until it ends or rests.

    The answer is JSON, or its fields are given one by one. It is held against the form and what the step requires
    before anything is recorded. It is that of the user of this computer, whom --by lets answer for somebody else. A
    process that has the run is told, and a worker takes it up; else the run goes on here, as with wfc runs resume.
    With --set the state is changed in the same moment.
    """
    state = changes_of(changes)
    place = place_of(store)
    engine = open_engine(place, is_new_allowed=False)
    try:
        with output_kept(), refusals():
            row = engine.task(task)
            value = value_of(answer, pairs, row.about["form"])
            by = answerer(claimed, row.about["quorum"])
            if row.because == "answered" and by in (row.answered_by or "").split(","):
                click.echo("it is answered already", err=True)
                return 0
            if not load_code(engine, place, row.run_id, None):
                return 1
            leave = engine.store.has_workers()
            followed = asyncio.run(
                go_on(engine, place, lambda: engine.answer(task, value, by=by, state=state, leave=leave))
            )
    finally:
        engine.close()
    return followed.status if followed.end is None else show(followed.end, None)


def answerer(claimed: str | None, quorum: int | None) -> str:
    """Return who answers, as it is recorded: the user of this computer, or whom the user names.

    Raises:
        click.UsageError: The name is none, or the answers of several users are counted.
    """
    user = this_user()
    if claimed is None or claimed in {user, user.removeprefix("user:")}:
        return user
    if not claimed.strip() or "," in claimed or not claimed.isprintable() or len(claimed) > LONGEST_NAME:
        raise click.UsageError(printable(f"`--by {claimed[:LONGEST_NAME]}` is no name"))
    if quorum is not None:
        raise click.UsageError(
            f"{quorum} users of this computer have to answer, so `--by` does not count: leave it out"
        )
    return f"{claimed} (says {user})"


def value_of(answer: str | None, pairs: tuple[str, ...], form: dict[str, Any] | None) -> Any:
    """Return an answer from a command line.

    Raises:
        click.UsageError: It is not JSON, or has a field that the form does not have.
    """
    if answer is not None and pairs:
        raise click.UsageError("the answer is given twice: as JSON and by its fields")
    if answer is not None:
        try:
            return parsed(answer)
        except ValueError as error:
            raise click.UsageError(printable(f"the answer is not JSON: {error}")) from None
    fields = {field.name: field for field in fields_of(form)}
    value: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or name not in fields:
            hint = (
                closest(name, fields) or f"it has {', '.join(f'`{each}`' for each in fields) or 'no fields'}"
            )
            raise click.UsageError(printable(f"`-i {pair}`: the form has no such field; {hint}"))
        try:
            value[name] = fields[name].parse(text)
        except ValueError as error:
            raise click.UsageError(printable(f"`-i {pair}`: {error}")) from None
    missing = [field.name for field in fields.values() if field.required and field.name not in value]
    if missing:
        raise click.UsageError(printable(f"the answer lacks {', '.join(f'`{each}`' for each in missing)}"))
    return value if form is not None else None
