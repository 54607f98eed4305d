"""A graph in Graphviz' language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wfc.runtime.drawing.graph import Arrow, Box, Graph
from wfc.runtime.drawing.layout import turned
from wfc.runtime.drawing.shapes import CHANGES, PLAIN, SHAPES, STYLES, USUAL

__all__ = ["as_dot"]


def as_dot(graph: Graph) -> str:
    """Return a digraph; every text in it is quoted, so that it is only displayed, never interpreted."""
    names = {box.id: f"n{number}" for number, box in enumerate(graph.boxes)}
    back = _leading_back(graph)
    lines = [
        f"digraph {_quoted([graph.title])} {{",
        '    node [fontname="sans-serif"];',
        '    edge [fontname="sans-serif", fontsize=10];',
        *(f"    {_box_line(box, names)}" for box in graph.boxes),
        *(f"    {_arrow_line(arrow, names, arrow in back)}" for arrow in graph.arrows),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _box_line(box: Box, names: Mapping[str, str]) -> str:
    tooltip = f", tooltip={_quoted([box.description])}" if box.description else ""
    colour = "".join(f", {each}" for each in _colour(box.change))
    return (
        f"{names[box.id]} [label={_quoted(box.lines)}, {SHAPES.get(box.shape, PLAIN).dot}{tooltip}{colour}];"
    )


def _colour(change: str) -> list[str]:
    mark = CHANGES.get(change)
    return [f'color="{mark.colour}"', f'fontcolor="{mark.colour}"', "penwidth=3"] if mark is not None else []


def _leading_back(graph: Graph) -> set[Arrow]:
    """Return the arrows that lead back to a box above, without those from a box to itself."""
    numbers = {box.id: number for number, box in enumerate(graph.boxes)}
    pairs = [(numbers[arrow.source], numbers[arrow.target]) for arrow in graph.arrows]
    down = turned(len(numbers), pairs)
    return {arrow for arrow, pair, other in zip(graph.arrows, pairs, down, strict=True) if pair != other}


def _arrow_line(arrow: Arrow, names: Mapping[str, str], leads_back: bool) -> str:
    attributes = [f"label={_quoted(arrow.lines)}"]
    if style := STYLES.get(arrow.style, USUAL).dot:
        attributes.append(style)
    if leads_back:  # beside the boxes, where it can be seen
        attributes.append("tailport=e, headport=e")
    if arrow.when:
        attributes.append(f"labeltooltip={_quoted([f'when {arrow.when}'])}")
    attributes += _colour(arrow.change)
    return f"{names[arrow.source]} -> {names[arrow.target]} [{', '.join(attributes)}];"


def _quoted(lines: Iterable[str]) -> str:
    """Return lines as one quoted text, in which ``\\n`` breaks them."""
    return '"' + "\\n".join(map(_escaped, lines)) + '"'


def _escaped(line: str) -> str:
    shown = "".join(letter if letter.isprintable() else " " for letter in line)
    return shown.replace("\\", "\\\\").replace('"', '\\"')
