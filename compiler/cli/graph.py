"""``wfc graph``."""

from __future__ import annotations

import os
from typing import Any

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import show
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.model import Workflow
from wfc.compiler.passes import check_text
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.severity import with_severities
from wfc.compiler.workspace.sources import load

__all__ = ["command"]


@click.command("graph", cls=Command)
@click.argument("spec")
@click.option(
    "--format",
    "form",
    type=click.Choice(("mermaid", "dot", "html")),
    default="mermaid",
    show_default=True,
    help="What to draw with; html is one self-contained page.",
)
@click.option(
    "--diff",
    "old",
    metavar="OLD",
    help="An earlier version, a file or a revision of git: draw both, with what differs marked.",
)
def command(spec: str, form: str, old: str | None) -> int:
    """Draw the flow of a SPEC: its events and steps."""
    drawn = flow_of(spec) if old is None else both(spec, old)
    if drawn is None:
        return 1
    from wfc.runtime.drawing.graph import graph_from_data
    from wfc.runtime.drawing.rendering import render

    click.echo(render(graph_from_data(drawn), form), nl=False)
    return 0


def flow_of(path: str) -> dict[str, Any] | None:
    """Return the flow of a spec; ``None`` if it has errors, which are shown."""
    from wfc.compiler.draw import flow_graph

    workflow = resolved(path)
    return None if workflow is None else flow_graph(workflow)


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
