"""The flow of a workflow as a graph: senders and receivers, dominators, and open batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from wfc.compiler.model import Emission, Emit, EmitAll, EmitEach, Exit, Join, Step
from wfc.compiler.slotted import dataclass, replace

__all__ = [
    "START",
    "Batches",
    "Flow",
    "batches",
    "build",
    "dominators",
    "emits",
    "emits_of",
    "exits",
    "follow_batches",
    "postorder",
    "reachable",
    "with_collections",
]

START = 0
"""The start of the run, as a node; step ``i`` of the workflow is node ``i + 1``."""

MAX_STACKS = 8  # Different batches in which one step may be met; a sound flow has one, rarely two.


@dataclass(frozen=True, slots=True)
class Flow:
    """The graph of which steps lead to which, by all of their exits.

    Args:
        steps: In the order written; node ``n`` is ``steps[n - 1]``.
        acceptors: Event name → nodes of the steps that accept it.
        producers: Event name → nodes that emit it; the start (node 0) emits the start event.
        after: Node → nodes that it may lead to, each once, in order.
        before: Node → nodes that may lead to it, each once.
    """

    steps: tuple[Step, ...]
    acceptors: Mapping[str, tuple[int, ...]]
    producers: Mapping[str, tuple[int, ...]]
    after: tuple[tuple[int, ...], ...]
    before: tuple[tuple[int, ...], ...]

    def step(self, node: int) -> Step | None:
        """Return the step of a node; ``None`` for the start."""
        return self.steps[node - 1] if node else None


def exits(step: Step) -> Iterator[tuple[str, Exit]]:
    """Yield all exits of a step, each with its key in the spec."""
    yield "emit", step.emit
    if step.on_error is not None:
        yield "on_error", step.on_error
    if step.on_limit is not None:
        yield "on_limit", step.on_limit
    if step.on_timeout is not None:
        yield "on_timeout", step.on_timeout
    if step.on_expired is not None:
        yield "on_timeout", step.on_expired


def emits(emission: Emission) -> Iterator[tuple[Emit, EmitEach | None]]:
    """Yield the single emits of an emission, each with the `each` that contains it, if any."""
    if isinstance(emission, Emit):
        yield emission, None
    elif isinstance(emission, EmitEach):
        yield emission.emit, emission
    elif isinstance(emission, EmitAll):
        for entry in emission.entries:
            yield from emits(entry)


def emits_of(step: Step) -> Iterator[tuple[Emit, EmitEach | None]]:
    """Yield the single emits of all of a step's exits, each with the `each` that contains it, if any."""
    for _occasion, exit_ in exits(step):
        for entry in exit_.entries:
            yield from emits(entry.emission)


def build(steps: Sequence[Step], start: str, outside: Iterable[str] = ()) -> Flow:
    """Return the flow between these steps for a run that begins with the event named ``start``.

    Events from ``outside`` are treated as sent by the start.
    """
    acceptors: dict[str, list[int]] = {}
    producers: dict[str, dict[int, None]] = {name: {START: None} for name in (start, *outside)}
    for node, step in enumerate(steps, 1):
        for event in dict.fromkeys(event.name for event in step.accepts.events):
            acceptors.setdefault(event, []).append(node)
        for emit, _each in emits_of(step):
            producers.setdefault(emit.event.name, {})[node] = None
    after: list[dict[int, None]] = [{} for _ in range(len(steps) + 1)]
    before: list[dict[int, None]] = [{} for _ in range(len(steps) + 1)]
    for name, sources in producers.items():
        for target in acceptors.get(name, ()):
            for source in sources:
                after[source][target] = None
                before[target][source] = None
    return Flow(
        steps=tuple(steps),
        acceptors={name: tuple(nodes) for name, nodes in acceptors.items()},
        producers={name: tuple(nodes) for name, nodes in producers.items()},
        after=tuple(tuple(nodes) for nodes in after),
        before=tuple(tuple(nodes) for nodes in before),
    )


def reachable(flow: Flow) -> frozenset[int]:
    """Return the nodes that are reachable from the start, including the start."""
    return frozenset(postorder(flow))


def postorder(flow: Flow) -> list[int]:
    """Return the reachable nodes in postorder (ignoring back edges of cycles); the start is last."""
    order: list[int] = []
    seen = {START}
    stack = [(START, iter(flow.after[START]))]
    while stack:
        node, rest = stack[-1]
        for target in rest:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(flow.after[target])))
                break
        else:
            order.append(node)
            stack.pop()
    return order


