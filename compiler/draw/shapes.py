"""What boxes look like in each drawing. A kind of step names its shape in `model/kinds.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from wfc.compiler.model.kinds import STEP_KINDS
from wfc.compiler.slotted import dataclass

__all__ = ["NO_STEPS", "SHAPES", "Outline", "Shape", "shape_of"]

Outline = Literal[
    "box", "pill", "ring", "rounded", "bars", "framed", "hexagon", "trapezium", "arrow", "parallelogram"
]


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape in each drawing.

    Args:
        mermaid: What opens and closes a box.
        dot: Attributes of a node.
        outline: What the page draws.
    """

    mermaid: tuple[str, str]
    dot: str
    outline: Outline


NO_STEPS: Final = frozenset({"start", "outside", "end", "fail"})
"""Boxes that are no steps; each has a shape of its name."""

SHAPES: Final[Mapping[str, Shape]] = {
    "start": Shape(("([", "])"), "shape=box, style=rounded", "pill"),
    "outside": Shape(("([", "])"), 'shape=box, style="rounded,dashed"', "pill"),
    "end": Shape(("(((", ")))"), "shape=box, style=rounded, peripheries=2", "ring"),
    "fail": Shape((">", "]"), "shape=octagon", "box"),
    "box": Shape(("[", "]"), "shape=box", "box"),
    "component": Shape(("[[", "]]"), "shape=component", "bars"),
    "framed": Shape(("[[", "]]"), "shape=box, peripheries=2", "framed"),
    "parallelogram": Shape(("[/", "/]"), "shape=parallelogram", "parallelogram"),
    "hexagon": Shape(("{{", "}}"), "shape=hexagon", "hexagon"),
    "double hexagon": Shape(("{{", "}}"), "shape=hexagon, peripheries=2", "hexagon"),
    "stack": Shape(("[(", ")]"), "shape=box3d", "box"),
    "cylinder": Shape(("[(", ")]"), "shape=cylinder", "box"),
    "trapezium": Shape(("[/", "\\]"), "shape=trapezium", "trapezium"),
    "dashed": Shape(("(", ")"), 'shape=box, style="rounded,dashed"', "rounded"),
    "arrow": Shape(("[\\", "\\]"), "shape=cds", "arrow"),
}


def shape_of(kind: str) -> Shape:
    """Return the shape of a kind of box."""
    return SHAPES[kind if kind in NO_STEPS else STEP_KINDS[kind].shape]
