"""Checks of the flow of events through a workflow class, before anything runs."""

from __future__ import annotations

from wfc.runtime.errors import WorkflowValidationError
from wfc.runtime.events import HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent, event_name
from wfc.runtime.table import EventClass, StepTable

__all__ = ["check_flow"]


def check_flow(table: StepTable) -> None:
    """Every event comes from somewhere and goes somewhere; there is a start and an end.

    Raises:
        WorkflowValidationError: It is not so; the message has all that was found.
    """
    found = [*_ends(table), *_events(table), *_collectors(table), *_unreachable(table)]
    if found:
        raise WorkflowValidationError(f"{table.owner} cannot be run: " + "; ".join(found))


def _ends(table: StepTable) -> list[str]:
    found = []
    if not table.steps:
        return ["it has no steps"]
    accepted = {event for step in table.steps for event in step.accepts}
    emitted = {event for step in table.steps for event in step.emits}
    starts = sorted(event_name(event) for event in accepted if issubclass(event, StartEvent))
    if not starts:
        found.append("no step accepts a StartEvent")
    if len(starts) > 1:
        found.append(f"steps accept different start events: {', '.join(starts)}")
    if not any(issubclass(event, StopEvent) for event in emitted):
        found.append("no step emits a StopEvent")
    if stopping := [
        step.name for step in table.steps for event in step.accepts if issubclass(event, StopEvent)
    ]:
        found.append(f"a StopEvent ends the run, so no step can accept one: {_names(stopping)}")
    return found


def _events(table: StepTable) -> list[str]:
    found = []
    emitted = {event for step in table.steps for event in step.emits}
    for step in table.steps:
        for event in step.accepts:
            if issubclass(event, StartEvent | StopEvent | HumanResponseEvent | InputRequiredEvent):
                continue
            if not any(one is event or (step.subclasses and issubclass(one, event)) for one in emitted):
                found.append(f"no step emits {event_name(event)}, which `{step.name}` accepts")
        for event in dict.fromkeys(step.emits):
            if issubclass(event, StopEvent | InputRequiredEvent | HumanResponseEvent):
                continue
            if not table.acceptors(event):
                found.append(f"no step accepts {event_name(event)}, which `{step.name}` emits")
    return found


def _collectors(table: StepTable) -> list[str]:
    bound = {step for opener in table.steps for steps in opener.batches.values() for step in steps}
    return [
        f"step `{step.name}` collects a batch, but no list of events that a step returns leads to it"
        for step in table.steps
        if step.collects and step not in bound
    ]


def _unreachable(table: StepTable) -> list[str]:
    todo: list[EventClass] = [
        event
        for step in table.steps
        for event in step.accepts
        if issubclass(event, StartEvent | HumanResponseEvent)
    ]
    reached = set()
    seen: set[EventClass] = set()
    while todo:
        event = todo.pop()
        if event in seen:
            continue
        seen.add(event)
        for step in table.acceptors(event):
            reached.add(step)
            todo.extend(step.emits)
    lost = [step.name for step in table.steps if step not in reached and "reachability" not in step.skips]
    return [f"nothing leads to {_names(lost)}"] if lost else []


def _names(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