def dominators(flow: Flow) -> list[int | None]:
    """Return the immediate dominator of each node: the nearest other one on every path from the start to it.

    ``None`` for the start itself and for nodes that no path leads to. The way of Cooper, Harvey and Kennedy:
    walk in reverse postorder until nothing changes, and meet on the tree built so far.
    """
    order = postorder(flow)
    rank = {node: position for position, node in enumerate(order)}
    idom: dict[int, int] = {START: START}

    def meet(one: int, other: int) -> int:
        while one != other:
            while rank[one] < rank[other]:
                one = idom[one]
            while rank[other] < rank[one]:
                other = idom[other]
        return one

    changed = True
    while changed:
        changed = False
        for node in reversed(order[:-1]):
            nearest: int | None = None
            for source in flow.before[node]:
                if source in idom:
                    nearest = source if nearest is None else meet(source, nearest)
            assert nearest is not None, node
            if idom.get(node) != nearest:
                idom[node] = nearest
                changed = True
    result: list[int | None] = [None] * len(flow.after)
    for node, nearest in idom.items():
        if node != START:
            result[node] = nearest
    return result


@dataclass(frozen=True, slots=True)
class Batches:
    """The batches in which each step may run.

    Args:
        stacks: Node → the batches open when it runs, each a tuple of the nodes that opened them,
            outermost first; ``()`` is: in no batch. Before an `each` join closes its own.
        recursive: Nodes that emit an `each` inside a batch of their own (batches would not nest).
        cut: Nodes met in so many different batches that some were left out.
    """

    stacks: tuple[frozenset[tuple[int, ...]], ...]
    recursive: frozenset[int]
    cut: frozenset[int]


def batches(flow: Flow) -> Batches:
    """Return each step's batches, followed from the `each` that opens one to the joins that collect it."""
    collecting = [isinstance(step.accepts, Join) and step.accepts.form == "each" for step in flow.steps]
    return follow_batches(*_routes(flow), (False, *collecting))


def follow_batches(
    singly: Sequence[Sequence[int]], batched: Sequence[Sequence[int]], collecting: Sequence[bool]
) -> Batches:
    """Follow batches through a graph of numbered nodes, from node 0.

    Args:
        singly: Node → nodes to which its single events lead.
        batched: Node → nodes to which the items of its batches lead.
        collecting: Node → whether it is an `each` join.
    """
    stacks: list[set[tuple[int, ...]]] = [set() for _ in singly]
    recursive: set[int] = set()
    cut: set[int] = set()
    work: list[tuple[int, tuple[int, ...]]] = [(START, ())]
    stacks[START].add(())

    def meet(targets: Sequence[int], stack: tuple[int, ...]) -> None:
        for target in targets:
            if stack in stacks[target]:
                continue
            if len(stacks[target]) >= MAX_STACKS:
                cut.add(target)
                continue
            stacks[target].add(stack)
            work.append((target, stack))

    while work:
        node, stack = work.pop()
        if collecting[node]:
            stack = stack[:-1]
        meet(singly[node], stack)
        if batched[node]:
            if node in stack:
                recursive.add(node)
            else:
                meet(batched[node], (*stack, node))
    return Batches(tuple(frozenset(met) for met in stacks), frozenset(recursive), frozenset(cut))


def with_collections(flow: Flow, open_batches: Batches) -> Flow:
    """Return the flow with an edge from each node that opens a batch to the joins that collect it.

    An empty batch goes this way, past all that its items would pass; so it counts for what every path passes.
    """
    after = [dict.fromkeys(targets) for targets in flow.after]
    before = [dict.fromkeys(sources) for sources in flow.before]
    for node, step in enumerate(flow.steps, 1):
        if isinstance(step.accepts, Join) and step.accepts.form == "each":
            for stack in open_batches.stacks[node]:
                if stack:
                    after[stack[-1]][node] = None
                    before[node][stack[-1]] = None
    return replace(flow, after=tuple(map(tuple, after)), before=tuple(map(tuple, before)))


def _routes(flow: Flow) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Return, for each node, the targets of its single events and those of its batches' events."""
    singly: list[dict[int, None]] = [{} for _ in flow.after]
    batched: list[dict[int, None]] = [{} for _ in flow.after]
    for name, sources in flow.producers.items():
        if START in sources:
            singly[START].update(dict.fromkeys(flow.acceptors.get(name, ())))
    for node, step in enumerate(flow.steps, 1):
        for emit, each in emits_of(step):
            targets = flow.acceptors.get(emit.event.name, ())
            (batched if each is not None else singly)[node].update(dict.fromkeys(targets))
    return [tuple(nodes) for nodes in singly], [tuple(nodes) for nodes in batched]
