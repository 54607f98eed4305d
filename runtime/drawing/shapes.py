"""The shapes of boxes and the styles of arrows, in every language that drawings are made in.

An unknown shape or style is drawn as the plain one. To add one, add a line here, and in ``page`` its
outline and colour if it has its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["CHANGES", "PLAIN", "SHAPES", "STYLES", "USUAL", "ArrowStyle", "ChangeMark", "Shape"]


@dataclass(frozen=True, slots=True)
class Shape:
    """A box's brackets in Mermaid, and its attributes in Graphviz' language."""

    mermaid: tuple[str, str]
    dot: str


@dataclass(frozen=True, slots=True)
class ArrowStyle:
    """An arrow in Mermaid, and its attributes in Graphviz' language."""

    mermaid: str
    dot: str


@dataclass(frozen=True, slots=True)
class ChangeMark:
    """How something is marked that two versions say differently: a sign before its name, a word for it, a colour."""

    sign: str
    word: str
    colour: str


CHANGES: Final = {
    "added": ChangeMark("+", "new", "#1a7f37"),
    "removed": ChangeMark("-", "gone", "#cf222e"),
    "changed": ChangeMark("~", "changed", "#b35900"),
}

PLAIN: Final = Shape(("[", "]"), "shape=box")
SHAPES: Final = {
    "box": PLAIN,
    "component": Shape(("[[", "]]"), "shape=component"),
    "framed": Shape(("[[", "]]"), "shape=box, peripheries=2"),
    "parallelogram": Shape(("[/", "/]"), "shape=parallelogram"),
    "trapezium": Shape(("[/", "\\]"), "shape=trapezium"),
    "hexagon": Shape(("{{", "}}"), "shape=hexagon"),
    "double hexagon": Shape(("{{", "}}"), "shape=hexagon, peripheries=2"),
    "stack": Shape(("[(", ")]"), "shape=box3d"),
    "cylinder": Shape(("[(", ")]"), "shape=cylinder"),
    "signal": Shape(("[\\", "\\]"), "shape=cds"),
    "dashed": Shape(("(", ")"), 'shape=box, style="rounded,dashed"'),
    "ellipse": Shape(("([", "])"), "shape=ellipse"),
    "start": Shape(("([", "])"), "shape=box, style=rounded"),
    "outside": Shape(("([", "])"), 'shape=box, style="rounded,dashed"'),
    "end": Shape(("(((", ")))"), "shape=box, style=rounded, peripheries=2"),
    "fail": Shape((">", "]"), "shape=octagon"),
}

USUAL: Final = ArrowStyle("-->", "")
STYLES: Final = {
    "usual": USUAL,
    "batch": ArrowStyle("==>", "style=bold, arrowhead=normalnormal"),
    "error": ArrowStyle("-.->", "style=dashed"),
    "limit": ArrowStyle("-.->", "style=dotted"),
    "time-out": ArrowStyle("-.->", "style=dotted"),
}
