"""Rule 10: a step that runs several times has a key that changes."""

from __future__ import annotations

from functools import partial

from wfc.compiler.diagnostics import Report
from wfc.compiler.expressions import Template
from wfc.compiler.expressions.syntax.template_tree import holes
from wfc.compiler.expressions.syntax.tree import walk
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.proof.graph.components import cyclic
from wfc.compiler.proof.graph.flow_graph import FlowGraph
from wfc.compiler.proof.graph.paths import cycle, describe_path, hops_from, path_between
from wfc.compiler.rules import races as problems
from wfc.compiler.types import UNKNOWN

__all__ = ["keys_change"]

CHANGING = frozenset({"event", "events", "state", "result"})


def keys_change(analysis: FlowAnalysis, report: Report) -> None:
    """Report each `idempotency_key` in a loop or a batch that uses nothing that differs between runs of its
    step.
    """
    graph = analysis.graph
    keyed = [node for node, step in enumerate(analysis.workflow.steps, 1) if step.idempotency_key is not None]
    if not keyed:
        return
    loops = cyclic(graph)
    for node in keyed:
        key = analysis.step(node).idempotency_key
        in_batch = any(graph.batches.stacks[node])
        repeated = node in loops or in_batch
        if key is None or not repeated or _in_doubt(key):
            continue
        if not any(use[0] in CHANGING for use in key.uses):
            told = _again(graph, node, in_batch=in_batch)
            report(problems.repeated_idempotency_key(key.place, analysis.name(node), told, in_batch))


def _in_doubt(key: Template) -> bool:
    """Return whether a key holds what could not be read, or is no expression by a slip, as has been reported."""
    if key.type is UNKNOWN or "{{" in (key.constant or ""):
        return True
    return any(node.type is UNKNOWN for tree in holes(key.parts) for node in walk(tree))


def _again(graph: FlowGraph, node: int, *, in_batch: bool) -> str:
    """Describe why a step runs several times: the step that opens its batch, or the loop."""
    if in_batch:
        opener = next(stack[-1] for stack in sorted(graph.batches.stacks[node]) if stack)
        return describe_path(graph, path_between(graph, opener, node), node)

    return describe_path(graph, cycle(graph, node, partial(hops_from, graph)), node)
