"""Rule 7: batches nest, and their work is only collected, dropped, or ends the run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from wfc.compiler.proof.net import Net
from wfc.compiler.slotted import dataclass

__all__ = ["Misplaced", "misplaced"]

Stack = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Misplaced:
    """Batches that do not nest.

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


def misplaced(net: Net) -> list[Misplaced]:
    """What is wrong with the batches; of what follows from one mistake, only its head."""
    if not net.batching:
        return []
    if net.batches.recursive:
        return [Misplaced("recursive", node, (node,)) for node in sorted(net.batches.recursive)]
    found: list[Misplaced] = []
    tainted: set[int] = set()
    for node in sorted(range(len(net.units)), key=lambda node: -net.order[node]):
        if node in tainted or node not in net.alive:
            continue
        problem = next(_problems(net, node), None)
        if problem is not None:
            found.append(problem)
            _taint(net, node, tainted)
    return sorted(found, key=lambda problem: problem.node)


def _taint(net: Net, node: int, tainted: set[int]) -> None:
    work = [node]
    while work:
        for target in net.after[work.pop()]:
            if target not in tainted:
                tainted.add(target)
                work.append(target)


def _problems(net: Net, node: int) -> Iterator[Misplaced]:
    unit = net.units[node]
    stacks = sorted(net.batches.stacks[node])
    if node in net.batches.cut:
        yield Misplaced("mixed", node, stacks[0], stacks[1])
    elif unit.form == "each":
        outside = [stack for stack in stacks if not stack]
        inside = [stack for stack in stacks if stack]
        if outside:
            yield Misplaced("outside", node, (), inside[0] if inside else None)
        for stack in inside[1:]:
            if stack[-1] != inside[0][-1]:
                yield Misplaced("mixed", node, inside[0], stack)
    elif unit.form != "one":
        yield from _escapes(net, node, stacks)


def _escapes(net: Net, join: int, stacks: list[Stack]) -> Iterator[Misplaced]:
    """A join pairs events of one frame: all of its fork's completion, or all of one item."""
    fork = net.forks[join]
    around = net.batches.stacks[fork]
    if net.units[fork].form == "each":
        around = frozenset(stack[:-1] for stack in around)
    same = [stack for stack in stacks if stack in around]
    items = [stack for stack in stacks if stack and stack[-1] == fork and stack[:-1] in around]
    if len(same) != len(stacks) and len(items) != len(stacks):
        wrong = max((stack for stack in stacks if stack not in same), key=len)
        yield Misplaced("escapes", join, wrong or max(around, key=len), same[0] if same else None)
