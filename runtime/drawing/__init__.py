"""Drawings of specs, workflow classes and runs: a page of HTML that loads nothing, Mermaid, and Graphviz' language.

`graph` says what is drawn, as data; `shapes`, `layout`, `mermaid`, `dot` and `page` draw it; `workflows` and
`executions` make graphs of classes and of runs. ``wfc graph`` hands in those of specs, and loads no more of the
runtime than what draws: names are loaded when they are asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wfc.runtime.drawing.executions import draw_run, execution_of, record_executions
    from wfc.runtime.drawing.workflows import draw_workflow

__all__ = ["draw_run", "draw_workflow", "execution_of", "record_executions"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "workflows" if name == "draw_workflow" else "executions"
    return getattr(importlib.import_module(f"{__name__}.{module}"), name)
