"""A flow in Graphviz' language."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wfc.compiler.draw.graph import Box, Edge, Graph, Style
from wfc.compiler.draw.shapes import NO_STEPS, shape_of

__all__ = ["as_dot"]

STYLES: Final[dict[Style, str]] = {
    "usual": "",
    "batch": ", style=bold, arrowhead=normalnormal",
    "error": ", style=dashed",
    "limit": ", style=dotted",
    "time-out": ", style=dotted",
}


def as_dot(graph: Graph) -> str:
    """A digraph; every text in it is quoted, so that it can only be shown."""
    lines = [
        f"digraph {quoted([graph.title])} {{",
        '    node [fontname="sans-serif"];',
        '    edge [fontname="sans-serif", fontsize=10];',
        *(f"    {box_line(box)}" for box in graph.boxes),
        *(f"    {edge_line(edge)}" for edge in graph.edges),
        "}",
    ]
    return "\n".join(lines) + "\n"


def box_line(box: Box) -> str:
    kind = [] if box.kind in NO_STEPS else [box.kind]
    tooltip = f", tooltip={quoted([box.description])}" if box.description else ""
    return f"{box.id} [label={quoted([box.title, *kind, *box.notes])}, {shape_of(box.kind).dot}{tooltip}];"


def edge_line(edge: Edge) -> str:
    tooltip = f", labeltooltip={quoted([f'when {edge.when}'])}" if edge.when else ""
    return f"{edge.source.id} -> {edge.target.id} [label={quoted(edge.label)}{STYLES[edge.style]}{tooltip}];"


def quoted(lines: Iterable[str]) -> str:
    """Lines as one quoted text; ``\\n`` breaks them."""
    return '"' + "\\n".join(map(escaped, lines)) + '"'


def escaped(line: str) -> str:
    shown = "".join(letter if letter.isprintable() else " " for letter in line)
    return shown.replace("\\", "\\\\").replace('"', '\\"')
