"""Joins that belong to several courses of a run: from its start, and from exits of the run that lead on."""

from __future__ import annotations

from collections.abc import Collection

from wfc.compiler.model.flow import START
from wfc.compiler.proof.graph.flow_graph import FlowGraph, Way

__all__ = ["joins_in_two_flows"]


def joins_in_two_flows(graph: FlowGraph, unproven: Collection[int]) -> dict[int, tuple[tuple[Way, int], ...]]:
    """Return the joins that have not the same fork in each course, with the ways of the start and the forks there.

    A join has one fork when it runs. Where all courses agree on it, it is the fork in all of them together. Else
    that is further out: then the join fires less often, its time begins earlier, and it cancels more. An `all`
    join without a time-out that is proven all the same pairs the same events with either fork.

    Args:
        unproven: The joins that could not be proven.
    """
    forks: dict[int, list[tuple[Way, int]]] = {}
    for way in graph.nodes[START].ways:
        for join, fork in graph.course(way).forks.items():
            unit = graph.nodes[join]
            batch = unit.form == "each"  # which is collected where it was opened
            if not batch and (unit.form != "all" or unit.timed or join in unproven):
                forks.setdefault(join, []).append((way, fork))
    return {join: tuple(found) for join, found in forks.items() if len({fork for _way, fork in found}) > 1}
