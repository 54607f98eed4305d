"""The rule about steps that a run has passed by before there were any: it goes on without them."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.runtime.store.judgement.flow_graph import FlowGraph
from wfc.runtime.store.judgement.moves import Moves
from wfc.runtime.store.judgement.position import RunPosition
from wfc.runtime.store.judgement.verdicts import Verdict, noted

__all__ = ["judge_missed", "missed_steps"]


def judge_missed(moves: Moves, position: RunPosition) -> Iterator[Verdict]:
    """Judge the steps that are new and act, and that come before or beside where a run stands."""
    for key in missed_steps(moves, position):
        told = f"the step `{key.removesuffix('_')}` is new, and the run is past it: it is never done for this run"
        yield noted("new-step-missed", told)


def missed_steps(moves: Moves, position: RunPosition) -> list[str]:
    """Return the new steps that act and that a run has passed by."""
    added = moves.new_steps
    if not added or not position.has_begun:
        return []
    graph = moves.graph
    stands = {now for run in position.steps if (now := moves.step(run.step.removesuffix("[]"))) is not None}
    waiting = {moves.name(event) or "" for event in position.pending}
    from_here = stands | graph.acceptors([*waiting, *moves.new["receives"]])
    return [
        key
        for key in added
        if from_here.isdisjoint(graph.leading_to(key)) and not stands.isdisjoint(_beside(graph, key))
    ]


def _beside(graph: FlowGraph, key: str) -> frozenset[str]:
    """Return the steps at which a run has come past a step: those behind it, and behind others that take its events."""
    return frozenset[str]().union(*map(graph.behind, graph.acceptors(graph.plan["steps"][key]["accepts"])))
