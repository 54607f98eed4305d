"""Rule 6: every course of a run comes to an end event, a failure or a declared limit."""

from __future__ import annotations

from collections.abc import Collection

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.model.flow import START
from wfc.compiler.proof.net import Net
from wfc.compiler.proof.outcomes import FIRED, Outcomes, TooMany, Trace
from wfc.compiler.proof.paths import Hop, coming, hops_to, left_behind, links, route, tell, traces, turned
from wfc.compiler.proof.subject import Subject
from wfc.compiler.rules import flow as problems
from wfc.compiler.rules import joins as join_problems
from wfc.compiler.slotted import dataclass

__all__ = ["Ends", "ends", "runs_end"]


@dataclass(frozen=True, slots=True)
class Ends:
    """How runs end.

    Args:
        stall: A course that comes to rest without an end, or ``None``.
        never: The `any` and `at_least` joins that no course fires.
        complex: Whether there are too many courses to look at.
    """

    stall: Trace | None = None
    never: tuple[int, ...] = ()
    complex: bool = False


def ends(net: Net, given_up: Collection[int] = ()) -> Ends:
    """Look at all that the start can lead to. The `all` joins count as proven, but for those given up."""
    try:
        outcomes = _outcomes(net, given_up)
        never = tuple(join for join in outcomes.base if join not in outcomes.fired and join in net.alive)
        if never:
            # what would have followed a join that never fires is not missed once more
            outcomes = _outcomes(net, {*given_up, *never})
    except TooMany:
        return Ends(complex=True)
    return Ends(next(iter(outcomes.of_root().open.values()), None), never)


def _outcomes(net: Net, given_up: Collection[int]) -> Outcomes:
    trusted = {node for node, unit in enumerate(net.units) if unit.form == "all"}
    outcomes = Outcomes(net, START, None, trusted, given_up)
    outcomes.of_root()
    return outcomes


def runs_end(subject: Subject, report: Report) -> None:
    """No course of a run comes to rest without an end."""
    net = subject.net
    if subject.misplaced or not net.acceptors.get(net.start):
        return
    given_up = {join for failure in subject.failures for join in failure.circle or (failure.join,)}
    found = ends(net, given_up)
    for join in found.never:
        unit = net.units[join]
        paths = [tell(net, coming(net, event)) for event in unit.slots]
        fork = subject.name(net.forks[join])
        place = subject.form(join)
        report(join_problems.join_never_fires(place, unit.name, unit.needed, unit.slots, fork, paths))
    if found.complex:
        report(join_problems.flow_too_complex(Place(("start",)), "the end", ()))
    # what waits for events from outside may rest until the run's deadline
    waits = bool(net.outside) and subject.workflow.deadline is not None
    if found.stall is not None and not waits:
        _report_stall(subject, found.stall, report)


def _report_stall(subject: Subject, stall: Trace, report: Report) -> None:
    net = subject.net
    hops, node, last, why = _rest(net, stall)
    told = tell(net, hops, node, None if last is None else last.way)
    place = (
        subject.form(node)
        if last is None
        else Place(("start",))
        if node == START
        else subject.way(node, last.way)
    )
    join = waiting(net, node) if last is not None else net.units[node].name
    report(problems.run_without_end(place, told, why, net.ends[0] if net.ends else "…", join))


def waiting(net: Net, node: int) -> str:
    """A join without a time-out that waits for what a step emits on another way out; empty if there is none."""
    events = [event for way in net.units[node].ways for event in way.singles]
    joins = (net.units[each] for each in net.targets(events))
    return next((each.name for each in joins if each.needed and not each.timed), "")


def _rest(net: Net, stall: Trace) -> tuple[list[Hop], int, Trace | None, str]:
    """Where on a course an end is missed most: the path there, its node, its run, and why nothing follows.

    First a join that too few events reach, then a step that could have gone another way to an end.
    """
    ending = _ending(net)
    fired = {link.node for here, _path in traces(stall) for link in links(here) if link.slot == FIRED}
    best: tuple[list[Hop], int, Trace | None, str] = ([], START, stall, "nothing that follows ends the run")
    lowest = 9
    for here, path in traces(stall):
        for link in links(here):
            unit = net.units[link.node]
            waits = link.trace is None and unit.form in ("any", "at_least") and not unit.timed
            if waits and link.node not in fired:
                return (
                    [*path, Hop(here.node, here.way, link.event)],
                    link.node,
                    None,
                    _short_of(net, stall, link.node),
                )
        if not here.way.singles:
            rank = 3 if here.way.batches else 1 if here.node in ending else 2
            if rank < lowest:
                why = "where the list is empty, nothing follows" if here.way.batches else "nothing follows"
                lowest, best = rank, (path, here.node, here, why)
    return best


def _short_of(net: Net, stall: Trace, join: int) -> str:
    """Why a join that wants several events gets too few of them on a course."""
    unit, fork = net.units[join], net.forks[join]
    for here, _path in traces(stall):
        arrived = [bool(list(hops_to(here, join, slot))) for slot in range(len(unit.slots))]
        if here.node == fork and any(arrived) and not all(arrived):
            missing = arrived.index(False)
            hops, node, way = turned(net, here, join, missing)
            course = tell(net, [*route(net, fork), *hops], node, way)
            if way is not None:
                course += f" → {left_behind(way)}"
            return f"`{unit.name}` waits for more, and {course} brings no `{unit.slots[missing]}`"
    return f"`{unit.name}` waits for more of its events, and they need not come"


def _ending(net: Net) -> set[int]:
    """The nodes from which some path leads to an end."""
    found = {node for node, unit in enumerate(net.units) if any(way.ends for way in unit.ways)}
    work = list(found)
    while work:
        for source in net.before[work.pop()]:
            if source not in found:
                found.add(source)
                work.append(source)
    return found
