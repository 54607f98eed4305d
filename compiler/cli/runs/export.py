"""``wfc runs export``."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, cast

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.json_text import one_line
from wfc.compiler.cli.offers import run_argument
from wfc.compiler.cli.resuming import load_code
from wfc.compiler.cli.run_text import task_as_data
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.cli.stores import StorePlace, open_engine, place_of, refusals, store_option
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.runtime import Engine
    from wfc.runtime.testing import SpecTest

__all__ = ["command", "show_test"]


@click.command("export", cls=Command)
@run_argument
@click.option(
    "--as-test", is_flag=True, help="As a test for the spec, which is played once to see that it passes."
)
@click.option("--name", metavar="TEXT", help="The name of the test.")
@store_option
def command(run: str, as_test: bool, name: str | None, store: str | None) -> int:
    """Print all that is kept of a RUN as one line of JSON: itself, its questions, and what happened, tick by tick.

    Moments are in nanoseconds since 1970. Values of secrets are in no store, and so in no export.

    With --as-test a run that is over becomes a test, to be put under `tests:` of its spec: what it began with, what its
    actions and people gave, what came from outside and when, and how it ended. Inputs and answers are in it as they
    were, and the config as it is where this is called, without what is secret.

    Exit status: 0 it is printed; 1 there is no such run, or the test made of it does not pass.
    """
    if name is not None and not as_test:
        raise click.UsageError("`--name` is the name of a test: it goes with `--as-test`")
    place = place_of(store)
    engine = open_engine(place, is_new_allowed=False)
    try:
        with refusals():
            if as_test:
                return show_test(engine, place, run, name or f"as the run {run}")
            data = exported(engine, run)
    finally:
        engine.close()
    click.echo(one_line(data, sys.stdout.encoding))
    return 0


def show_test(engine: Engine, place: StorePlace, run: str, name: str, *, scripts: bool = False) -> int:
    """Print a run as a test in YAML; return the exit status.

    Args:
        scripts: Whether agents have scripts in it.
    """
    from wfc.runtime.testing.recorded import test_as_data
    from wfc.runtime.testing.recorded_agents import scripts_as_data

    engine.show(run)
    with output_kept():
        load_code(engine, place, run, None)
    case, problems, notes = passing_test(engine, run, name, scripts=scripts)
    if problems:
        click.echo("a test made of this run does not pass, so it is not printed:", err=True)
        for problem in problems:
            click.echo(printable(f"  {problem}"), err=True)
        return 1
    for note in notes:
        click.echo(printable(f"left out, as no script can say it: {note}"), err=True)
    indent = "  - "
    data = test_as_data(case)
    expect = data.pop("expect")
    for key, value in {**data, **scripts_as_data(case), "expect": expect}.items():
        click.echo(f"{indent}{key}: {one_line(value, sys.stdout.encoding)}")
        indent = "    "
    return 0


def passing_test(
    engine: Engine, run: str, name: str, *, scripts: bool = False
) -> tuple[SpecTest, tuple[str, ...], list[str]]:
    """Return a test that does as a run did, what is wrong with it, and what it leaves out: answers come at once, or
    else as they came.
    """
    from wfc.runtime.driver.engine.kept_values import values_of
    from wfc.runtime.testing.cases import run_test
    from wfc.runtime.testing.recorded import recorded_test
    from wfc.runtime.testing.recorded_agents import with_scripts
    from wfc.runtime.testing.recorded_config import config_as_data

    row = engine.show(run)
    workflow = engine.workflow(row.workflow, version=row.version)
    others: Any = [type(one) for one in engine.workflows() if one is not workflow]
    config = config_as_data(type(workflow))
    notes: list[str] = []
    for timed in (False, True):
        case = recorded_test(
            name, engine.replay(run), engine.bodies_of(run), values_of(workflow), timed=timed, config=config
        )
        if scripts:
            case, notes = with_scripts(engine, run, case)
        with output_kept():
            problems = run_test(cast("Any", type(workflow)), case, others).problems
        if not problems:
            break
    return case, problems, notes


def exported(engine: Engine, run_id: str) -> dict[str, Any]:
    """Return all that is kept of a run, as plain data."""
    row = engine.show(run_id)._asdict()
    outcome = row.pop("outcome")
    row.pop("owner")
    return {
        **row,
        "outcome": None if outcome is None else json.loads(outcome),
        "tasks": [
            task_as_data(engine.task(task.task_id)) for task in engine.tasks(run_id=run_id, is_open=False)
        ],
        "ticks": [tick._asdict() for tick in engine.history(run_id)],
    }
