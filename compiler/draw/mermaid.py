"""A flow as a Mermaid flowchart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wfc.compiler.draw.graph import Box, Edge, Graph, Style
from wfc.compiler.draw.shapes import NO_STEPS, shape_of

__all__ = ["as_mermaid"]

ARROWS: Final[dict[Style, str]] = {
    "usual": "-->",
    "batch": "==>",
    "error": "-.->",
    "limit": "-.->",
    "time-out": "-.->",
}
HARMLESS: Final = frozenset(" .,_-+=:!?'/()…·≤")


def as_mermaid(graph: Graph) -> str:
    """A flowchart; every text in it is escaped, so that it can only be shown."""
    lines = [f"%% {plain(graph.title)}", "flowchart TD"]
    lines += [f"    {box_line(box)}" for box in graph.boxes]
    lines += [f"    {edge_line(edge)}" for edge in graph.edges]
    lines += [
        "    classDef start,end stroke-width:2px",
        "    classDef fail,outside,wait stroke-dasharray:4 3",
    ]
    return "\n".join(lines) + "\n"


def box_line(box: Box) -> str:
    opening, closing = shape_of(box.kind).mermaid
    kind = f":::{box.kind}" if box.kind in NO_STEPS or box.kind == "wait" else ""
    note = [box.kind] if box.kind not in NO_STEPS else []
    return f'{box.id}{opening}"{text([box.title, *note, *box.notes])}"{closing}{kind}'


def edge_line(edge: Edge) -> str:
    label = f'|"{text(edge.label)}"|' if edge.label else ""
    return f"{edge.source.id} {ARROWS[edge.style]}{label} {edge.target.id}"


def text(lines: Iterable[str]) -> str:
    """Lines of a label. Mermaid reads ``#34;`` as the character of that number."""
    return "<br/>".join(plain(line) for line in lines)


def plain(line: str) -> str:
    return "".join(
        letter if letter.isalnum() or letter in HARMLESS else f"#{ord(letter)};"
        for letter in line.replace("\n", " ")
    )
