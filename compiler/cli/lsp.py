"""``wfc lsp``."""

from __future__ import annotations

import gc
import os
import sys
from importlib.util import find_spec

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.lsp.documents import Documents, OpenDocument

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


def drawn(documents: Documents, document: OpenDocument, form: str) -> tuple[str, dict[str, str]] | None:
    """Return the flow of a document in one of the forms of ``wfc graph``, and the paths of the workflows in it."""
    from wfc.compiler.cli.flows import flow_in, places_of
    from wfc.runtime.drawing.graph import graph_from_data
    from wfc.runtime.drawing.rendering import render

    found = documents.workflow(document)
    flow = None if found is None else flow_in(found[1], document.path, found[0])
    return None if flow is None else (render(graph_from_data(flow), form), places_of(flow))
