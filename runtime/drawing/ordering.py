"""Order and horizontal position of the places in a layer, such that arrows are straight and rarely cross."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum

__all__ = ["MANY", "Spot", "order", "settle", "spread"]

SWEEPS = 12
MANY = 5000  # places, above which fewer sweeps must do
GAP_ACROSS = 36.0
GAP_DOWN = 30.0
LEAN = 0.4  # of a rank: further to a box's side than all that leaves its lower edge


@dataclass(slots=True, eq=False)
class Spot:
    """A box, or a point that an arrow passes.

    Args:
        x: The x coordinate of its centre.
        y: The y coordinate of its centre.
        passing: Whether it is part of an arrow.
        top: The y coordinate of its layer's top; ``bottom`` likewise.
        lanes: The number of arrows beside the box, on either side; its width has room for them.
        lean_above: Which side of the box above it comes from: 1 the right one, -1 the left one, 0 neither.
        lean_below: The same of the box below it.
    """

    width: float
    height: float
    passing: bool = False
    layer: int = 0
    x: float = 0.0
    y: float = 0.0
    top: float = 0.0
    bottom: float = 0.0
    lanes: int = 0
    lean_above: int = 0
    lean_below: int = 0
    above: list[Spot] = field(default_factory=list)
    below: list[Spot] = field(default_factory=list)


def order(layers: list[list[Spot]]) -> None:
    """Order each layer by the positions of its neighbours, in sweeps down and up, and keep the best order."""
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
    return sum(ranks[id(each)] + LEAN * leaning(place, each, downward) for each in near) / len(near)


def leaning(place: Spot, other: Spot, is_above: bool) -> int:
    """Return the side of its neighbour on which a place belongs, according to the arrow between them."""
    if is_above:
        return place.lean_above - other.lean_below
    return place.lean_below - other.lean_above


def crossings(layers: Sequence[Sequence[Spot]]) -> int:
    """Return the number of crossings of arrows."""
    from bisect import bisect_right, insort

    total = 0
    for upper, lower in itertools.pairwise(layers):
        ranks = {id(place): rank for rank, place in enumerate(lower)}
        lines = sorted(
            (rank + LEAN * each.lean_above, ranks[id(each)] + LEAN * place.lean_below)
            for rank, place in enumerate(upper)
            for each in place.below
        )
        met: list[float] = []
        for _, together in itertools.groupby(lines, key=lambda line: line[0]):
            ends = [end for _, end in together]
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
                is_above = bool(place.above if downward else not place.below)
                near = place.above if is_above else place.below
                # `sum` of fractions differs between versions of Python; pictures are to be the same
                xs = [aligned(place, each, is_above) for each in near]
                wanted.append(fsum(xs) / len(xs) if xs else place.x)
            for place, x in zip(layer, nearest(layer, wanted), strict=True):
                place.x = x


def aligned(place: Spot, other: Spot, is_above: bool) -> float:
    """Return the position at which a place has a straight line to its neighbour."""
    lean = leaning(place, other, is_above)
    return other.x + lean * (place if other.passing else other).width / 2


def nearest(layer: Sequence[Spot], wanted: Sequence[float]) -> list[float]:
    """Return positions in this order that keep the gaps, at the least squared distance from those wanted."""
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
    """Stack the layers vertically, shift everything right of zero, and return width and height."""
    everything = [place for layer in layers for place in layer]
    left = min((place.x - place.width / 2 for place in everything), default=0.0)
    y = 0.0
    for layer in layers:
        height = max((place.height for place in layer), default=0.0)
        for place in layer:
            place.x -= left
            place.y = y + height / 2
            place.top, place.bottom = y, y + height
        y += height + GAP_DOWN
    return max((place.x + place.width / 2 for place in everything), default=0.0), max(y - GAP_DOWN, 0.0)
