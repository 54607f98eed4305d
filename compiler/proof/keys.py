"""Rule 10: a step that runs several times has a key that changes."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.diagnostics import Report
from wfc.compiler.proof.cycles import cyclic
from wfc.compiler.proof.net import Net
from wfc.compiler.proof.paths import Hop, between, cycle, tell
from wfc.compiler.proof.subject import Subject
from wfc.compiler.rules import races as problems

__all__ = ["keys_change"]

CHANGING = frozenset({"event", "events", "state", "result"})


def keys_change(subject: Subject, report: Report) -> None:
    """An `idempotency_key` in a loop or a batch uses something that differs from run to run of its step."""
    net = subject.net
    keyed = [node for node, step in enumerate(subject.workflow.steps, 1) if step.idempotency_key is not None]
    if not keyed:
        return
    loops = cyclic(net)
    for node in keyed:
        key = subject.step(node).idempotency_key
        in_batch = any(net.batches.stacks[node])
        repeated = node in loops or in_batch
        if key is not None and repeated and not any(use[0] in CHANGING for use in key.uses):
            told = _again(net, node, in_batch=in_batch)
            report(problems.repeated_idempotency_key(key.place, subject.name(node), told, in_batch))


def _again(net: Net, node: int, *, in_batch: bool) -> str:
    """How a step comes to run several times: from where its batch is sent out, or round a loop."""
    if in_batch:
        opener = next(stack[-1] for stack in sorted(net.batches.stacks[node]) if stack)
        return tell(net, between(net, opener, node), node)

    def edges(at: int) -> Iterator[tuple[Hop, int]]:
        for way in net.units[at].ways:
            for event in (*way.singles, *way.batches):
                for target, _slot in net.acceptors.get(event, ()):
                    yield Hop(at, way, event), target

    return tell(net, cycle(net, node, edges), node)
