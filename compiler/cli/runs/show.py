"""``wfc runs show``."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.json_text import one_line
from wfc.compiler.cli.offers import run_argument
from wfc.compiler.cli.resuming import load_code
from wfc.compiler.cli.run_text import steps_of, told_of, turns_as_rows
from wfc.compiler.cli.searches import cited_by, tell
from wfc.compiler.cli.stores import StorePlace, open_engine, place_of, refusals, store_option
from wfc.compiler.cli.tables import format_option, moment, show_rows
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.runtime import Engine

__all__ = ["command"]

LONGEST = 100
"""How much of a tick's data is shown in a table."""


@click.command("show", cls=Command)
@run_argument
@click.option("--at", type=click.IntRange(0), metavar="TICK", help="As the run was after this tick.")
@click.option("--ticks", is_flag=True, help="All that is recorded of it, tick by tick.")
@click.option(
    "--draw",
    type=click.Choice(["mermaid", "dot", "html"]),
    help="Draw the flow, with how often each step has run.",
)
@format_option
@store_option
def command(run: str, at: int | None, ticks: bool, draw: str | None, format: str, store: str | None) -> int:
    """Show a RUN: its steps with attempts and durations, its state, open questions, pending events, and its end.

    The steps are told by the code that the run was started with, which is kept beside the project. Where that is not
    there, it is said, and what is recorded is shown as it is. Of a run with more than 10,000 ticks the steps are told
    since its last snapshot, which is said, too; --at with its last tick tells them all, which takes a while.
    """
    if ticks + (draw is not None) + (at is not None) > 1 and not (
        draw is not None and at is not None and not ticks
    ):
        raise click.UsageError("`--ticks` shows all of the run: leave the other option out")
    place = place_of(store)
    engine = open_engine(place, is_new_allowed=False)
    try:
        with refusals():
            engine.show(run)
            if ticks or not is_code_there(engine, place, run, is_needed=at is not None or draw is not None):
                show_ticks(engine, run, format)
            elif draw is not None:
                show_drawing(engine, run, at, draw)
            else:
                show_all(engine, run, at, format)
    finally:
        engine.close()
    return 0


def is_code_there(engine: Engine, place: StorePlace, run: str, *, is_needed: bool) -> bool:
    """Load the code of a run; return whether it is there.

    Raises:
        click.ClickException: It is not, and nothing can be shown without.
    """
    try:
        return load_code(engine, place, run, None)
    except click.ClickException as error:
        if is_needed:
            raise
        click.echo(printable(f"its steps cannot be told: {error.message}"), err=True)
        return False


def show_ticks(engine: Engine, run: str, format: str) -> None:
    """Show what is recorded of a run as it is."""
    rows: list[list[object]] = [
        [tick.seq, moment(tick.at), tick.kind, data_of(tick.data, format)] for tick in engine.history(run)
    ]
    show_rows(["tick", "at", "kind", "data"], rows, format)


def show_drawing(engine: Engine, run: str, at: int | None, form: str) -> None:
    """Draw the flow of a run's workflow, with how often each step has run."""
    from wfc.runtime.drawing.stored import draw_stored

    row = engine.show(run)
    workflow: Any = engine.workflow(row.workflow, version=row.version)
    click.echo(
        draw_stored(workflow, engine.told(run, engine.last_tick(run) if at is None else at).lines(), form),
        nl=False,
    )


def show_all(engine: Engine, run: str, at: int | None, format: str) -> None:
    """Show a run as it is, or was after a tick."""
    told = told_of(engine, run, at)
    if format == "json":
        click.echo(one_line(told, sys.stdout.encoding))
        return
    steps: list[dict[str, Any]] = told.pop("steps")
    turns: list[dict[str, Any]] = told.pop("agents")
    searches: list[dict[str, Any]] = told.pop("searches")
    for name, value in told.items():
        if value not in (None, "", [], {}, 0):
            show_value(name, value)
    if steps:
        click.echo()
        names, rows = steps_of(steps)
        show_rows(names, rows, format)
    if turns:
        click.echo()
        names, rows = turns_as_rows(turns)
        show_rows(names, rows, format)
    outcome = told.get("outcome")
    cited = cited_by(outcome["with"]) if isinstance(outcome, dict) else set()
    for each in searches:
        click.echo()
        tell(each["step"], each["collections"], each["query"], each["considered"], cited)


def show_value(name: str, value: object) -> None:
    if isinstance(value, list):
        click.echo(printable(f"{name}:"))
        for one in value:
            click.echo(printable(f"  {one if isinstance(one, str) else one_line(one, sys.stdout.encoding)}"))
    elif isinstance(value, dict):
        click.echo(printable(f"{name}: {json.dumps(value, ensure_ascii=False)}"))
    else:
        click.echo(printable(f"{name}: {value}"))


def data_of(data: list[object], format: str) -> object:
    if format == "json":
        return data
    text = one_line(data, "utf-8")
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"
