"""``wfc runs upgrade``."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.offers import run_ids, workflows
from wfc.compiler.cli.resuming import load_newer, load_own
from wfc.compiler.cli.runs.moving import tell
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.cli.stores import StorePlace, open_engine, place_of, refusals, store_option
from wfc.compiler.cli.tables import format_option
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.runtime import Engine

__all__ = ["command"]


@click.command("upgrade", cls=Command)
@click.argument("runs", metavar="[RUN]...", nargs=-1, shell_complete=run_ids)
@click.option(
    "--workflow",
    metavar="NAME",
    shell_complete=workflows,
    help="All runs of this workflow that are not over.",
)
@click.option(
    "--with",
    "program",
    metavar="SPEC",
    help="The new version: a spec or a module; by default the spec of the run as it is now.",
)
@click.option("--dry-run", is_flag=True, help="Only tell what it means for each run.")
@format_option
@store_option
def command(
    runs: tuple[str, ...],
    workflow: str | None,
    program: str | None,
    dry_run: bool,
    format: str,
    store: str | None,
) -> int:
    """Move runs that rest to a changed version of their workflow, each with its parts.

    Of each run it is told what the change means where the run stands: it goes on as if nothing had happened,
    something in it is converted, or it cannot go on, and why. A run that cannot stays as it is, with its own version.
    Old names that the spec lists under `moved` and `removed` are understood.

    Exit status: 0 all have moved, or would; 1 one cannot, a process works on it, or the spec has errors.
    """
    if bool(runs) == (workflow is not None):
        raise click.UsageError("name runs, or choose all of a workflow by `--workflow`")
    place = place_of(store, os.path.dirname(program) if program else ".")
    engine = open_engine(place, is_new_allowed=False)
    try:
        with refusals(), output_kept():
            chosen = list(dict.fromkeys(runs)) or engine.runs_of_workflow(str(workflow))
        if not chosen:
            click.echo(printable(f"no run of `{workflow}` is under way"), err=True)
            return 0
        return upgrade_all(engine, place, chosen, program, format, dry_run=dry_run)
    finally:
        engine.close()


def upgrade_all(
    engine: Engine, place: StorePlace, runs: list[str], program: str | None, format: str, *, dry_run: bool
) -> int:
    """Move runs one after the other; return the exit status.

    Raises:
        click.ClickException: A run is not there, or no new version can be found for it.
    """
    versions: dict[str, str | None] = {}
    status = 0
    for run_id in runs:
        with refusals(), output_kept():
            engine.show(run_id)
            load_own(engine, place, run_id)
            path = program or spec_of(engine, run_id)
            if path not in versions:
                versions[path] = load_newer(engine, place, path)
        version = versions[path]
        if version is None:
            return 1
        status = max(status, upgrade(engine, run_id, version, format, dry_run=dry_run))
    return status


def upgrade(engine: Engine, run_id: str, version: str, format: str, *, dry_run: bool) -> int:
    """Move a run to a version if it can go on there, and tell what that means; return the exit status."""
    from wfc.runtime.errors import WorkflowError

    try:
        told = asyncio.run(engine.upgrade(run_id, version=version, dry_run=True))
        is_done = not dry_run and not told.refusals
        if is_done:
            told = asyncio.run(engine.upgrade(run_id, version=version))
    except WorkflowError as error:  # such as of a run that somebody works on
        click.echo(printable(f"{run_id}: left as it is: {error}"), err=True)
        return 1
    tell(told, format, is_done=is_done)
    return 1 if told.refusals else 0


def spec_of(engine: Engine, run_id: str) -> str:
    """Return the path of the spec or module from which the code of a run was made.

    Raises:
        click.ClickException: It is not there any more, or nobody knows it.
    """
    from wfc.runtime.authoring.definition import definition_of
    from wfc.runtime.errors import RunUnknownError

    row = engine.show(run_id)
    try:
        kind = type(engine.workflow(row.workflow, version=row.version))
    except RunUnknownError:
        kind = None
    path = "" if kind is None else path_of(definition_of(kind).source, kind.__module__)
    if not path or not os.path.exists(path):
        told = f"the spec of the run {run_id} is not where it was: name the new version by `--with SPEC`"
        raise click.ClickException(printable(told))
    return os.path.relpath(path)


def path_of(source: str | None, module: str) -> str:
    """Return the path of a spec, by what its module says of itself; of a module without a spec its own."""
    import sys

    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return os.path.join(os.path.dirname(file), source) if source is not None and file else file
