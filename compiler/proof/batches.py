"""Rule 7, as findings: batches nest, and their work is only collected, dropped, or ends the run."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.diagnostics import Finding, Place, Report
from wfc.compiler.proof.nesting import Misplaced
from wfc.compiler.proof.paths import Hop, cycle, route, tell
from wfc.compiler.proof.subject import Subject
from wfc.compiler.rules import joins as problems

__all__ = ["batches_nest"]


def batches_nest(subject: Subject, report: Report) -> None:
    """Batches are collected where they were opened, and by nothing else."""
    for problem in subject.misplaced:
        finding = _finding(subject, problem)
        if finding is not None:
            report(finding)


def _finding(subject: Subject, problem: Misplaced) -> Finding | None:
    net, node = subject.net, problem.node
    name = subject.name(node)
    told = tell(net, route(net, node, problem.stack), node)
    if problem.kind == "recursive":
        return problems.batch_in_itself(_opening(subject, node), name, _circle(subject, node))
    if problem.kind == "outside":
        if problem.other is None:
            return None  # `resolve` says that there is no batch at all
        event = net.units[node].slots[0]
        hops = route(net, node, problem.stack)
        return problems.each_also_outside_batch(
            subject.form(node), name, hops[-1].event if hops else event, told
        )
    if problem.kind == "mixed":
        assert problem.other is not None
        other = tell(net, route(net, node, problem.other), node)
        return problems.batches_mixed(subject.form(node), name, [told, other])
    return problems.batch_work_escapes(subject.form(node), name, subject.name(problem.stack[-1]), told)


def _opening(subject: Subject, node: int) -> Place:
    way = next(way for way in subject.net.units[node].ways if way.batches)
    return subject.way(node, way)


def _circle(subject: Subject, node: int) -> str:
    net = subject.net

    def edges(at: int) -> Iterator[tuple[Hop, int]]:
        for way in net.units[at].ways:
            for event in way.batches if at == node else (*way.singles, *way.batches):
                for target, _slot in net.acceptors.get(event, ()):
                    yield Hop(at, way, event), target

    return tell(net, cycle(net, node, edges), node)
