"""Drawings of specs, workflow classes and runs: a self-contained HTML page, Mermaid, and Graphviz' language.

`graph` has what is drawn, as data; `shapes`, `layout`, `mermaid`, `dot` and `page` draw it; `workflows` and
`executions` make graphs of classes and of runs. ``wfc graph`` passes those of specs, and imports only the
drawing modules of the runtime: names are imported when they are first used.
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
