"""Joins that fire once for each value: the proof cannot know how often, so it considers every possibility."""

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
    """Return a join with `match_by` as one that leaves once in each frame, in any combination of its ways.

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
    """Return whether a join has too many ways for all their combinations to be considered."""
    return join.match_by is not None and len(distinct(unit.ways)) > MOST_WAYS


def distinct(ways: Sequence[Way]) -> list[Way]:
    """Return one way of each group of ways that emit the same."""
    return list({(way.singles, way.batches, way.ends): way for way in reversed(ways)}.values())[::-1]


def combined(ways: Sequence[Way], none: Way | None) -> Iterator[Way]:
    """Yield every combination in which each way is taken never, once or twice; ``none`` if none may be taken."""
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
