"""What the proof knows of a workflow without mistakes: its ends, joins, waits, loops and races, as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wfc.compiler.diagnostics import Finding
from wfc.compiler.model import (
    AskPerson,
    Fail,
    Join,
    Restart,
    SendEvent,
    Step,
    WaitEvent,
    WaitFor,
    WaitUntil,
    Workflow,
    clock_start,
)
from wfc.compiler.model.agents import saves_of_calls
from wfc.compiler.model.bounds import length, number
from wfc.compiler.model.flow import emits, exits
from wfc.compiler.proof.analysis import FlowAnalysis
from wfc.compiler.proof.graph import components, paths
from wfc.compiler.proof.graph.concurrency import members
from wfc.compiler.proof.rules.races import describe_courses, races_are_declared, shared_uses, side_by_side

__all__ = ["proof_facts"]

Fact = dict[str, Any]


def proof_facts(workflow: Workflow) -> dict[str, Any]:
    """Return what the proof knows of a workflow, as JSON data; ``docs/cli.md`` says what each entry means."""
    analysis = FlowAnalysis(workflow)
    return {
        "ends": list(_ends(workflow)),
        "deadline": length(workflow.deadline) if workflow.deadline is not None else None,
        "failures": list(_failures(workflow)),
        "joins": [_join(step, step.accepts) for step in workflow.steps if isinstance(step.accepts, Join)],
        "waits": list(_waits(workflow)),
        "without_timeout": [step.name for step in workflow.steps if _acts(step) and step.timeout is None],
        "loops": list(_loops(analysis)),
        "restarts": list(_restarts(workflow)),
        "races": list(_races(analysis)),
        "declared": list(_declared(workflow)),
        "failure_beside_end": list(_failures_beside_ends(analysis)),
    }


def _ends(workflow: Workflow) -> Iterator[Fact]:
    """Yield each way in which a run may end by itself, with who takes it."""
    for event in workflow.end:
        by = [
            step.name if key == "emit" else f"{step.name} ({key})"
            for step in workflow.steps
            for key, exit_ in exits(step)
            if any(emit.event is event for entry in exit_.entries for emit, _ in emits(entry.emission))
        ]
        by += [
            f"the run's {key}"
            for key, exit_ in workflow.run.exits
            if any(emit.event is event for entry in exit_.entries for emit, _ in emits(entry.emission))
        ]
        yield {"event": event.name, "by": list(dict.fromkeys(by))}


def _acts(step: Step) -> bool:
    """Return whether a step does something that may fail or take time, other than waiting."""
    waiting = AskPerson | WaitFor | WaitUntil | WaitEvent | SendEvent
    return step.action is not None and not isinstance(step.action, waiting)


def _failing(workflow: Workflow) -> list[Step]:
    """Return the steps whose action may fail without a way out of the step's own for each failure."""
    return [
        step
        for step in workflow.steps
        if _acts(step) and (step.on_error is None or not step.on_error.exhaustive)
    ]


def _failures(workflow: Workflow) -> Iterator[Fact]:
    """Yield where a run may fail: by an error that its step does not take, by `fail`, or over a bound."""
    failing = {step.name for step in _failing(workflow)}
    for step in workflow.steps:
        if step.name in failing:
            yield {"step": step.name, "by": "error", "caught_by": _caught_by_run(workflow)}
        for key, exit_ in exits(step):
            if any(isinstance(entry.emission, Fail) for entry in exit_.entries):
                yield {"step": step.name, "by": f"fail in {key}", "caught_by": None}
        if step.max_runs is not None and step.on_limit is None:
            yield {"step": step.name, "by": "max_runs", "caught_by": _caught_by_run(workflow)}


def _caught_by_run(workflow: Workflow) -> str | None:
    return "on_error" if workflow.run.on_error is not None else None


def _join(step: Step, join: Join) -> Fact:
    slots = [[event.name for event in slot] for slot in join.slots]
    then = None
    if join.timed:
        then = "proceed" if join.proceed else "on_timeout" if step.on_timeout is not None else "fail"
    return {
        "step": step.name,
        "form": join.form,
        "events": slots,
        "count": number(join.count) if join.count is not None else None,
        "fork": join.fork,
        "counts_from": clock_start(join) if join.within is not None else None,
        "within": length(join.within) if join.within is not None else None,
        "until": join.until.text.strip() if join.until is not None else None,
        "then": then,
    }


