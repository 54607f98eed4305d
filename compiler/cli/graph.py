"""``wfc graph``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import show
from wfc.compiler.cli.flows import flow_in
from wfc.compiler.cli.offers import run_ids
from wfc.compiler.cli.resuming import opened_run
from wfc.compiler.cli.stores import store_option
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.model import Workflow
from wfc.compiler.passes import check_text
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.severity import with_severities
from wfc.compiler.workspace.sources import load, quoted_path

if TYPE_CHECKING:
    from wfc.runtime import Engine
    from wfc.runtime.drawing.graph import Graph
    from wfc.runtime.store.timeline import StepLine

__all__ = ["command"]


@click.command("graph", cls=Command)
@click.argument("spec")
@click.option(
    "--format",
    "form",
    type=click.Choice(("mermaid", "dot", "html")),
    help="What to draw with; html is one self-contained page.  [default: mermaid, or what the name of the file says]",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Draw into a file (.mmd, .dot, .html), which `wfc verify` then holds against the spec.",
)
@click.option("--force", is_flag=True, help="Overwrite a file that was edited, or that wfc did not write.")
@click.option(
    "--diff",
    "old",
    metavar="OLD",
    help="An earlier version, a file or a revision of git: draw both, with what differs marked.",
)
@click.option(
    "--run",
    metavar="RUN",
    shell_complete=run_ids,
    help="A stored run of it: mark which steps have run, how often, and how that went.",
)
@store_option
def command(
    spec: str,
    form: str | None,
    output: str | None,
    force: bool,
    old: str | None,
    run: str | None,
    store: str | None,
) -> int:
    """Draw the flow of a SPEC: its events and steps.

    A page (--format html) has a search box, opens the workflows that steps run in their place, and leads from a step
    or an event to its line.
    """
    if run is not None and old is not None:
        raise click.UsageError("--run and --diff are two drawings: leave one out")
    if force and output is None:
        raise click.UsageError("`--force` goes with `--output`")
    if output is not None:
        if run is not None or old is not None:
            raise click.UsageError(
                "`--output` keeps what can be drawn anew from the spec alone: `> FILE` keeps this"
            )
        return draw_into(output, spec, form, force=force)
    drawn = both(spec, old) if old is not None else flow_of(spec)
    if drawn is None:
        return 1
    from wfc.runtime.drawing.graph import graph_from_data
    from wfc.runtime.drawing.rendering import render

    graph = graph_from_data(drawn)
    if run is not None:
        graph = with_run(graph, run, store)
    click.echo(render(graph, form or "mermaid"), nl=False)
    return 0


def draw_into(path: str, spec: str, form: str | None, *, force: bool) -> int:
    """Draw a spec into a file, and enter that in the manifest of its folder.

    Raises:
        click.UsageError: The name does not say how it is drawn, or the file is not one that may be overwritten.
    """
    from wfc.compiler.cli.building.outputs import Build
    from wfc.compiler.cli.building.pictures import FORMS, form_of, picture_of
    from wfc.compiler.cli.building.writing import write_all
    from wfc.compiler.workspace.cache import Cache

    named = form_of(path)
    if not named or (form is not None and form != named):
        ends = ", ".join(end for end, each in FORMS.items() if form in (None, each))
        raise click.UsageError(
            f"the name of {quoted_path(path)} says how it is drawn: let it end with {ends}"
        )
    source = load(spec)
    if resolved(spec) is None:
        return 1
    folder, name = os.path.split(os.path.normpath(path))
    picture = picture_of(Build([source], None, Cache.of_user()), source, folder or os.curdir, name, named)
    if picture is None:
        return 1
    write_all([picture], [source.path], force=force)
    click.echo(printable(f"{picture.origin} -> {picture.path}"))
    return 0


def with_run(graph: Graph, run: str, store: str | None) -> Graph:
    """Return a flow with what has become of its steps in a stored run, and in the workflows that the run has run.

    Raises:
        click.ClickException: There is no such run, it is of another workflow, or its code is not there.
    """
    from wfc.runtime.drawing.stored import marked

    with opened_run(store, run) as (engine, _):
        row = engine.show(run)
        if row.workflow != graph.title:
            raise click.ClickException(
                printable(f"the run {run} is of `{row.workflow}`, not of `{graph.title}`")
            )
        inside: dict[str, list[StepLine]] = {}
        waiting = list(engine.parts_of(run))
        for part in waiting:
            waiting += engine.parts_of(part)
            inside.setdefault(engine.show(part).workflow, []).extend(lines_of(engine, part))
        return marked(graph, lines_of(engine, run), inside)


def lines_of(engine: Engine, run: str) -> list[StepLine]:
    return engine.told(run, engine.last_tick(run)).lines()


def flow_of(path: str) -> dict[str, Any] | None:
    """Return the flow of a spec, with what it may run; ``None`` if it has errors, which are shown."""
    source = load(path)
    project = project_of([source])
    checked = with_severities(check_text(source.raw, source.path, project))
    show([checked], on_error_stream=True)
    return (
        None
        if checked.failed or checked.workflow is None
        else flow_in(project, source.path, checked.workflow)
    )


def resolved(path: str) -> Workflow | None:
    """Return the workflow of a spec; ``None`` if it has errors, which are shown."""
    source = load(path)
    checked = with_severities(check_text(source.raw, source.path, project_of([source])))
    show([checked], on_error_stream=True)
    return None if checked.failed else checked.workflow


def both(path: str, old: str) -> dict[str, Any] | None:
    """Return two versions of a flow in one; ``None`` if one of them has errors, which are shown.

    Args:
        old: The earlier one: a file or a revision.
    """
    from wfc.compiler.cli.reviewing.pictures import BrokenVersionError, drawn_since

    if resolved(path) is None or (os.path.isfile(old) and resolved(old) is None):
        return None
    try:
        return drawn_since(path, old)
    except BrokenVersionError as error:
        raise click.ClickException(printable(str(error))) from None
