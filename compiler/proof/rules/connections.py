"""Rule 1: each event comes from somewhere and leads somewhere, each step can run, and each end is emitted."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.model import Emit, SendEvent
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.proof.graph import components, paths
from wfc.compiler.rules import flow as problems
from wfc.compiler.types import Enumeration, Record, Scalar, within

__all__ = ["ends_are_reached", "events_lead_somewhere", "steps_are_reached"]


def events_lead_somewhere(analysis: FlowAnalysis, report: Report) -> None:
    """Each event has a producer, and an acceptor unless it is an end."""
    workflow, graph = analysis.workflow, analysis.graph
    emitted = {workflow.start.name: None, **dict.fromkeys(emit.event.name for emit, _ in analysis.emits)}
    emitted |= dict.fromkeys(received.event.name for received in workflow.receives)
    orphans: set[str] = set()
    for node, unit in enumerate(graph.nodes):
        for slot, event in enumerate(unit.slots):
            if event not in emitted and event not in graph.ends and event not in orphans:
                orphans.add(event)
                report(problems.event_never_emitted(analysis.accepted(node, slot), event, unit.name))
    lost: set[str] = set()
    if workflow.start.name not in graph.acceptors and workflow.start.name not in graph.ends:
        lost.add(workflow.start.name)
        report(problems.event_never_accepted(Place(("start",)), workflow.start.name, "start"))
    for emit, step in analysis.emits:
        name = emit.event.name
        if emit.event.role == "message" and name not in graph.acceptors and name not in lost:
            lost.add(name)
            report(problems.event_never_accepted(Place(emit.named or emit.address), name, step))
    mentioned = {
        *emitted,
        *graph.acceptors,
        *graph.ends,
        *_used_as_types(analysis),
        *_told_to_others(analysis),
    }
    mentioned |= {declared.extends for declared in workflow.events}
    for declared in workflow.events:
        if declared.name not in mentioned:
            report(problems.unused_event(Place(declared.address).key, declared.name))


def _told_to_others(analysis: FlowAnalysis) -> Iterator[str]:
    """Yield the events that are only streamed to observers, or sent to another run."""
    for step in analysis.workflow.steps:
        if isinstance(step.action, SendEvent):
            yield step.action.emit.event.name
        for said in (step.stream.before, step.stream.after) if step.stream is not None else ():
            if isinstance(said, Emit):
                yield said.event.name


def _used_as_types(analysis: FlowAnalysis) -> set[str]:
    """Return the names of events that are also the types of fields somewhere."""
    workflow = analysis.workflow
    roots = [
        *workflow.types,
        *workflow.outputs,
        workflow.state,
        workflow.config,
        *(e.record for e in workflow.events),
    ]
    fields = [
        field.type
        for root in roots
        if isinstance(root, Record)
        for field in root.fields.values()
        if not isinstance(field.type, (Scalar, Enumeration))  # as most are
    ]
    results = [step.result for step in workflow.steps if step.result is not None]
    return {each.name for each in within(*fields, *results) if isinstance(each, Record)}


def steps_are_reached(analysis: FlowAnalysis, report: Report) -> None:
    """Report steps that cannot run. Of steps that follow one that cannot, only the first of the chain is
    reported.
    """
    graph = analysis.graph
    dead = [node for node in range(len(graph.nodes)) if node not in graph.alive]
    if not dead:
        return
    inside = set(dead)

    def edges(node: int) -> Iterator[tuple[paths.Hop, int]]:
        if node in inside:
            yield from (edge for edge in paths.hops_from(graph, node) if edge[1] in inside)

    followers = {target for node in dead for _hop, target in edges(node)}
    for circle in components.components(len(graph.nodes), edges):
        if not any(
            source in inside and source not in circle for node in circle for source in graph.before[node]
        ):
            followers.difference_update(circle[:1])
            followers.update(circle[1:])
    for node in dead:
        if node not in followers and not _explained(analysis, node):
            _report_unreached(analysis, node, report)


def _explained(analysis: FlowAnalysis, node: int) -> bool:
    """Return whether a finding about one of the events that a step waits for explains why it cannot run."""
    return any(event not in analysis.graph.producers for event in analysis.graph.nodes[node].slots)


def _report_unreached(analysis: FlowAnalysis, node: int, report: Report) -> None:
    graph = analysis.graph
    unit = graph.nodes[node]
    waits = [
        event
        for event in unit.slots
        if all(source not in graph.alive for source, _way in graph.producers[event])
    ]
    senders = dict.fromkeys(
        analysis.name(source) for event in waits for source, _way in graph.producers[event]
    )
    if waits:
        place = Place(unit.address).key
        together = unit.slots if unit.form == "all" and unit.width == len(unit.slots) > 1 else ()
        report(problems.unreachable_step(place, unit.name, waits, list(senders), together))


def ends_are_reached(analysis: FlowAnalysis, report: Report) -> None:
    """Each event under `end` is emitted by some step."""
    emitted = {emit.event.name for emit, _step in analysis.emits}
    several = len(analysis.workflow.end) > 1
    for index, event in enumerate(analysis.workflow.end):
        if event.name not in emitted and event.role == "end":
            place = Place(("end",))
            report(problems.unreachable_end(place / index if several else place, event.name))
