"""Rule 1, for events: each comes from somewhere and leads somewhere."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.model import SendEvent
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.rules import flow as problems
from wfc.compiler.types import Record, within

__all__ = ["events_lead_somewhere"]


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
        if step.stream is not None and step.stream.after_event is not None:
            yield step.stream.after_event.event.name


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
    fields = [field.type for root in roots if isinstance(root, Record) for field in root.fields.values()]
    results = [step.result for step in workflow.steps if step.result is not None]
    return {each.name for each in within(*fields, *results) if isinstance(each, Record)}
