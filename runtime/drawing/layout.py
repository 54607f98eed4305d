"""Layered layout of boxes from top to bottom, with few crossings and straight lines.

The usual method: reverse the arrows that lead back, give each box a layer below all that lead to it, put a
small box into each layer that an arrow passes, order the layers by the mean position of the neighbours, and
move each box as near to its neighbours as the others let it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from wfc.runtime.drawing.ordering import MANY, Spot, order, settle, spread

__all__ = ["Layout", "SideWay", "Spot", "arrange", "turned"]

LONG_WAY = (
    40  # layers that an arrow may pass in the largest graphs and still be kept clear of the boxes there
)
LANE = 18.0  # between a box and the first arrow beside it, and between two of these


@dataclass(frozen=True, slots=True)
class SideEnd:
    """The point beside a box where an arrow begins or ends.

    Args:
        x: The x coordinate of the vertical line beside the box.
        height: The height of the end at the box's side: from -1, its top, to 1, its bottom.
    """

    x: float
    height: float


@dataclass(frozen=True, slots=True)
class SideWay:
    """How an arrow that leads back up leaves and arrives: beside the boxes, on the right (1) or the left (-1)."""

    side: int
    leaves: SideEnd
    arrives: SideEnd


@dataclass(frozen=True, slots=True)
class Layout:
    """The whole picture.

    Args:
        boxes: In the order given.
        ways: For each arrow what it passes, from its source to its target, both included.
        side_ways: For each arrow how it leads back, or ``None`` if it leads down.
        labels: For each arrow the place of its label; ``None`` for one from a box to itself.
    """

    boxes: tuple[Spot, ...]
    ways: tuple[tuple[Spot, ...], ...]
    side_ways: tuple[SideWay | None, ...]
    labels: tuple[Spot | None, ...]
    width: float
    height: float


def arrange(
    sizes: Sequence[tuple[float, float]],
    arrows: Sequence[tuple[int, int]],
    labels: Sequence[tuple[float, float]],
) -> Layout:
    """Lay out boxes, arrows and labels.

    Args:
        sizes: Width and height of each box.
        arrows: Source and target box of each arrow.
        labels: Width and height of each arrow's label.
    """
    boxes = [Spot(*size) for size in sizes]
    forward = turned(len(sizes), arrows)
    # labels have layers of their own, between those of boxes
    for box, layer in zip(boxes, layered(len(sizes), forward), strict=True):
        box.layer = 2 * layer
    sides = sides_of(arrows, forward)
    reserve_lanes(boxes, arrows, sides)
    passed_layers = sum(boxes[bottom].layer - boxes[top].layer for top, bottom in forward)
    longest = passed_layers if passed_layers <= 4 * MANY else LONG_WAY
    ways: list[tuple[Spot, ...]] = []
    tags: list[Spot | None] = []
    passed: list[Spot] = []
    for (source, target), (top, bottom), label, side in zip(arrows, forward, labels, sides, strict=True):
        if source == target:
            ways.append((boxes[source], boxes[source]))
            tags.append(None)
            continue
        way, tag = chained(boxes[top], boxes[bottom], label, longest)
        passed += way[1:-1]
        way[1].lean_above = way[-2].lean_below = side
        ways.append(tuple(way if top == source else reversed(way)))
        tags.append(tag)
    layers: list[list[Spot]] = [[] for _ in range(max((box.layer for box in boxes), default=0) + 1)]
    for place in (*boxes, *passed):
        layers[place.layer].append(place)
    order(layers)
    spread(layers)
    width, height = settle(layers)
    return Layout(tuple(boxes), tuple(ways), side_ways(ways, sides), tuple(tags), width, height)


def sides_of(arrows: Sequence[tuple[int, int]], forward: Sequence[tuple[int, int]]) -> list[int]:
    """Return the side of the boxes for each arrow that leads back; 0 for one that leads down.

    It is the right side, or the left one if an arrow from a box to itself is on the right.
    """
    loops = {source for source, target in arrows if source == target}
    return [
        0 if arrow == down else -1 if loops.intersection(arrow) else 1
        for arrow, down in zip(arrows, forward, strict=True)
    ]


def reserve_lanes(boxes: Sequence[Spot], arrows: Sequence[tuple[int, int]], sides: Sequence[int]) -> None:
    """Widen boxes by the space for the arrows beside them, equally on both sides."""
    counts: dict[tuple[int, int, bool], int] = {}
    for (source, target), side in zip(arrows, sides, strict=True):
        for number, leaves in ((source, True), (target, False)) if side else ():
            counts[number, side, leaves] = counts.get((number, side, leaves), 0) + 1
    for (number, _, _), count in counts.items():
        box = boxes[number]
        box.width += 2 * LANE * max(count - box.lanes, 0)
        box.lanes = max(count, box.lanes)


def side_ways(ways: Sequence[tuple[Spot, ...]], sides: Sequence[int]) -> tuple[SideWay | None, ...]:
    """Return the way back of each arrow, such that arrows beside the same box do not cross there."""
    together: dict[tuple[int, int, bool], list[tuple[float, int]]] = {}
    for index, (way, side) in enumerate(zip(ways, sides, strict=True)):
        for box, first, leaves in ((way[0], way[1], True), (way[-1], way[-2], False)) if side else ():
            together.setdefault((id(box), side, leaves), []).append((side * first.x, index))
    found: dict[tuple[int, bool], SideEnd] = {}
    for (_, side, leaves), ends in together.items():
        for lane, (_, index) in enumerate(sorted(ends)):
            box = ways[index][0 if leaves else -1]
            height = (len(ends) - lane) / (len(ends) + 1)
            x = box.x + side * (box.width / 2 - (box.lanes - lane - 1) * LANE)
            found[index, leaves] = SideEnd(x, -height if leaves else height)
    return tuple(
        SideWay(side, found[index, True], found[index, False]) if side else None
        for index, side in enumerate(sides)
    )


def turned(count: int, arrows: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the arrows, with those reversed that close a cycle in a depth-first search."""
    out: list[list[int]] = [[] for _ in range(count)]
    for index, (source, _) in enumerate(arrows):
        out[source].append(index)
    found = list(arrows)
    state = [0] * count  # 0: not visited, 1: on the current path, 2: done
    for root in range(count):
        if state[root]:
            continue
        state[root] = 1
        walk = [(root, iter(out[root]))]
        while walk:
            box, rest = walk[-1]
            for index in rest:
                target = arrows[index][1]
                if state[target] == 1:
                    found[index] = (target, box)
                elif state[target] == 0:
                    state[target] = 1
                    walk.append((target, iter(out[target])))
                    break
            else:
                state[box] = 2
                walk.pop()
    return found


