"""Rule 1: each event comes from somewhere and leads somewhere, each step can run, and each end is emitted."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.model import Emit, SendEvent
from wfc.compiler.model.accepts import Join
from wfc.compiler.model.flow import emits_of
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.proof.graph import components, paths
from wfc.compiler.proof.graph.flow_graph import FlowGraph
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
    in_batches: set[str] | None = None
    for emit, step in analysis.emits:
        name = emit.event.name
        if emit.event.role == "message" and name not in graph.acceptors and name not in lost:
            lost.add(name)
            in_batches = _in_batches(analysis) if in_batches is None else in_batches
            place = Place(emit.named or emit.address)
            report(problems.event_never_accepted(place, name, step, in_batch=name in in_batches))
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


def _in_batches(analysis: FlowAnalysis) -> set[str]:
    """Return the events that come once for each item of a batch, up to the joins that wait for all of them."""
    steps = {step.name: step for step in analysis.workflow.steps}
    of_steps = {name: list(emits_of(step)) for name, step in steps.items()}
    found = {emit.event.name for emits in of_steps.values() for emit, each in emits if each is not None}
    left = [*found]
    while left:
        for node, _slot in analysis.graph.acceptors.get(left.pop(), ()):
            step = steps.get(analysis.graph.nodes[node].name)
            if step is None or (isinstance(step.accepts, Join) and step.accepts.form == "each"):
                continue
            new = {emit.event.name for emit, _each in of_steps[step.name]} - found
            found |= new
            left += new
    return found


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
    """Report steps that cannot run, and entries for events that never come to a step that can. Of what follows from
    something that cannot be, only the first of the chain is reported.
    """
    graph = analysis.graph
    dead = _dead(graph)
    if not dead:
        return
    after = _following(graph, dead)
    before: list[set[int]] = [set() for _ in dead]
    for source, targets in enumerate(after):
        for target in targets:
            before[target].add(source)
    first = [not sources for sources in before]
    for circle in components.components(len(dead), lambda each: ((None, to) for to in after[each])):
        if not any(before[each].difference(circle) for each in circle):
            first[min(circle, key=partial(_rank, dead, before))] = True
    for (node, came), is_first in zip(dead, first, strict=True):
        if is_first and not came and not _explained(analysis, node):
            _report_unreached(analysis, node, report)
        elif is_first and came in graph.producers:
            _report_entry(analysis, node, came, report)


def _rank(dead: list[tuple[int, str]], before: list[set[int]], each: int) -> tuple[bool, bool, int]:
    """Return the place of a part of a circle among those that may be told: best a step behind an entry of one that
    runs.
    """
    return dead[each][1] != "", not any(dead[source][1] for source in before[each]), each


def _dead(graph: FlowGraph) -> list[tuple[int, str]]:
    """Return the nodes that cannot run, each with the empty text, and of the others the events that never come, where
    they tell them apart.
    """
    dead = []
    for node, unit in enumerate(graph.nodes):
        if node not in graph.alive:
            dead.append((node, ""))
        elif unit.told_apart:
            dead += [(node, event) for event in unit.slots if (node, event) not in graph.arrivals]
    return dead


def _following(graph: FlowGraph, dead: list[tuple[int, str]]) -> list[list[int]]:
    """Return for each of what cannot be those of the others that it would lead to, by their places in the list."""
    number = {each: at for at, each in enumerate(dead)}
    after: list[list[int]] = []
    for node, came in dead:
        found: dict[int, None] = {}
        for hop, target in paths.hops_from(graph, node):
            if not came or (hop.way.is_open_to(came) and not graph.is_taken(node, hop.way)):
                to = number.get((target, ""), number.get((target, hop.event)))
                found |= {to: None} if to is not None else {}
        after.append(list(found))
    return after


def _explained(analysis: FlowAnalysis, node: int) -> bool:
    """Return whether a finding about one of the events that a step waits for explains why it cannot run."""
    return any(event not in analysis.graph.producers for event in analysis.graph.nodes[node].slots)


def _report_unreached(analysis: FlowAnalysis, node: int, report: Report) -> None:
    graph = analysis.graph
    unit = graph.nodes[node]
    waits = [
        event
        for event in unit.slots
        if not any(graph.is_taken(source, way) for source, way in graph.producers[event])
    ]
    senders: dict[str, dict[str, None]] = {}
    for source, way in (each for event in waits for each in graph.producers[event]):
        asked = [event for event in graph.nodes[source].slots if event in way.only_for]
        senders.setdefault(analysis.name(source), {}).update(
            dict.fromkeys(asked if source in graph.alive else ())
        )
    if waits:
        place = Place(unit.address).key
        together = unit.slots if unit.form == "all" and unit.width == len(unit.slots) > 1 else ()
        report(problems.unreachable_step(place, unit.name, waits, senders, together))


def _report_entry(analysis: FlowAnalysis, node: int, came: str, report: Report) -> None:
    """Report the first entry of a step that could only be taken after an event that never comes."""
    graph = analysis.graph
    for way in graph.nodes[node].ways:
        if way.only_for and way.is_open_to(came) and not graph.is_taken(node, way):
            place = analysis.way(node, way)
            report(problems.entry_never_taken(place, analysis.name(node), way.occasion, None, after=came))
            return


def ends_are_reached(analysis: FlowAnalysis, report: Report) -> None:
    """Each event under `end` is emitted by some step."""
    emitted = {emit.event.name for emit, _step in analysis.emits}
    several = len(analysis.workflow.end) > 1
    for index, event in enumerate(analysis.workflow.end):
        if event.name not in emitted and event.role == "end":
            place = Place(("end",))
            report(problems.unreachable_end(place / index if several else place, event.name))
