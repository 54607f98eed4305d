"""The rule about steps that a run has passed by before there were any: it goes on without them."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.runtime.plan.versions.flow_graph import FlowGraph
from wfc.runtime.plan.versions.moves import Moves
from wfc.runtime.plan.versions.position import RunPosition
from wfc.runtime.plan.versions.verdicts import Verdict, noted

__all__ = ["judge_missed", "missed_steps"]


def judge_missed(moves: Moves, position: RunPosition) -> Iterator[Verdict]:
    """Judge the steps that are new and act, and that come before or beside where a run stands."""
    for key in missed_steps(moves, position):
        told = f"the step `{key.removesuffix('_')}` is new, and the run is past it: it is never done for this run"
        yield noted("new-step-missed", told)


def missed_steps(moves: Moves, position: RunPosition) -> list[str]:
    """Return the new steps that act and that a run has passed by."""
    added = _added(moves)
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


def _added(moves: Moves) -> list[str]:
    """Return the steps that act or wait, and of which there was nothing, or nothing that did so."""
    known = {moves.step(key) for key, step in moves.old["steps"].items() if step["acts"] or step["pauses"]}
    return [
        key
        for key, step in moves.new["steps"].items()
        if (step["acts"] or step["pauses"]) and key not in known and not key.endswith("[]")
    ]