def layered(count: int, arrows: Sequence[tuple[int, int]]) -> list[int]:
    """Return for each box the number of boxes above it on the longest path from the top."""
    below: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for top, bottom in arrows:
        if top != bottom:
            below[top].append(bottom)
            waiting[bottom] += 1
    layers = [0] * count
    ready = [box for box in range(count) if not waiting[box]]
    for box in ready:
        for each in below[box]:
            layers[each] = max(layers[each], layers[box] + 1)
            waiting[each] -= 1
            if not waiting[each]:
                ready.append(each)
    return layers


def chained(top: Spot, bottom: Spot, label: tuple[float, float], longest: int) -> tuple[list[Spot], Spot]:
    """Return the places that an arrow passes on its way down, its label in the middle.

    An arrow across more layers than ``longest`` passes only its label, and moves no box.
    """
    way = [top]
    middle = (top.layer + bottom.layer) // 2 | 1  # labels are in odd layers
    if bottom.layer - top.layer > longest:
        tag = Spot(*label, passing=True, layer=middle)
        return [top, tag, bottom], tag
    for layer in range(top.layer + 1, bottom.layer):
        size = label if layer == middle else (8.0, 0.0)
        way.append(Spot(*size, passing=True, layer=layer))
    way.append(bottom)
    for one, other in itertools.pairwise(way):
        one.below.append(other)
        other.above.append(one)
    return way, next(place for place in way if place.layer == middle)
