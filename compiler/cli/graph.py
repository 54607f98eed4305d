"""``wfc graph``."""

from __future__ import annotations

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import show
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
def command(spec: str, form: str) -> int:
    """Draw the flow of a SPEC: its events and steps."""
    source = load(spec)
    checked = with_severities(check_text(source.raw, source.path, project_of([source])))
    show([checked], on_error_stream=True)
    if checked.failed or checked.workflow is None:
        return 1
    from wfc.compiler.draw import flow_graph
    from wfc.runtime.drawing.graph import graph_from_data
    from wfc.runtime.drawing.rendering import render

    click.echo(render(graph_from_data(flow_graph(checked.workflow)), form), nl=False)
    return 0
