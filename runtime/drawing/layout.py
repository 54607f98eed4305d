"""Where boxes stand: each in the row below all that lead to it, in an order with few crossings."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

__all__ = ["arrange"]

_SWEEPS = 8


def arrange(
    sizes: Sequence[tuple[float, float]],
    arrows: Sequence[tuple[int, int]],
    *,
    across: float = 40.0,
    down: float = 60.0,
) -> list[tuple[float, float]]:
    """The middles of boxes: nothing overlaps, and what leads on is further down, but for the ways back.

    Args:
        sizes: Width and height of each box.
        arrows: From which box to which.
        across: The gap between two boxes of a row.
        down: The gap between two rows.
    """
    forward = _without_ways_back(len(sizes), arrows)
    rows = _rows(len(sizes), forward)
    near: list[list[int]] = [[] for _ in sizes]
    for source, target in forward:
        near[source].append(target)
        near[target].append(source)
    _order(rows, near)
    return _places(rows, sizes, near, across, down)


def _without_ways_back(count: int, arrows: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The arrows without those that close a circle on a walk from the first boxes on."""
    out: list[list[int]] = [[] for _ in range(count)]
    for source, target in arrows:
        out[source].append(target)
    kept: list[tuple[int, int]] = []
    on_walk: set[int] = set()
    done: set[int] = set()
    led_to = {target for _, target in arrows}
    for root in sorted(range(count), key=lambda box: box in led_to):
        if root in done:
            continue
        on_walk.add(root)
        walk = [(root, iter(out[root]))]
        while walk:
            box, rest = walk[-1]
            for target in rest:
                if target in on_walk:
                    continue
                kept.append((box, target))
                if target not in done:
                    on_walk.add(target)
                    walk.append((target, iter(out[target])))
                    break
            else:
                walk.pop()
                on_walk.discard(box)
                done.add(box)
    return kept


def _rows(count: int, arrows: Sequence[tuple[int, int]]) -> list[list[int]]:
    below: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for source, target in arrows:
        below[source].append(target)
        waiting[target] += 1
    row = [0] * count
    ready = [box for box in range(count) if not waiting[box]]
    for box in ready:
        for target in below[box]:
            row[target] = max(row[target], row[box] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    rows: list[list[int]] = [[] for _ in range(max(row, default=-1) + 1)]
    for box, at in enumerate(row):
        rows[at].append(box)
    return rows


def _order(rows: list[list[int]], near: Sequence[Sequence[int]]) -> None:
    """Orders each row by where the neighbours of its boxes are, down and up again."""
    place = {box: float(at) for row in rows for at, box in enumerate(row)}
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            row.sort(key=lambda box: _mean([place[one] for one in near[box]], place[box]))
            place.update({box: float(at) for at, box in enumerate(row)})


def _places(
    rows: Sequence[Sequence[int]],
    sizes: Sequence[tuple[float, float]],
    near: Sequence[Sequence[int]],
    across: float,
    down: float,
) -> list[tuple[float, float]]:
    x = [0.0] * len(sizes)
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = [_mean([x[one] for one in near[box]], x[box]) if sweep else 0.0 for box in row]
            edge = float("-inf")
            for box, middle in zip(row, wanted, strict=True):
                x[box] = max(middle, edge + across + sizes[box][0] / 2)
                edge = x[box] + sizes[box][0] / 2
            # pushed to the right by each other: back by as much as they were pushed on the whole
            shift = _mean([x[box] - middle for box, middle in zip(row, wanted, strict=True)], 0.0)
            for box in row:
                x[box] -= shift
    left = min((x[box] - sizes[box][0] / 2 for box in range(len(sizes))), default=0.0)
    found = [(0.0, 0.0)] * len(sizes)
    top = 0.0
    for row in rows:
        height = max(sizes[box][1] for box in row)
        for box in row:
            found[box] = x[box] - left, top + height / 2
        top += height + down
    return found


def _mean(values: Sequence[float], otherwise: float) -> float:
    return fsum(values) / len(values) if values else otherwise
