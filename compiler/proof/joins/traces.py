"""Traces of courses through a graph that show how an outcome comes about."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.proof.graph import paths
from wfc.compiler.proof.graph.flow_graph import Way
from wfc.compiler.slotted import dataclass

__all__ = ["FIRED", "Course", "FlowToken", "courses_within", "hops_to", "tokens_of"]

FIRED = -1  # for a slot: not a token that arrives, but a join that fires


@dataclass(frozen=True, slots=True)
class FlowToken:
    """One token of an emission and what became of it; ``before`` are the emission's other tokens.

    ``trace`` is ``None`` where the token only arrives: in a slot, at the fork itself, or at a fired join.
    """

    before: FlowToken | None
    event: str
    node: int
    slot: int
    trace: Course | None


@dataclass(frozen=True, slots=True)
class Course:
    """One run of a step that shows how a vector comes about: the way it left, and its tokens."""

    node: int
    way: Way
    tokens: FlowToken | None


def tokens_of(trace: Course) -> Iterator[FlowToken]:
    """Yield the tokens of one run of a step, in order."""
    found = []
    link = trace.tokens
    while link is not None:
        found.append(link)
        link = link.before
    yield from reversed(found)


def courses_within(trace: Course) -> Iterator[tuple[Course, list[paths.Hop]]]:
    """Yield every step run in a trace, with the path to it; the path is valid only until the next item."""
    work: list[tuple[Course, tuple[object, ...]]] = [(trace, ())]
    while work:
        here, path = work.pop()
        yield here, _listed(path)
        for link in reversed(list(tokens_of(here))):
            if link.trace is not None:
                work.append((link.trace, (path, paths.Hop(here.node, here.way, link.event))))


def _listed(path: tuple[object, ...]) -> list[paths.Hop]:
    hops: list[paths.Hop] = []
    while path:
        rest, hop = path
        assert isinstance(rest, tuple)
        assert isinstance(hop, paths.Hop)
        hops.append(hop)
        path = rest
    return hops[::-1]


def hops_to(trace: Course, join: int, slot: int) -> Iterator[list[paths.Hop]]:
    """Yield the paths in a trace by which tokens arrive in a slot of a join."""
    for here, path in courses_within(trace):
        for link in tokens_of(here):
            if link.node == join and link.slot == slot and link.trace is None:
                yield [*path, paths.Hop(here.node, here.way, link.event)]
