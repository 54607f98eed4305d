"""A graph as a Mermaid flowchart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from wfc.runtime.drawing.graph import Arrow, Box, Graph
from wfc.runtime.drawing.shapes import CHANGES, PLAIN, SHAPES, STYLES, USUAL

__all__ = ["as_mermaid"]

_HARMLESS: Final = frozenset(" .,_-+=:!?'/()…·≤")
_CLASSES: Final = {"start": "start", "end": "last", "fail": "fail", "outside": "outside", "dashed": "dashed"}
"""Shapes with a style of their own → the name of its class; `end` is a word of Mermaid's, and a mistake there."""


def as_mermaid(graph: Graph) -> str:
    """Return a flowchart; every text in it is escaped, so that it is only displayed, never interpreted."""
    names = {box.id: f"n{number}" for number, box in enumerate(graph.boxes)}
    lines = [f"%% {_plain(graph.title)}", "flowchart TD"]
    lines += [f"    {_box_line(box, names)}" for box in graph.boxes]
    lines += [f"    {_arrow_line(arrow, names)}" for arrow in graph.arrows]
    lines += [
        "    classDef start,last stroke-width:2px",
        "    classDef fail,outside,dashed stroke-dasharray:4 3",
    ]
    lines += [f"    {line}" for line in _change_lines(graph, names)]
    return "\n".join(lines) + "\n"


def _change_lines(graph: Graph, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines that colour what two versions say differently."""
    for change, mark in CHANGES.items():
        boxes = [names[box.id] for box in graph.boxes if box.change == change]
        if boxes:
            yield f"classDef {change} stroke:{mark.colour},stroke-width:3px"
            yield f"class {','.join(boxes)} {change}"
        arrows = [str(number) for number, arrow in enumerate(graph.arrows) if arrow.change == change]
        if arrows:
            yield f"linkStyle {','.join(arrows)} stroke:{mark.colour},stroke-width:3px"


def _box_line(box: Box, names: Mapping[str, str]) -> str:
    opening, closing = SHAPES.get(box.shape, PLAIN).mermaid
    style = f":::{_CLASSES[box.shape]}" if box.shape in _CLASSES else ""
    return f'{names[box.id]}{opening}"{_text(box.lines)}"{closing}{style}'


def _arrow_line(arrow: Arrow, names: Mapping[str, str]) -> str:
    label = f'|"{_text(arrow.lines)}"|' if arrow.lines else ""
    return f"{names[arrow.source]} {STYLES.get(arrow.style, USUAL).mermaid}{label} {names[arrow.target]}"


def _text(lines: Iterable[str]) -> str:
    return "<br/>".join(_plain(line) for line in lines)


def _plain(line: str) -> str:
    """Return a line of a label. Mermaid reads ``#34;`` as the character of that number."""
    return "".join(
        letter if letter.isalnum() or letter in _HARMLESS else f"#{ord(letter)};"
        for letter in line.replace("\n", " ")
    )
