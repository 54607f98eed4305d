"""What is told of a run that rests in a store, with the commands by which it goes on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.forms import fields_of
from wfc.compiler.cli.tables import moment
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.compiler.cli.stores import Keeping, StorePlace

__all__ = ["command_that_answers", "command_that_resumes", "tell_of_rest"]


def command_that_answers(task: str, form: Mapping[str, Any] | None, place: StorePlace) -> str:
    """Return the command that answers a task, with the fields that an answer needs."""
    fields = ", ".join(f'"{field.name}": …' for field in fields_of(form) if field.required)
    answer = f" '{{{fields}}}'" if form is not None else ""
    return f"wfc tasks answer {task}{answer}{place.option}"


def command_that_resumes(run_id: str, place: StorePlace) -> str:
    """Return the command that lets a run go on."""
    return f"wfc runs resume {run_id}{place.option}"


def tell_of_rest(run_id: str, keeping: Keeping) -> None:
    """Tell of a run that rests: what it asks, where it is kept, and how it goes on."""
    engine, place = keeping.engine, keeping.place
    lines = []
    tasks = [
        engine.task(task.task_id)
        for task in engine.tasks()
        if task.run_id == run_id or task.run_id.startswith(f"{run_id}/")
    ]
    for task in tasks:
        lines.append(f"the run stopped: `{task.step}` asks, and nobody is here to answer: {task.title}")
        lines += [f"  {line}" for line in (task.about["show"] or "").splitlines()]
        lines += [f"  {field.name}: {field.words}" for field in fields_of(task.about["form"])]
    if keeping.prepare is not None:
        lines.append("until now the run was in memory; with --store it is kept from its start")
    lines.append(f"the run {run_id} rests in {engine.store.name}")
    for task in tasks:
        lines.append(f"answer it with  {command_that_answers(task.task_id, task.about['form'], place)}")
    first = next(iter(engine.waits_of(run_id)), None)
    if first is not None and engine.show(run_id).status == "halted":
        lines.append(f"{first.step}: {first.what}")
        lines.append(f"go on with  {command_that_resumes(run_id, place)}, or by one step with --step")
    elif not tasks:
        wakes = moment(engine.show(run_id).wake_at)
        until = f"it waits until {wakes}; " if wakes else ""
        lines.append(f"{until}go on with  {command_that_resumes(run_id, place)}")
    for line in lines:
        click.echo(printable(line), err=True)
