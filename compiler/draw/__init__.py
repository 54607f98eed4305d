"""Workflow → picture of its flow: Mermaid, DOT, or a page with an SVG."""

from __future__ import annotations

from wfc.compiler.draw.dot import as_dot
from wfc.compiler.draw.graph import graph_of
from wfc.compiler.draw.mermaid import as_mermaid
from wfc.compiler.model import Workflow

__all__ = ["FORMATS", "draw"]

FORMATS = ("mermaid", "dot", "html")


def draw(workflow: Workflow, format: str) -> str:
    """The flow of a workflow as a text that ends with a line break.

    Args:
        workflow: Resolved; it may hold mistakes that are no matter of names.
        format: ``mermaid``, ``dot``, or ``html``: one self-contained page that loads nothing.

    Raises:
        ValueError: There is no such format.
    """
    graph = graph_of(workflow)
    match format:
        case "mermaid":
            return as_mermaid(graph)
        case "dot":
            return as_dot(graph)
        case "html":
            from wfc.compiler.draw.page import as_page

            return as_page(graph)
    raise ValueError(f"no such format: {format}")
