"""Rule 1: every event comes from somewhere and leads somewhere, and every step is reached."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.model import SendEvent
from wfc.compiler.proof.cycles import components
from wfc.compiler.proof.paths import Hop
from wfc.compiler.proof.subject import Subject
from wfc.compiler.rules import flow as problems
from wfc.compiler.types import Record, within

__all__ = ["ends_are_reached", "events_lead_somewhere", "steps_are_reached"]


def events_lead_somewhere(subject: Subject, report: Report) -> None:
    """Each event has a producer, and an acceptor unless it is an end."""
    workflow, net = subject.workflow, subject.net
    emitted = {workflow.start.name: None, **dict.fromkeys(emit.event.name for emit, _ in subject.emits)}
    emitted |= dict.fromkeys(received.event.name for received in workflow.receives)
    orphans: set[str] = set()
    for node, unit in enumerate(net.units):
        for slot, event in enumerate(unit.slots):
            if event not in emitted and event not in net.ends and event not in orphans:
                orphans.add(event)
                report(problems.event_never_emitted(subject.accepted(node, slot), event, unit.name))
    lost: set[str] = set()
    if workflow.start.name not in net.acceptors and workflow.start.name not in net.ends:
        lost.add(workflow.start.name)
        report(problems.event_never_accepted(Place(("start",)), workflow.start.name, "start"))
    for emit, step in subject.emits:
        name = emit.event.name
        if emit.event.role == "message" and name not in net.acceptors and name not in lost:
            lost.add(name)
            report(problems.event_never_accepted(Place(emit.named or emit.address), name, step))
    mentioned = {*emitted, *net.acceptors, *net.ends, *_used_as_types(subject), *_told_to_others(subject)}
    mentioned |= {declared.extends for declared in workflow.events}
    for declared in workflow.events:
        if declared.name not in mentioned:
            report(problems.unused_event(Place(declared.address).key, declared.name))


def _told_to_others(subject: Subject) -> Iterator[str]:
    """Events that only whoever watches the run is told, or another run."""
    for step in subject.workflow.steps:
        if isinstance(step.action, SendEvent):
            yield step.action.emit.event.name
        if step.stream is not None and step.stream.after_event is not None:
            yield step.stream.after_event.event.name


def _used_as_types(subject: Subject) -> set[str]:
    """Names of events that are also the types of fields somewhere."""
    workflow = subject.workflow
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


def steps_are_reached(subject: Subject, report: Report) -> None:
    """Each step can run. Of steps that follow on one that cannot, only the head of the chain is reported."""
    net = subject.net
    dead = [node for node in range(len(net.units)) if node not in net.alive]
    if not dead:
        return
    inside = set(dead)

    def edges(node: int) -> Iterator[tuple[Hop, int]]:
        if node in inside:
            for way in net.units[node].ways:
                for event in (*way.singles, *way.batches):
                    for target, _slot in net.acceptors.get(event, ()):
                        if target in inside:
                            yield Hop(node, way, event), target

    followers = {target for node in dead for _hop, target in edges(node)}
    for circle in components(len(net.units), edges):
        if not any(
            source in inside and source not in circle for node in circle for source in net.before[node]
        ):
            followers.difference_update(circle[:1])
            followers.update(circle[1:])
    for node in dead:
        if node not in followers and not _explained(subject, node):
            _report_unreached(subject, node, report)


def _explained(subject: Subject, node: int) -> bool:
    """Whether a finding about one of the events that a step waits for covers it."""
    return any(event not in subject.net.producers for event in subject.net.units[node].slots)


def _report_unreached(subject: Subject, node: int, report: Report) -> None:
    net = subject.net
    unit = net.units[node]
    waits = [
        event for event in unit.slots if all(source not in net.alive for source, _way in net.producers[event])
    ]
    senders = dict.fromkeys(subject.name(source) for event in waits for source, _way in net.producers[event])
    if waits:
        place = Place(unit.address).key
        report(problems.unreachable_step(place, unit.name, waits, list(senders)))


def ends_are_reached(subject: Subject, report: Report) -> None:
    """Each event under `end` is emitted by some step."""
    emitted = {emit.event.name for emit, _step in subject.emits}
    several = len(subject.workflow.end) > 1
    for index, event in enumerate(subject.workflow.end):
        if event.name not in emitted and event.role == "end":
            place = Place(("end",))
            report(problems.unreachable_end(place / index if several else place, event.name))
