"""A graph as a text: Mermaid, Graphviz' language, or a page of HTML.

Imports only the drawing modules, so that ``wfc graph`` starts fast.
"""

from __future__ import annotations

from typing import Final

from wfc.runtime.drawing.dot import as_dot
from wfc.runtime.drawing.graph import Graph
from wfc.runtime.drawing.mermaid import as_mermaid

__all__ = ["FORMATS", "render"]

FORMATS: Final = ("mermaid", "dot", "html")


def render(graph: Graph, format: str) -> str:
    """Return the graph as a text that ends with a line break.

    Args:
        format: ``mermaid``, ``dot``, or ``html``: one self-contained page that loads nothing; or ``svg``: its
            picture alone, for a page that has its styles.

    Raises:
        ValueError: There is no such format.
    """
    match format:
        case "mermaid":
            return as_mermaid(graph)
        case "dot":
            return as_dot(graph)
        case "html":
            from wfc.runtime.drawing.page import as_page

            return as_page(graph)
        case "svg":
            from wfc.runtime.drawing.page import as_picture

            return as_picture(graph)
    raise ValueError(f"no such format: {format}")
