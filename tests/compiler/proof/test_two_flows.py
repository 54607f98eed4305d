"""Joins that the usual course of a run shares with that of an exit, which X begins, in the notation of `test_flows`."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import chain, product

import pytest
from conditions import Facts
from game import Game, State
from language import Dresser
from random_flows import Flow
from test_flows import unit

from wfc.compiler.passes import check_text
from wfc.compiler.proof.graph.flow_graph import FlowGraph, RunExit
from wfc.compiler.proof.joins.completeness import prove_joins
from wfc.compiler.proof.joins.two_flows import joins_in_two_flows
from wfc.compiler.slotted import replace

FLOWS = {
    "both courses pass one step at which the branches part": ("s: S X > P Q\nj: any(P Q) > END", False),
    "each course opens the branches once": ("s: S > P Q\nx: X > P Q\nj: any(P Q) > END", False),
    "two of three in each course": ("s: S > P Q R\nx: X > P Q R\nj: 2of(P Q R) > END", False),
    "the exit opens them itself": ("s: S > P Q\nx: X > P\ny: X > Q\nj: any(P Q) > END", False),
    "its time would count from elsewhere": ("s: S > P Q\nx: X > P Q\nj: any(P Q)~ > END", True),
    "nor does `all` with a time-out": ("s: S > P Q\nx: X > P Q\nj: all(P Q)~ > END", True),
    "`all` is proven": ("s: S > P Q\nx: X > P Q\nj: all(P Q) > END", False),
    "`all` starves, and would with either fork": ("s: S > P Q | P\nx: X > P Q\nj: all(P Q) > END", False),
    "the branches part anew in a loop": ("s!: S A > P Q\nx: X > P Q\nj: any(P Q) > A | END", True),
    "`all` would be filled twice": ("s!: S A > P Q\nx: X > P Q\nj: all(P Q) > A | END", True),
    "a choice comes before": (
        "o: S > A | B\na: A > C\nb: B > C\ns: C > P Q\nx: X > P Q\nj: any(P Q) > END",
        False,
    ),
    "a loop comes before": ("o!: S A > A | C\ns: C > P Q\nx: X > P Q\nj: any(P Q) > END", False),
    "a longer loop comes before": (
        "o: S > A\na!: A C > B\nb: B > C | D\ns: D > P Q\nx: X > P Q\nj: any(P Q) > END",
        False,
    ),
    "a loop before opens them each time": (
        "o!: S A > A B\ns: B > P Q\nx: X > P Q\nj: any(P Q) > END",
        True,
    ),
    "two branches lead to where they part": (
        "o: S > A B\na: A > C\nb: B > C\ns: C > P Q\nx: X > P Q\nj: any(P Q) > END",
        True,
    ),
    "one of two branches may lead there": (
        "o: S > A B\na: A > C\nb: B > C | -\ns: C > P Q\nx: X > P Q\nj: any(P Q) > END",
        True,
    ),
    "two steps that take one event lead there": (
        "a: S > C\nb: S > C\ns: C > P Q\nx: X > P Q\nj: any(P Q) > END",
        True,
    ),
    "a branch beside leads elsewhere": (
        "o: S > C D\nd: D > -\ns: C > P Q\nx: X > P Q\nj: any(P Q) > END",
        False,
    ),
    "all branches have been gathered before": (
        "o: S > A B\na: A > K\nb: B > L\nk: all(K L) > P Q\nx: X > P Q\nj: any(P Q) > END",
        False,
    ),
    "they are gathered, and a step comes after": (
        "o: S > A B\na: A > K\nb: B > L\nk: all(K L) > C\ns: C > P Q\nx: X > P Q\nj: any(P Q) > END",
        False,
    ),
    "they need not come": (
        "o: S > A B\na: A > K\nb: B > L | -\nk: all(K L) > C\ns: C > P Q\nx: X > P Q\nj: any(P Q) > END",
        True,
    ),
    "one may still be under way to an `any` before": (
        "o: S > A B\na: A > K\nb: B > L\nk: any(K L) > C\ns: C > P Q\nx: X > P Q\nj: any(P Q) > END",
        True,
    ),
    "one may still be under way to an `any` that an `all` gathers": (
        "o: S > A B D\na: A > K\nb: B > L\nd: D > N\ni: any(K L) > M\nk: all(M N) > P Q\nx: X > P Q\nj: any(P Q) > END",
        True,
    ),
    "a join before may go on by itself": (
        "o: S > A B\nk: any(A B)~ > C\ns: C > P Q\nx: X > P Q\nj: any(P Q) > END",
        True,
    ),
    "each item opens them": (
        "o: S > *A\ns: A > P Q\nj: any(P Q) > D\nc: each(D) > END\nx: X > *B\ny: B > P Q",
        True,
    ),
    "each course opens the batch once, and both together twice": (
        "o: S > *A\nx: X > *A\nm: A > B P\nc: each(B) > Q\nj: any(P Q) > END",
        True,
    ),
    "an event from outside opens them too": ("s: S O > P Q\nx: X > P Q\nj: any(P Q) > END", True),
    "an event from outside leads elsewhere": ("s: S > P Q\no: O > -\nx: X > P Q\nj: any(P Q) > END", False),
}


@pytest.mark.parametrize(("text", "refused"), FLOWS.values(), ids=FLOWS.keys())
def test_a_join_of_two_courses_is_refused_where_another_fork_makes_a_difference(
    text: str, refused: bool
) -> None:
    nodes = [unit(line) for line in text.splitlines()]
    outside = ["O"] if any("O" in each.slots for each in nodes) else []
    flow = FlowGraph(nodes, "S", ("END",), outside, [RunExit("on_error", "X")])
    unproven = {join for failure in prove_joins(flow) for join in (failure.join, *failure.circle)}
    found = joins_in_two_flows(flow, unproven)
    assert {flow.nodes[join].name for join in found} == ({"j"} if refused else set())


MIXED = """\
wfc: 1
workflow: shared
start: Begun
end: Done
on_error: {event: Failed, with: {numbers: [1]}}
events:
  Begun: {numbers: list of integer}
  Failed: {numbers: list of integer}
  A: {key: integer}
  B: {key: integer}
  P: {}
  Q: {}
  Done: {}
