"""Where boxes stand: in layers from top to bottom, with few crossings and straight lines.

The usual way: turn the arrows that lead back, give each box a layer below all that lead to it, put a small box into
each layer that an arrow passes, order the layers by the mean place of the neighbours, and move each box as near to
its neighbours as the others let it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum

__all__ = ["Layout", "Spot", "arrange"]

SWEEPS = 12
MANY = 5000  # places, above which fewer sweeps must do
LONG_WAY = (
    40  # layers that an arrow may pass in the largest graphs and still be kept clear of the boxes there
)
GAP_ACROSS = 36.0
GAP_DOWN = 30.0


@dataclass(slots=True, eq=False)
class Spot:
    """A box, or a point that an arrow passes.

    Args:
        x: Of its middle.
        y: Of its middle.
        passing: Whether it is part of an arrow.
    """

    width: float
    height: float
    passing: bool = False
    layer: int = 0
    x: float = 0.0
    y: float = 0.0
    above: list[Spot] = field(default_factory=list)
    below: list[Spot] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Layout:
    """The whole picture.

    Args:
        boxes: In the order given.
        ways: For each arrow what it passes, from its source to its target, both included.
        labels: For each arrow the place of its label; ``None`` for one from a box to itself.
    """

    boxes: tuple[Spot, ...]
    ways: tuple[tuple[Spot, ...], ...]
    labels: tuple[Spot | None, ...]
    width: float
    height: float


def arrange(
    sizes: Sequence[tuple[float, float]],
    arrows: Sequence[tuple[int, int]],
    labels: Sequence[tuple[float, float]],
) -> Layout:
    """Find a place for everything.

    Args:
        sizes: Width and height of each box.
        arrows: From which box to which.
        labels: Width and height of each arrow's label.
    """
    boxes = [Spot(*size) for size in sizes]
    forward = turned(len(sizes), arrows)
    # labels have layers of their own, between those of boxes
    for box, layer in zip(boxes, layered(len(sizes), forward), strict=True):
        box.layer = 2 * layer
    passed_layers = sum(boxes[bottom].layer - boxes[top].layer for top, bottom in forward)
    longest = passed_layers if passed_layers <= 4 * MANY else LONG_WAY
    ways: list[tuple[Spot, ...]] = []
    tags: list[Spot | None] = []
    passed: list[Spot] = []
    for (source, target), (top, bottom), label in zip(arrows, forward, labels, strict=True):
        if source == target:
            ways.append((boxes[source], boxes[source]))
            tags.append(None)
            continue
        way, tag = chained(boxes[top], boxes[bottom], label, longest)
        passed += way[1:-1]
        ways.append(tuple(way if top == source else reversed(way)))
        tags.append(tag)
    layers: list[list[Spot]] = [[] for _ in range(max((box.layer for box in boxes), default=0) + 1)]
    for place in (*boxes, *passed):
        layers[place.layer].append(place)
    order(layers)
    spread(layers)
    width, height = settle(layers)
    return Layout(tuple(boxes), tuple(ways), tuple(tags), width, height)


def turned(count: int, arrows: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the arrows, those turned around that lead back to where a walk came from."""
    out: list[list[int]] = [[] for _ in range(count)]
    for index, (source, _) in enumerate(arrows):
        out[source].append(index)
    found = list(arrows)
    state = [0] * count  # 0: not met, 1: on the walk, 2: done
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
    """Return for each box how many boxes are above it on the longest way from the top."""
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

    One that passes more layers than ``longest`` passes its label alone, and moves no box.
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


def order(layers: list[list[Spot]]) -> None:
    """Order each layer by where its neighbours are, down and up again, and keep the best."""
    best, fewest = [list(layer) for layer in layers], crossings(layers)
    ranks = {id(place): rank for layer in layers for rank, place in enumerate(layer)}
    for sweep in range(sweeps(layers)):
        if not fewest:
            break
        downward = sweep % 2 == 0
        for layer in layers if downward else reversed(layers):
            layer.sort(key=lambda place: mean_rank(place, ranks, downward))
            ranks.update({id(place): rank for rank, place in enumerate(layer)})
        found = crossings(layers)
        if found < fewest:
            best, fewest = [list(layer) for layer in layers], found
    for layer, kept in zip(layers, best, strict=True):
        layer[:] = kept


def sweeps(layers: Sequence[Sequence[Spot]]) -> int:
    return SWEEPS if sum(map(len, layers)) < MANY else 4


def mean_rank(place: Spot, ranks: dict[int, int], downward: bool) -> float:
    near = place.above if downward else place.below
    if not near:
        return ranks[id(place)]
    return sum(ranks[id(each)] for each in near) / len(near)


def crossings(layers: Sequence[Sequence[Spot]]) -> int:
    """Count how often arrows cross."""
    from bisect import bisect_right, insort

    total = 0
    for upper, lower in itertools.pairwise(layers):
        ranks = {id(place): rank for rank, place in enumerate(lower)}
        met: list[int] = []
        for place in upper:
            ends = sorted(ranks[id(each)] for each in place.below)
            total += sum(len(met) - bisect_right(met, end) for end in ends)
            for end in ends:
                insort(met, end)
    return total


def spread(layers: Sequence[Sequence[Spot]]) -> None:
    """Move boxes as near to their neighbours as their order and the gaps between them allow."""
    for layer in layers:
        x = 0.0
        for place in layer:
            place.x = x + place.width / 2
            x += place.width + GAP_ACROSS
    for sweep in range(sweeps(layers)):
        downward = sweep % 2 == 0
        for layer in layers if downward else reversed(layers):
            wanted = []
            for place in layer:
                near = (place.above if downward else place.below) or place.above or place.below
                # `sum` of fractions differs between versions of Python; pictures are to be the same
                wanted.append(fsum(each.x for each in near) / len(near) if near else place.x)
            for place, x in zip(layer, nearest(layer, wanted), strict=True):
                place.x = x


def nearest(layer: Sequence[Spot], wanted: Sequence[float]) -> list[float]:
    """Return places in this order, each far enough from the next, with the least sum of squares from those wanted."""
    offsets = [0.0]
    for one, other in itertools.pairwise(layer):
        gap = GAP_ACROSS / 2 if one.passing and other.passing else GAP_ACROSS
        offsets.append(offsets[-1] + (one.width + other.width) / 2 + gap)
    pools: list[tuple[float, float, int]] = []  # mean, weight, how many
    for place, x, offset in zip(layer, wanted, offsets, strict=False):
        mean, weight, count = x - offset, 2.0 if place.passing else 1.0, 1
        while pools and pools[-1][0] >= mean:
            left, more, others = pools.pop()
            mean = (mean * weight + left * more) / (weight + more)
            weight, count = weight + more, count + others
        pools.append((mean, weight, count))
    means = [mean for mean, _, count in pools for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=False)]


def settle(layers: Sequence[Sequence[Spot]]) -> tuple[float, float]:
    """Put the layers below each other and everything to the right of zero; return width and height."""
    everything = [place for layer in layers for place in layer]
    left = min((place.x - place.width / 2 for place in everything), default=0.0)
    y = 0.0
    for layer in layers:
        height = max((place.height for place in layer), default=0.0)
        for place in layer:
            place.x -= left
            place.y = y + height / 2
        y += height + GAP_DOWN
    return max((place.x + place.width / 2 for place in everything), default=0.0), max(y - GAP_DOWN, 0.0)
