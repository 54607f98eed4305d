"""``wfc lsp``."""

from __future__ import annotations

import gc
import os
import sys
from importlib.util import find_spec

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.model import Workflow

__all__ = ["command"]

AGAIN = "import sys; from wfc.compiler.cli import main; sys.exit(main(sys.argv[1:]))"
"""Starts this program in another process."""


@click.command("lsp", cls=Command)
def command() -> None:
    """Serve an editor: findings, completion and more as a spec is written.

    The editor starts this and talks with it over standard input and output by the Language Server Protocol.
    """
    if find_spec("pygls") is None:
        raise click.ClickException('this needs pygls: `pip install "wfc-workflows[lsp]"`')
    from wfc.compiler.lsp.server import ending, server

    server.command_line = [sys.executable, "-c", AGAIN]
    server.draw = drawn
    gc.freeze()
    gc.disable()  # as in `wfc check`: the server collects when nobody types
    status = ending.serve()
    sys.stderr.flush()
    os._exit(status)  # whatever the thread that reads the input waits for: the interpreter would wait for it


def drawn(workflow: Workflow, form: str) -> str:
    """Return the flow of a workflow in one of the forms of ``wfc graph``."""
    from wfc.compiler.draw import flow_graph
    from wfc.runtime.drawing.graph import graph_from_data
    from wfc.runtime.drawing.rendering import render

    return render(graph_from_data(flow_graph(workflow)), form)
