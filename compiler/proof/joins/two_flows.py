"""Joins that belong to several courses of a run: from its start, and from exits of the run that lead on."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from wfc.compiler.model.flow import START, dominators
from wfc.compiler.proof.graph.components import components
from wfc.compiler.proof.graph.flow_graph import FlowGraph, Way
from wfc.compiler.proof.joins.completeness import prove_joins

__all__ = ["joins_in_two_flows"]


def joins_in_two_flows(graph: FlowGraph, unproven: Collection[int]) -> dict[int, tuple[tuple[Way, int], ...]]:
    """Return the joins that have not the same fork in each course, with the ways of the start and the forks there.

    A join has one fork when it runs. Where all courses agree on it, it is the fork in all of them together. Else
    that is further out: then the join may fire less often, its time begins earlier, and it may cancel more. An `all`
    join without a time-out that is proven all the same pairs the same events with either fork, and so does any join
    without one where each course has at most one frame of its own fork in one of the fork further out.

    Args:
        unproven: The joins that could not be proven.
    """
    forks: dict[int, list[tuple[Way, int]]] = {}
    courses = [_Course(graph.course(way)) for way in graph.nodes[START].ways]
    for way, course in zip(graph.nodes[START].ways, courses, strict=True):
        for join, fork in course.graph.forks.items():
            unit = graph.nodes[join]
            batch = unit.form == "each"  # which is collected where it was opened
            if not batch and (unit.form != "all" or unit.timed or join in unproven):
                forks.setdefault(join, []).append((way, fork))
    return {
        join: tuple(found)
        for join, found in forks.items()
        if len({fork for _way, fork in found}) > 1
        and (
            graph.nodes[join].timed
            or not all(course.has_same_frames(join, graph.forks[join]) for course in courses)
        )
    }


class _Course:
    """One course of a run by itself, and what its joins would make of a fork further out."""

    def __init__(self, graph: FlowGraph) -> None:
        self.graph = graph
        self.known: dict[tuple[int, int], bool] = {}
        self.loops: dict[int, frozenset[int]] = {}

    @cached_property
    def nearest(self) -> list[int | None]:
        """The nearest step before each one that every path to it passes."""
        return dominators(self.graph.flow)

    @cached_property
    def proven(self) -> bool:
        """Whether all of its joins are."""
        return not prove_joins(self.graph)

    def has_same_frames(self, join: int, outer: int) -> bool:
        """Return whether it makes no difference if a fork further out is taken for that of a join.

        It makes none if the join's own fork runs at most once in a frame of the other, with nothing under way then
        that leads to it: so no event comes of anything else, and there is nothing else to be cancelled.
        """
        fork = self.graph.forks.get(join, outer)
        if fork == outer:
            return True
        return self._runs_once(fork, outer) and not self.graph.in_item(join)

    def _runs_once(self, node: int, outer: int) -> bool:
        """Return whether that holds of a step, as of each before it that every path passes and that is in no loop."""
        passed = []
        while node != outer and (node, outer) not in self.known:
            passed.append(node)
            before = self._runs_once_after(node, outer)
            if before is None:
                self.known[node, outer] = False
            else:
                node = before
        once = self.known.get((node, outer), True)
        self.known.update(((each, outer), once) for each in passed)
        return once

    def _runs_once_after(self, node: int, outer: int) -> int | None:
        """Return a step before one, in no loop and on every path, after which that runs at most once, if there is one.

        There is no step before one on every path where a batch has one opener in this course and several in all of
        them together: this course then goes around the fork further out.
        """
        before = self.nearest[node]
        if before is None or self._gathers_all(before, node):
            return before
        while before is not None and before != outer and before in self._in_loops(outer):
            before = self.nearest[before]
        return before if before is not None and self._is_alone(before, node) else None

    def _in_loops(self, outer: int) -> frozenset[int]:
        """Return the steps that may run again before one further out does."""
        if outer not in self.loops:
            after = self.graph.after
            found = components(
                len(after), lambda each: [(None, to) for to in after[each] if outer not in (each, to)]
            )
            self.loops[outer] = frozenset(node for part in found for node in part)
        return self.loops[outer]

    def _is_alone(self, before: int, node: int) -> bool:
        """Return whether a step runs at most once after one before it, and nothing beside it may lead to it then."""
        nodes, between = self.graph.nodes, self._between(before, node)
        onwards = between | {node}
        if node in between or any(nodes[each].form != "one" for each in onwards):
            return False
        for way in (way for each in (before, *between) for way in nodes[each].ways):
            singly = sum(target in onwards for target in self.graph.targets(way.singles))
            if singly > 1 or not onwards.isdisjoint(self.graph.targets((*way.loose, *way.batches))):
                return False
        return True

    def _gathers_all(self, before: int, node: int) -> bool:
        """Return whether a step is a proven join of all that comes after its fork, of which nothing may come late."""
        return (
            self.graph.nodes[node].form == "all"
            and not self.graph.in_item(node)
            and all(
                self.graph.nodes[each].form in ("one", "all") and not self.graph.nodes[each].timed
                for each in (node, *self._between(before, node))
            )
            and self.proven
        )

    def _between(self, before: int, node: int) -> set[int]:
        """Return the nodes on the paths from one to another that it comes before on every path."""
        found: set[int] = set()
        work = [node]
        while work:
            new = set(self.graph.before[work.pop()]).difference(found, (before,))
            found |= new
            work += new
        return found
