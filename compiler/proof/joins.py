"""Rule 4, as findings: joins that can wait for ever, get an event twice, or wait for each other."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.diagnostics import Finding, Place, Report
from wfc.compiler.model import Join
from wfc.compiler.model.flow import START
from wfc.compiler.proof.matching import too_many_ways
from wfc.compiler.proof.net import Net, unit_of
from wfc.compiler.proof.outcomes import Trace
from wfc.compiler.proof.paths import Hop, coming, cycle, hops_to, left_behind, route, tell, turned
from wfc.compiler.proof.proof import Failure
from wfc.compiler.proof.subject import Subject
from wfc.compiler.rules import joins as problems

__all__ = ["joins_are_filled"]


def joins_are_filled(subject: Subject, report: Report) -> None:
    """Each `all` join gets one of each of its events in every frame, or none of them."""
    if subject.misplaced:
        return
    for failure in subject.failures:
        report(_finding(subject, failure))
    for node, step in enumerate(subject.workflow.steps, 1):
        if isinstance(step.accepts, Join) and too_many_ways(unit_of(step), step.accepts):
            report(problems.flow_too_complex(subject.form(node), step.name, [step.name]))


def _finding(subject: Subject, failure: Failure) -> Finding:
    net, join = subject.net, failure.join
    name, fork = subject.name(join), subject.name(net.forks[join])
    if failure.kind in ("itself", "circle"):
        return _circling(subject, failure, name, fork)
    if failure.kind == "complex":
        return problems.flow_too_complex(subject.form(join), name, _wavering(net, join))
    for slot, event in enumerate(net.units[join].slots):
        if event in net.outside:
            told = tell(net, coming(net, event), join)
            return problems.join_from_outside(subject.accepted(join, slot), name, event, told)
    if failure.kind == "overfills":
        return _overfilled(subject, failure, name, fork)
    return _starved(subject, failure, name)


def _circling(subject: Subject, failure: Failure, name: str, fork: str) -> Finding:
    net, join = subject.net, failure.join
    hops = _loop(net, join)
    loop = tell(net, hops, join)
    last = hops[-1]
    sender = subject.name(last.node)
    sends = ((subject.way(last.node, last.way), f"here `{sender}` sends `{last.event}` to `{name}`"),)
    if failure.kind == "itself":
        return problems.join_feeds_itself(subject.form(join), name, fork, loop, sender, last.event, sends)
    joins = [subject.name(node) for node in failure.circle]
    return problems.joins_in_a_circle(subject.form(join), joins, fork, loop, last.event, sends)


def _wavering(net: Net, join: int) -> list[str]:
    """The steps before a join that leave now with one thing and now with another."""
    before = sorted({net.forks[join], *net.leading_to(join)} - {START})
    return [
        net.units[node].name
        for node in before
        if len({(way.singles, way.batches) for way in net.units[node].ways if not way.ends}) > 1
    ]


def _overfilled(subject: Subject, failure: Failure, name: str, fork: str) -> Finding:
    net, join = subject.net, failure.join
    event = net.units[join].slots[failure.slot]
    arriving = list(hops_to(failure.trace, join, failure.slot)) if failure.trace is not None else []
    told = list(dict.fromkeys(tell(net, hops) for hops in arriving))[:2]
    return problems.join_overfills(subject.accepted(join, failure.slot), name, event, fork, told)


def _starved(subject: Subject, failure: Failure, name: str) -> Finding:
    net, join, slot = subject.net, failure.join, failure.slot
    assert failure.trace is not None
    before = route(net, net.forks[join])
    missing = net.units[join].slots[slot]
    came, other = _arrived(failure.trace, join, len(net.units[join].slots))
    hops, node, way = turned(net, failure.trace, join, slot)
    told = tell(net, [*before, *hops], node, way)
    if way is not None:
        told += f" → {left_behind(way)}"
    related: tuple[tuple[Place, str], ...] = ()
    if node != START and way is not None:
        related = ((subject.way(node, way), f"here `{subject.name(node)}` leaves without `{missing}`"),)
    return problems.join_starves(
        subject.accepted(join, slot),
        name,
        missing,
        net.units[join].slots[other],
        tell(net, [*before, *came]),
        told,
        subject.name(node),
        related,
    )


def _arrived(trace: Trace, join: int, slots: int) -> tuple[list[Hop], int]:
    """How some event of the join does arrive."""
    for slot in range(slots):
        for hops in hops_to(trace, join, slot):
            return hops, slot
    return [], 0


def _loop(net: Net, join: int) -> list[Hop]:
    fork = net.forks[join]

    def edges(node: int) -> Iterator[tuple[Hop, int]]:
        for way in net.units[node].ways:
            for event in (*way.singles, *way.batches):
                for target, _slot in net.acceptors.get(event, ()):
                    if target != fork:
                        yield Hop(node, way, event), target

    return cycle(net, join, edges)
