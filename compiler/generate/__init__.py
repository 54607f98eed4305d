"""Workflow → Python: a module that a good engineer would have written."""

from __future__ import annotations

from collections.abc import Callable

from wfc.compiler.diagnostics import Address
from wfc.compiler.nodes import Workflow

__all__ = ["OUTPUT_FORMAT", "generate"]

OUTPUT_FORMAT = 1
"""Raised whenever generated code needs a newer runtime than before."""


def generate(
    workflow: Workflow,
    *,
    source: str,
    sha256: str,
    lines: Callable[[Address], int],
    tools_folder: str = ".",
) -> str:
    """The text of a Python module that runs a workflow.

    The same workflow gives the same bytes, whatever the machine, the Python and the hash seed.

    Args:
        workflow: Resolved, and without errors.
        source: The spec's path as the module shows it, relative to the module, with ``/``.
        sha256: Of the spec's bytes, in hexadecimal.
        lines: The line, from 1, at which an address begins.
        tools_folder: The folder of the Python tools, relative to the module's own, with ``/``.
    """
    from wfc.compiler.generate.module import print_module

    return print_module(workflow, source=source, sha256=sha256, lines=lines, tools_folder=tools_folder)
