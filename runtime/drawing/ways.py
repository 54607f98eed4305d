"""The lines of arrows, as path data of SVG: down from box to box, or back up beside the boxes."""

from __future__ import annotations

import itertools
from math import sqrt

from wfc.runtime.drawing.layout import SideEnd, SideWay, Spot

__all__ = ["slant", "way_back", "way_down"]

TURN = 10.0


def way_down(way: tuple[Spot, ...]) -> str:
    """Return the line from the lower edge of the first place to the upper edge of the last.

    It is curved only between layers: within a layer it is straight, so that it touches no other place there.
    """
    first, last = way[0], way[-1]
    start, end = (first.x, first.y + first.height / 2), (last.x, last.y - last.height / 2)
    return f"M{start[0]:.1f} {start[1]:.1f}" + through(
        [start, (first.x, first.bottom)], way, [(last.x, last.top), end]
    )


def way_back(
    way: tuple[Spot, ...], side_way: SideWay, outlines: tuple[tuple[str, float], tuple[str, float]]
) -> str:
    """Return the line from a side of the first box, up beside the boxes, to the same side of the last.

    Args:
        outlines: Shape and width of the first box, and of the last.
    """
    first, last, side = way[0], way[-1], side_way.side
    leaves, arrives = side_way.leaves, side_way.arrives
    x1, y1 = end_at(first, leaves, side, *outlines[0])
    x2, y2 = end_at(last, arrives, side, *outlines[1])
    up = (leaves.x, y1 - TURN)
    line = f"M{x1:.1f} {y1:.1f}H{leaves.x - side * TURN:.1f}Q{leaves.x:.1f} {y1:.1f} {up[0]:.1f} {up[1]:.1f}"
    below = (arrives.x, y2 + TURN)
    line += through([up, (leaves.x, first.top)], way, [(arrives.x, last.bottom), below])
    return f"{line}Q{arrives.x:.1f} {y2:.1f} {arrives.x - side * TURN:.1f} {y2:.1f}H{x2:.1f}"


def through(start: list[tuple[float, float]], way: tuple[Spot, ...], end: list[tuple[float, float]]) -> str:
    """Return the line from a point through all places between the ends of a way to another point."""
    upward = way[0].y > way[-1].y
    points = list(start)
    for place in way[1:-1]:
        edges = [(place.x, place.top), (place.x, place.bottom)]
        points += reversed(edges) if upward else edges
    points += end
    parts = []
    for (x1, y1), (x2, y2) in itertools.pairwise(points):
        middle = (y1 + y2) / 2
        if abs(x1 - x2) < 0.05:
            parts.append(f"V{y2:.1f}" if abs(y1 - y2) >= 0.05 else "")
        else:
            parts.append(f"C{x1:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {y2:.1f}")
    return "".join(parts)


def end_at(place: Spot, end: SideEnd, side: int, shape: str, width: float) -> tuple[float, float]:
    """Return the point on a box's outline where an arrow beside it begins or ends."""
    inside = slant(shape, side, end.height, place.height)
    return place.x + side * (width / 2 - inside), place.y + end.height * place.height / 2


def slant(shape: str, side: int, height: float, whole: float) -> float:
    """Return how far a shape's outline is inside its rectangle, at a height from -1 to 1."""
    match shape:
        case "hexagon" | "double hexagon":
            return 12 * abs(height)
        case "trapezium":
            return 8 * (1 - height)
        case "parallelogram":
            return 7 * (1 + side * height)
        case "signal":
            return 16 * abs(height) if side > 0 else 0.0
        case "start" | "outside" | "end" | "ellipse":
            return whole / 2 * (1 - sqrt(1 - height * height))
    return 0.0
