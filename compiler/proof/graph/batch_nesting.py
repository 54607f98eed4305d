"""Batches that do not nest, and work that leaves its batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from wfc.compiler.proof.graph.flow_graph import FlowGraph
from wfc.compiler.slotted import dataclass

__all__ = ["MisplacedBatch", "misplaced_batches"]

Stack = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MisplacedBatch:
    """A mistake in the nesting of batches.

    Args:
        kind: ``recursive`` (a batch opens inside itself), ``outside`` (an `each` join is reached where no batch
            is open), ``mixed`` (it is reached from two different batches), ``escapes`` (another join takes
            work out of a batch).
        node: The step where it shows.
        stack: The batches open on the course that shows it.
        other: Those open on another course, for comparison, or ``None``.
    """

    kind: Literal["recursive", "outside", "mixed", "escapes"]
    node: int
    stack: Stack
    other: Stack | None = None


def misplaced_batches(graph: FlowGraph) -> list[MisplacedBatch]:
    """Return the mistakes in the nesting of batches; of the consequences of one mistake, only the first."""
    if not graph.batching:
        return []
    if graph.batches.recursive:
        return [MisplacedBatch("recursive", node, (node,)) for node in sorted(graph.batches.recursive)]
    found: list[MisplacedBatch] = []
    tainted: set[int] = set()
    for node in sorted(range(len(graph.nodes)), key=lambda node: -graph.order[node]):
        if node in tainted or node not in graph.alive:
            continue
        problem = next(_problems(graph, node), None)
        if problem is not None:
            found.append(problem)
            _taint(graph, node, tainted)
    return sorted(found, key=lambda problem: problem.node)


def _taint(graph: FlowGraph, node: int, tainted: set[int]) -> None:
    work = [node]
    while work:
        for target in graph.after[work.pop()]:
            if target not in tainted:
                tainted.add(target)
                work.append(target)


def _problems(graph: FlowGraph, node: int) -> Iterator[MisplacedBatch]:
    unit = graph.nodes[node]
    stacks = sorted(graph.batches.stacks[node])
    if node in graph.batches.cut:
        yield MisplacedBatch("mixed", node, stacks[0], stacks[1])
    elif unit.form == "each":
        outside = [stack for stack in stacks if not stack]
        inside = [stack for stack in stacks if stack]
        if outside:
            yield MisplacedBatch("outside", node, (), inside[0] if inside else None)
        for stack in inside[1:]:
            if stack[-1] != inside[0][-1]:
                yield MisplacedBatch("mixed", node, inside[0], stack)
    elif unit.form != "one":
        yield from _escapes(graph, node, stacks)


def _escapes(graph: FlowGraph, join: int, stacks: list[Stack]) -> Iterator[MisplacedBatch]:
    """Yield a mistake if the events of a join belong neither all to its fork's completion nor all to one
    item.
    """
    fork = graph.forks[join]
    around = graph.batches.stacks[fork]
    if graph.nodes[fork].form == "each":
        around = frozenset(stack[:-1] for stack in around)
    same = [stack for stack in stacks if stack in around]
    items = [stack for stack in stacks if stack and stack[-1] == fork and stack[:-1] in around]
    if len(same) != len(stacks) and len(items) != len(stacks):
        wrong = max((stack for stack in stacks if stack not in same), key=len)
        yield MisplacedBatch("escapes", join, wrong or max(around, key=len), same[0] if same else None)
