"""Joins that fire once for each value: how often, the proof cannot know, so that it counts with everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from wfc.compiler.diagnostics import Address
from wfc.compiler.model import Join
from wfc.compiler.proof.graph.flow_graph import StepNode, Way
from wfc.compiler.slotted import replace

__all__ = ["MOST_WAYS", "distinct", "expand_match_by", "too_many_ways"]

MOST_WAYS: Final = 5  # 3**5 combinations; a step that leaves in more ways is for people to split


def expand_match_by(unit: StepNode, address: Address = ()) -> StepNode:
    """A join with `match_by`, as one that leaves once in each frame, in any combination of its ways.

    Whatever the values are, it fires not at all, once, or several times, each time by any of its ways. Two are as good
    as many. With a time-out it fires once at least; so it does on the first event if it wants no more than one.

    Args:
        address: Where it says by which values.
    """
    sure = unit.timed or unit.form == "any"
    ways = distinct(unit.ways)[:MOST_WAYS]
    return replace(
        unit,
        form="any",
        ways=tuple(combined(ways, None if sure else Way("match_by", address=address))),
    )


def too_many_ways(unit: StepNode, join: Join) -> bool:
    """Whether a join leaves in so many ways that not all combinations are looked at."""
    return join.match_by is not None and len(distinct(unit.ways)) > MOST_WAYS


def distinct(ways: Sequence[Way]) -> list[Way]:
    """One way for all that leave the same behind."""
    return list({(way.singles, way.batches, way.ends): way for way in reversed(ways)}.values())[::-1]


def combined(ways: Sequence[Way], none: Way | None) -> Iterator[Way]:
    """Each way never, once or twice, in every combination; ``none`` for none of them, if that can be."""
    for times in product((0, 1, 2), repeat=len(ways)):
        taken = [way for way, often in zip(ways, times, strict=True) for _ in range(often)]
        if len(taken) == 1:
            yield taken[0]
        elif taken:
            yield Way(
                taken[0].occasion,
                tuple(event for way in taken for event in way.singles),
                tuple(event for way in taken for event in way.batches),
                any(way.ends for way in taken),
                taken[0].address,
            )
        elif none is not None:
            yield none
