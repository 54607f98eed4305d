"""The rules about exits of the run that lead on: what follows on them brings the run to its end, and soon."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.expressions import Expression
from wfc.compiler.model import Action, AskPerson, Restart, WaitEvent, WaitFor, WaitUntil
from wfc.compiler.model.flow import START, exits
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.proof.graph.flow_graph import Way
from wfc.compiler.proof.graph.paths import describe_path, path_between
from wfc.compiler.rules import runs as problems

__all__ = ["exits_lead_to_an_end"]

SHORT = 60.0
"""Seconds that a cancelled run may wait without anybody minding."""


def exits_lead_to_an_end(analysis: FlowAnalysis, report: Report) -> None:
    """Report joins that these exits share with other courses, and steps that begin the run anew or let it wait."""
    for join, flows in analysis.in_two_flows.items():
        _report_join(analysis, join, flows, report)
    restarting: set[int] = set()
    waiting: set[int] = set()
    cancels = {emit.event.name for key, emit in analysis.workflow.run.leading_on if key == "on_cancel"}
    for way in analysis.graph.nodes[START].ways[1:]:
        reached = sorted(analysis.graph.reached_from(way.singles))
        for node in reached:
            if node not in restarting:
                restarting.add(node)
                _report_restarts(analysis, way, node, report)
            if way.singles[0] in cancels and node not in waiting:
                waiting.add(node)
                _report_wait(analysis, way, node, report)


def _report_join(
    analysis: FlowAnalysis, join: int, flows: tuple[tuple[Way, int], ...], report: Report
) -> None:
    told = [
        (way.occasion, "at once" if fork == START else f"at `{analysis.name(fork)}`") for way, fork in flows
    ]
    related = tuple(
        (Place(way.address), f"here `{way.occasion}` leads on")
        for way, _fork in flows
        if way.occasion != "start"
    )
    report(problems.join_in_two_flows(analysis.form(join), analysis.name(join), told, related))


def _report_restarts(analysis: FlowAnalysis, way: Way, node: int, report: Report) -> None:
    for _occasion, exit_ in exits(analysis.step(node)):
        for entry in exit_.entries:
            if isinstance(entry.emission, Restart):
                who, told = f"`{analysis.name(node)}`", _course(analysis, way, node)
                report(problems.exit_begins_anew(Place(entry.address), who, told))


def _report_wait(analysis: FlowAnalysis, way: Way, node: int, report: Report) -> None:
    step = analysis.step(node)
    waits = next(_waits(step.action), "") if step.action is not None else ""
    if waits:
        place = Place(step.address).key
        report(problems.cancel_waits(place, step.name, waits, _course(analysis, way, node)))


def _waits(action: Action) -> Iterator[str]:
    """Yield whom or what an action waits for, in words."""
    match action:
        case AskPerson():
            yield "for a person"
        case WaitEvent():
            yield "for an event from outside"
        case WaitUntil():
            yield "until a certain moment"
        case WaitFor(seconds=length) if isinstance(length, Expression) or length > SHORT:
            yield "for a time"


def _course(analysis: FlowAnalysis, way: Way, node: int) -> str:
    """Describe how an exit leads to a step."""
    course = analysis.graph.course(way)
    return describe_path(course, path_between(course, START, node), node)