tools:
  pay:
    python: "a:pay"
    args: {step: string}
    output: {way: integer}
    read_only: true
steps:
  o:
    kind: transform
    accepts: Begun
    emit: {each: {in: event.numbers, as: key, event: A, max: 9}}
  x:
    kind: transform
    accepts: Failed
    emit: {each: {in: event.numbers, as: key, event: A, max: 9}}
  m:
    kind: tool
    accepts: A
    tool: pay
    with: {step: m}
    emit: {event: B, with: {key: 1}}
  c:
    kind: transform
    accepts: {each: B}
    emit: P
  d:
    kind: transform
    accepts: {each: B}
    emit: Q
  j:
    kind: transform
    accepts: {any: [P, Q]}
    emit: Done
"""


def test_of_joins_of_batches_that_do_not_nest_nothing_else_is_told() -> None:
    checked = check_text(MIXED.encode(), "mixed.yaml")
    assert [each.code for each in checked.diagnostics] == ["batches-mixed", "batches-mixed"]


SHARED = (15_000_119, 15_000_391, 15_001_006, 15_001_684, 15_001_752, 15_002_586, 15_003_361, 15_004_687)
"""Flows in which an exit comes to an `any` of the usual course, whose branches each course opens but once."""


class OneCourse(Game):
    """All plays of one course of a flow, and what comes of each.

    Args:
        way: By which way of the start it begins.
        alone: Whether the forks of its joins are those that they have in this course alone.
    """

    def __init__(self, flow: Flow, way: int, order: random.Random | None, *, alone: bool) -> None:
        super().__init__(flow, order)
        self.beginning = self.nodes[0].ways[way]
        self.letter = False
        self.ends: set[object] = set()
        self.given = list(super().inputs())  # the same with either fork, so that chance decides alike
        accepting = [node for node, _slot in self.acceptors.get(self.beginning.singles[0], ())]
        self.reached = self._reached(accepting, None) if way else self.reached
        if alone:
            begun = [node for node, _slot in chain(*map(self._accepting, self.beginning.singles))]
            met = self._reached(begun, None)
            bare = [
                each if node in met else replace(each, form="one", slots=(), ways=())
                for node, each in enumerate(self.nodes)
            ]
            self.nodes = (replace(self.nodes[0], ways=(self.beginning,)), *bare[1:])
            self.forks = self._forks()
            self.cancelled = {join: self._on_the_way(join) for join in self.cancelled}
            self.spilling = {join: self._spilling(join, region) for join, region in self.cancelled.items()}

    def _accepting(self, event: str) -> list[tuple[int, int]]:
        return self.acceptors.get(event, [])

    def inputs(self) -> Iterator[Facts]:
        return iter(self.given)

    def verdict(self, state: State) -> str:
        """How often each step has run, and whether the run has ended so."""
        runs = Counter[int]()
        for (node, _scope), count in state.runs.items():
            runs[node] += count
        self.ends.add((state.ended, state.failed, frozenset(runs.items())))
        return super().verdict(state)


def ends_of(flow: Flow, seed: int, *, alone: bool) -> list[tuple[object, set[object]]]:
    """What may come of each course of a flow, with tokens that move in some orders."""
    found = []
    for way, turn in product(range(1 + len(flow.exits)), range(3)):
        order = random.Random(f"{seed} {way} {turn}") if turn else None  # noqa: S311 — dice, not secrets
        game = OneCourse(flow, way, order, alone=alone)
        verdict, _count = game.play_on()
        found.append((verdict, game.ends))
    return found


@pytest.mark.parametrize("seed", SHARED)
def test_where_the_fork_makes_no_difference_each_course_comes_to_the_same_with_either(seed: int) -> None:
    flow = Dresser(seed).dressed()
    graph = flow.graph
    forks = {fork for way in graph.nodes[0].ways for fork in graph.course(way).forks.items()}
    assert not forks <= graph.forks.items(), "some join has another fork in a course by itself"
    assert not joins_in_two_flows(graph, ())
    assert ends_of(flow, seed, alone=True) == ends_of(flow, seed, alone=False)
