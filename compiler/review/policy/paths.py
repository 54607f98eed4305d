"""What must have happened before a step on each path, asked of the flow graph of the proof."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence

from wfc.compiler.model.flow import START
from wfc.compiler.proof.graph.flow_graph import FlowGraph, Way
from wfc.compiler.proof.graph.paths import Hop, describe_path

__all__ = ["Gate", "WaysAround"]

Gate = Callable[[str, str, Sequence[str]], bool]
"""Whether leaving a step counts: its name, the exit, and what it emits by that."""


class WaysAround:
    """The ways from the start on which no step is left as a gate.

    All ways that count are taken out of the graph; a step that can still run is reached without them. A join can run
    when enough of its events can come, so a gate before one branch of an `all` is before what follows; and the join of
    a batch also runs when there was no item.

    Args:
        graph: The flow.
        gate: Which ways out of which steps count.
    """

    def __init__(self, graph: FlowGraph, gate: Gate) -> None:
        self._graph = graph
        self._gate = gate
        self._slots: dict[int, set[int]] = {}
        self._came: dict[int, Hop | None] = {START: None}
        self._follow()

    def way_to(self, step: str) -> str | None:
        """Return the shortest such way to a step, in words; ``None`` if there is none."""
        nodes = self._graph.nodes
        goal = next(at for at, node in enumerate(nodes) if at != START and node.name == step)
        if goal not in self._came:
            return None
        hops: list[Hop] = []
        at = goal
        while (hop := self._came[at]) is not None:
            hops.append(hop)
            at = hop.node
        return describe_path(self._graph, hops[::-1], goal)

    def _follow(self) -> None:
        """Find all steps that can run, and by which hop each is reached first."""
        work = deque([START])
        while work:
            for hop, target, slot in self._hops(work.popleft()):
                if target not in self._came and self._fires(target, slot):
                    self._came[target] = hop
                    work.append(target)

    def _hops(self, node: int) -> Iterator[tuple[Hop, int, int | None]]:
        """Yield the hops from a node, each with where it leads: a step, and the slot there; none for an empty batch."""
        graph = self._graph
        for way in graph.nodes[node].ways:
            if node != START and self._counts(node, way):
                continue
            for event in (*way.singles, *way.batches):
                for target, slot in graph.acceptors.get(event, ()):
                    yield Hop(node, way, event), target, slot
            if way.batches:
                for join in graph.collecting.get(node, ()):
                    yield Hop(node, way, way.batches[0]), join, None

    def _counts(self, node: int, way: Way) -> bool:
        return self._gate(self._graph.nodes[node].name, way.occasion, (*way.singles, *way.batches))

    def _fires(self, node: int, slot: int | None) -> bool:
        """Return whether a step can run now that a slot of it can be filled."""
        unit = self._graph.nodes[node]
        if slot is None or unit.timed:
            return True
        met = self._slots.setdefault(node, set())
        met.add(slot)
        return len(met) >= unit.needed
