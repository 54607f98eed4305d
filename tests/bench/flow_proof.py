"""How much of the processor's time the proof of large flows takes; run by hand: `python tests/bench/flow_proof.py`."""

from __future__ import annotations

import time
from collections.abc import Callable

from wfc.compiler.proof.graph.batch_nesting import misplaced_batches
from wfc.compiler.proof.graph.concurrency import Concurrency
from wfc.compiler.proof.graph.flow_graph import FlowGraph, StepNode, Way
from wfc.compiler.proof.joins.completeness import prove_joins
from wfc.compiler.proof.rules.bounded_cycles import unbounded_cycles
from wfc.compiler.proof.rules.termination import examine_ends

LAST = Way("emit", ends=True)


def step(name: str, event: str, *emits: str, or_end: bool = False) -> StepNode:
    ways = (Way("emit", emits), Way("on_error", ends=True)) if or_end else (Way("emit", emits),)
    return StepNode(name, "one", (event,), ways)


def in_a_row(length: int) -> FlowGraph:
    """Plain steps, one after the other."""
    steps = [step(f"s{n}", f"E{n}", f"E{n + 1}") for n in range(length)]
    return FlowGraph([*steps, StepNode("last", "one", (f"E{length}",), (LAST,))], "E0", ("End",))


def joins_in_a_row(count: int) -> FlowGraph:
    """A fork, three branches that may end the run, and their join, again and again."""
    nodes: list[StepNode] = []
    for n in range(count):
        nodes.append(step(f"f{n}", f"I{n}", *(f"A{n}_{k}" for k in range(3))))
        nodes += [step(f"x{n}_{k}", f"A{n}_{k}", f"B{n}_{k}", or_end=True) for k in range(3)]
        nodes.append(
            StepNode(f"j{n}", "all", tuple(f"B{n}_{k}" for k in range(3)), (Way("emit", (f"I{n + 1}",)),))
        )
    return FlowGraph([*nodes, StepNode("last", "one", (f"I{count}",), (LAST,))], "I0", ("End",))


def joins_of_one_fork(count: int) -> FlowGraph:
    """One fork, two branches of two steps for each join, and a join of all joins."""
    nodes = [step("f", "I", *(f"A{n}_{k}" for n in range(count) for k in (0, 1)))]
    for n in range(count):
        for k in (0, 1):
            nodes += [
                step(f"x{n}_{k}", f"A{n}_{k}", f"B{n}_{k}"),
                step(f"y{n}_{k}", f"B{n}_{k}", f"C{n}_{k}"),
            ]
        nodes.append(StepNode(f"j{n}", "all", (f"C{n}_0", f"C{n}_1"), (Way("emit", (f"D{n}",)),)))
    nodes.append(StepNode("jj", "all", tuple(f"D{n}" for n in range(count)), (LAST,)))
    return FlowGraph(nodes, "I", ("End",))


def joins_in_joins(depth: int) -> FlowGraph:
    """Forks within forks, two branches each."""
    nodes: list[StepNode] = []
    work = [("I", "O", depth, "n")]
    while work:
        given, wanted, left, name = work.pop()
        if not left:
            nodes.append(step(f"{name}s", given, wanted))
            continue
        nodes.append(step(f"{name}f", given, f"{name}a", f"{name}b"))
        nodes.append(StepNode(f"{name}j", "all", (f"{name}A", f"{name}B"), (Way("emit", (wanted,)),)))
        work += [
            (f"{name}a", f"{name}A", left - 1, f"{name}l"),
            (f"{name}b", f"{name}B", left - 1, f"{name}r"),
        ]
    return FlowGraph([*nodes, StepNode("last", "one", ("O",), (LAST,))], "I", ("End",))


def milliseconds(make: Callable[[], FlowGraph]) -> tuple[int, float]:
    """How many steps, and the best of five."""
    best = float("inf")
    for _ in range(5):
        graph = make()
        began = time.process_time()
        assert not misplaced_batches(graph)
        assert not unbounded_cycles(graph)
        assert not prove_joins(graph)
        assert not examine_ends(graph).stalls
        _ = Concurrency(graph).partings
        best = min(best, time.process_time() - began)
    return len(graph.nodes) - 1, best * 1000


if __name__ == "__main__":
    for what, make in {
        "1,000 steps in a row": lambda: in_a_row(1000),
        "100 joins in a row": lambda: joins_in_a_row(100),
        "100 joins of one fork": lambda: joins_of_one_fork(100),
        "127 joins in joins": lambda: joins_in_joins(7),
    }.items():
        steps, taken = milliseconds(make)
        print(f"{what}: {steps} steps, {taken:.0f} ms")
