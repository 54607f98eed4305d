"""``wfc graph``."""

from __future__ import annotations

from typing import Any

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import show
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
    "--diff", "old", metavar="OLD", help="An earlier version, a file: draw both, with what differs marked."
)
def command(spec: str, form: str, old: str | None) -> int:
    """Draw the flow of a SPEC: its events and steps."""
    workflow = resolved(spec)
    earlier = None if old is None else resolved(old)
    if workflow is None or (old is not None and earlier is None):
        return 1
    from wfc.compiler.draw import flow_graph
    from wfc.runtime.drawing.graph import graph_from_data
    from wfc.runtime.drawing.rendering import render

    drawn = flow_graph(workflow) if earlier is None else both(earlier, workflow)
    click.echo(render(graph_from_data(drawn), form), nl=False)
    return 0


def resolved(path: str) -> Workflow | None:
    """Return the workflow of a spec; ``None`` if it has errors, which are shown."""
    source = load(path)
    checked = with_severities(check_text(source.raw, source.path, project_of([source])))
    show([checked], on_error_stream=True)
    return None if checked.failed else checked.workflow


def both(old: Workflow, new: Workflow) -> dict[str, Any]:
    """Return two versions of a flow in one."""
    from wfc.compiler.draw import flow_graph
    from wfc.compiler.draw.comparison import compared

    steps = {step.name for step in new.steps}
    renamed = {name: to for name, to in new.run.moved if name not in steps}
    return compared(flow_graph(old), flow_graph(new), renamed=renamed)
