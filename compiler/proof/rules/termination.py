"""Rule 6: every course of a run comes to an end event, a failure or a declared limit."""

from __future__ import annotations

from collections.abc import Collection

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.model.flow import START
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.proof.graph import paths
from wfc.compiler.proof.graph.flow_graph import FlowGraph
from wfc.compiler.proof.joins import turning_points
from wfc.compiler.proof.joins.outcomes import Outcomes, TooManyOutcomes
from wfc.compiler.proof.joins.traces import FIRED, Course, courses_within, hops_to, tokens_of
from wfc.compiler.rules import flow as problems
from wfc.compiler.rules import joins as join_problems
from wfc.compiler.slotted import dataclass

__all__ = ["examine_ends", "runs_end"]


@dataclass(frozen=True, slots=True)
class Ends:
    """The result of examining how runs end.

    Args:
        stalls: Courses that come to rest without an end, at most one for each way in which a run begins or goes on.
        never: The `any` joins that no course fires.
        complex: Whether there are too many courses to look at.
    """

    stalls: tuple[Course, ...] = ()
    never: tuple[int, ...] = ()
    complex: bool = False


def examine_ends(graph: FlowGraph, given_up: Collection[int] = ()) -> Ends:
    """Examine everything that the start can lead to. `all` joins count as proven, except those that failed."""
    try:
        outcomes = _outcomes(graph, given_up)
        fired = {*outcomes.fired, *given_up}
        never = tuple(join for join in outcomes.base if join not in fired and join in graph.alive)
        if never:
            # what would have followed a join that never fires is not missed once more
            outcomes = _outcomes(graph, {*given_up, *never})
    except TooManyOutcomes:
        return Ends(complex=True)
    every = [outcomes.of_root([way]).open.values() for way in graph.nodes[START].ways]
    return Ends(
        tuple(course for courses in every for course in list(courses)[:1] if course is not None), never
    )


def _outcomes(graph: FlowGraph, given_up: Collection[int]) -> Outcomes:
    trusted = {node for node, unit in enumerate(graph.nodes) if unit.form == "all"}
    outcomes = Outcomes(graph, START, None, trusted, given_up)
    outcomes.of_root()
    return outcomes


def runs_end(analysis: FlowAnalysis, report: Report) -> None:
    """Report courses of a run that come to rest without an end."""
    graph = analysis.graph
    if analysis.misplaced or not graph.acceptors.get(graph.start):
        return
    given_up = {join for failure in analysis.failures for join in failure.circle or (failure.join,)}
    given_up |= analysis.in_two_flows.keys()
    found = examine_ends(graph, given_up)
    for join in found.never:
        unit = graph.nodes[join]
        routes = [paths.describe_path(graph, paths.path_of_event(graph, event)) for event in unit.slots]
        fork = analysis.name(graph.forks[join])
        place = analysis.form(join)
        report(join_problems.join_never_fires(place, unit.name, unit.needed, unit.slots, fork, routes))
    if found.complex:
        report(join_problems.flow_too_complex(Place(("start",)), "the end", ()))
    # what waits for events from outside may rest until the run's deadline, which no exit of the run has
    waits = bool(graph.outside) and analysis.workflow.deadline is not None
    stalls = [stall for stall in found.stalls if not (waits and stall.way.occasion == "start")]
    if stalls:
        _report_stall(analysis, stalls[0], report)


def _report_stall(analysis: FlowAnalysis, stall: Course, report: Report) -> None:
    graph = analysis.graph
    hops, node, last, why = _rest(graph, stall)
    told = paths.describe_path(graph, hops, node, None if last is None else last.way)
    place = (
        analysis.form(node)
        if last is None
        else Place(last.way.address)
        if node == START
        else analysis.way(node, last.way)
    )
    join = awaited_join(graph, node) if last is not None else graph.nodes[node].name
    may_wait = bool(graph.outside) and stall.way.occasion == "start"
    end = graph.ends[0] if graph.ends else "…"
    report(problems.run_without_end(place, told, why, end, join, may_wait=may_wait))


def awaited_join(graph: FlowGraph, node: int) -> str:
    """Return a join without a time-out that waits for what a step emits on another way out; empty if there is
    none.
    """
    events = [event for way in graph.nodes[node].ways for event in way.singles]
    joins = (graph.nodes[each] for each in graph.targets(events))
    return next((each.name for each in joins if each.needed and not each.timed), "")


def _rest(graph: FlowGraph, stall: Course) -> tuple[list[paths.Hop], int, Course | None, str]:
    """Return where on a course an end is missing most: the path there, its node, its run, and why nothing
    follows.

    First a join that too few events reach, then a step that could have gone another way to an end.
    """
    ending = _ending(graph)
    fired = {
        link.node for here, _path in courses_within(stall) for link in tokens_of(here) if link.slot == FIRED
    }
    best: tuple[list[paths.Hop], int, Course | None, str] = (
        [],
        START,
        stall,
        "nothing that follows ends the run",
    )
    lowest = 9
    for here, path in courses_within(stall):
        for link in tokens_of(here):
            unit = graph.nodes[link.node]
            waits = link.trace is None and unit.form == "any" and not unit.timed
            if waits and link.node not in fired:
                return (
                    [*path, paths.Hop(here.node, here.way, link.event)],
                    link.node,
                    None,
                    _short_of(graph, stall, link.node),
                )
        if not here.way.singles:
            rank = 3 if here.way.batches else 1 if here.node in ending else 2
            if rank < lowest:
                why = "where the list is empty, nothing follows" if here.way.batches else "nothing follows"
                lowest, best = rank, (path, here.node, here, why)
    return best


def _short_of(graph: FlowGraph, stall: Course, join: int) -> str:
    """Describe why a join that wants several events gets too few of them on a course."""
    unit, fork = graph.nodes[join], graph.forks[join]
    for here, _path in courses_within(stall):
        arrived = [bool(list(hops_to(here, join, slot))) for slot in range(unit.width)]
        if here.node == fork and any(arrived) and not all(arrived):
            missing = arrived.index(False)
            hops, node, way = turning_points.turning_point(graph, here, join, missing)
            course = paths.describe_path(graph, [*paths.shortest_route(graph, fork), *hops], node, way)
            if way is not None:
                course += f" → {paths.describe_exit(way)}"
            return f"`{unit.name}` waits for more, and {course} brings no `{unit.events(missing)[0]}`"
    return f"`{unit.name}` waits for more of its events, and they need not come"


def _ending(graph: FlowGraph) -> set[int]:
    """Return the nodes from which some path leads to an end."""
    found = {node for node, unit in enumerate(graph.nodes) if any(way.ends for way in unit.ways)}
    work = list(found)
    while work:
        for source in graph.before[work.pop()]:
            if source not in found:
                found.add(source)
                work.append(source)
    return found