def _waits(workflow: Workflow) -> Iterator[Fact]:
    """Yield what waits for a time, a person or something outside, and what bounds it."""
    for step in workflow.steps:
        action = step.action
        if isinstance(action, AskPerson):
            yield {"step": step.name, "for": "a person", "bounds": _bounds(step)}
        elif isinstance(action, WaitEvent):
            names = " or ".join(event.name for event in action.events)
            yield {"step": step.name, "for": names, "bounds": _bounds(step)}
        elif isinstance(action, WaitFor):
            yield {"step": step.name, "for": "a time", "bounds": [f"for {length(action.seconds)}"]}
        elif isinstance(action, WaitUntil):
            yield {"step": step.name, "for": "a time", "bounds": [f"until {action.moment.text.strip()}"]}
        for event in step.accepts.events:
            if event.name in workflow.outside:
                deadline = workflow.deadline
                bounds = [f"deadline {length(deadline)}"] if deadline is not None else []
                yield {"step": step.name, "for": event.name, "bounds": bounds}


def _bounds(step: Step) -> list[str]:
    found = [f"within {length(step.within)}"] if step.within is not None else []
    return [*found, *([f"until {step.until.text.strip()}"] if step.until is not None else [])]


def _loops(analysis: FlowAnalysis) -> Iterator[Fact]:
    """Yield the loops of a flow, each with a way around it and the steps that bound it."""
    graph = analysis.graph
    arrivals = components.Arrivals(graph)

    def edges(arrival: int) -> Iterator[tuple[paths.Hop, int]]:
        return arrivals.edges_of(arrival, only_limit=False)

    for met in components.components(len(arrivals.nodes), edges):
        inside = set(met)

        def within(arrival: int, inside: set[int] = inside) -> Iterator[tuple[paths.Hop, int]]:
            return (edge for edge in edges(arrival) if edge[1] in inside)

        loop = sorted({arrivals.nodes[arrival] for arrival in met})
        head = next((node for node in loop if graph.nodes[node].bounded), loop[0])
        first = next(arrival for arrival in met if arrivals.nodes[arrival] == head)
        bounds = [
            {"step": step.name, "max_runs": number(step.max_runs)}
            for step in map(analysis.step, loop)
            if step.max_runs is not None
        ]
        yield {
            "steps": [analysis.name(node) for node in loop],
            "way": paths.describe_path(graph, paths.cycle(graph, first, within), head),
            "bounded_by": bounds,
        }


def _restarts(workflow: Workflow) -> Iterator[Fact]:
    """Yield where a run begins anew, which nothing bounds."""
    for step in workflow.steps:
        for key, exit_ in exits(step):
            if any(isinstance(entry.emission, Restart) for entry in exit_.entries):
                yield {"step": step.name, "exit": key}
    for key, exit_ in workflow.run.exits:
        if any(isinstance(entry.emission, Restart) for entry in exit_.entries):
            yield {"step": None, "exit": key}


def _races(analysis: FlowAnalysis) -> Iterator[Fact]:
    """Yield the races that nothing declares, also those whose warning is suppressed."""
    found: list[Finding] = []
    if analysis.graph.parts:
        races_are_declared(analysis, found.append)
    for finding in found:
        yield {"code": finding.code, "message": finding.message}


def _declared(workflow: Workflow) -> Iterator[Fact]:
    """Yield what authors have said about races: what becomes of slower branches, and how saves are put together."""
    merged: dict[str, None] = {}
    for step in workflow.steps:
        if isinstance(step.accepts, Join) and step.accepts.rest is not None:
            yield {"step": step.name, "rest": step.accepts.rest}
        of_entries = (save for _, exit_ in exits(step) for entry in exit_.entries for save in entry.save)
        merged |= dict.fromkeys(
            save.field
            for save in (*step.save, *saves_of_calls(step.action), *of_entries)
            if save.merge is not None
        )
    for field in merged:
        yield {"field": field}


def _failures_beside_ends(analysis: FlowAnalysis) -> Iterator[Fact]:
    """Yield each step whose uncaught failure races with ends of the run: which comes first decides the outcome."""
    graph, workflow = analysis.graph, analysis.workflow
    if analysis.misplaced or not graph.parts:
        return
    alive = [node for node in range(1, len(graph.nodes)) if node in graph.alive]
    names = {step.name for step in _failing(workflow)}
    failing = sum(1 << node for node in alive if analysis.name(node) in names)
    ending = sum(1 << node for node in alive if shared_uses(analysis, node).stops is not None)
    beside: dict[int, dict[int, int]] = {}
    for parting in side_by_side(analysis):
        for some, others in ((parting.one, parting.other), (parting.other, parting.one)):
            for one in members(some & failing) if not parting.outside else ():
                for other in members(others & ending):
                    beside.setdefault(one, {}).setdefault(other, parting.node)
    for one, others_of_one in sorted(beside.items()):
        first, parted = next(iter(others_of_one.items()))
        yield {
            "step": analysis.name(one),
            "ends_by": [analysis.name(other) for other in sorted(others_of_one)],
            "caught_by": _caught_by_run(workflow),
            "courses": describe_courses(analysis, parted, one, first),
        }
