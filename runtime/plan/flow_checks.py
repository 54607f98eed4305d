"""Checks of the flow of events through a workflow class, before anything runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, get_args

from wfc.runtime.errors import WorkflowConfigurationError, WorkflowValidationError
from wfc.runtime.events import (
    HumanResponseEvent,
    InputRequiredEvent,
    StartEvent,
    StepFailedEvent,
    StopEvent,
    event_name,
)
from wfc.runtime.plan import Plan
from wfc.runtime.plan.namesakes import describe_namesakes
from wfc.runtime.plan.signature import EventClass
from wfc.runtime.plan.step import Step

__all__ = ["FLOW_CHECKS", "WorkflowGraphCheck", "check_ends", "check_flow"]

WorkflowGraphCheck = Literal["reachability", "terminal_event", "dead_end"]

FLOW_CHECKS: frozenset[str] = frozenset(get_args(WorkflowGraphCheck))
"""Checks that a workflow may leave out: a step that nothing leads to, an event that goes nowhere, a dead end."""

_FROM_OUTSIDE = StartEvent | StopEvent | HumanResponseEvent | InputRequiredEvent | StepFailedEvent
_TO_OUTSIDE = StopEvent | InputRequiredEvent | HumanResponseEvent


def check_ends(plan: Plan) -> None:
    """Check that the steps have exactly one kind of start event, and an end event.

    Raises:
        WorkflowConfigurationError: They do not; the message lists all problems found.
    """
    if not plan.steps:
        raise WorkflowConfigurationError(
            f"{plan.owner} has no steps: decorate methods with `@step`, or functions with `@step(workflow=…)`"
        )
    found = []
    accepted = {event for step in plan.steps for event in step.accepts}
    starts = sorted(event_name(event) for event in accepted if issubclass(event, StartEvent))
    if not starts:
        found.append("no step accepts a StartEvent")
    if len(starts) > 1:
        found.append(f"steps accept different start events: {', '.join(starts)}")
    if not any(issubclass(event, StopEvent) for step in plan.steps for event in step.emits):
        found.append("no step emits a StopEvent")
    if found:
        raise WorkflowConfigurationError(f"{plan.owner} cannot be run: " + "; ".join(found))


def check_flow(plan: Plan, skip: Collection[str] = ()) -> None:
    """Check that every event has a source and a target, and every step is reachable and leads to an end.

    Args:
        skip: Checks of ``FLOW_CHECKS`` to leave out.

    Raises:
        WorkflowConfigurationError: There is no start or no end.
        WorkflowValidationError: Something else is wrong; the message lists all problems found.
    """
    check_ends(plan)
    found = [*_stops(plan), *_sources(plan), *_exits(plan)]
    if "terminal_event" not in skip:
        found += _goals(plan)
    if found:
        found += describe_namesakes(event for step in plan.steps for event in (*step.accepts, *step.emits))
    found += [*_collectors(plan), *_levels(plan)]
    found += _unless_skipped(plan, _reached(plan), "reachability", skip, "nothing leads to {}")
    if not found:  # else it would only follow from what is wrong before
        found += _unless_skipped(plan, _leading_out(plan), "dead_end", skip, "no end can follow on {}")
    if found:
        raise WorkflowValidationError(f"{plan.owner} cannot be run: " + "; ".join(found))


def _stops(plan: Plan) -> list[str]:
    stopping = [
        step.name for step in plan.steps if any(issubclass(event, StopEvent) for event in step.accepts)
    ]
    return [f"a StopEvent ends the run, so no step can accept one: {_names(stopping)}"] if stopping else []


def _sources(plan: Plan) -> list[str]:
    emitted = {*plan.events_of_exits, *(event for step in plan.steps for event in step.emits)}
    return [
        f"no step emits {event_name(event)}, which `{step.name}` accepts"
        for step in plan.steps
        for event in step.accepts
        if not issubclass(event, _FROM_OUTSIDE)
        and event not in plan.received
        and not any(one is event or (step.subclasses and issubclass(one, event)) for one in emitted)
    ]


def _goals(plan: Plan) -> list[str]:
    emitted = [(f"`{step.name}`", event) for step in plan.steps for event in dict.fromkeys(step.emits)]
    emitted += [("an exit of the run", event) for event in plan.events_of_exits]
    return [
        f"no step accepts {event_name(event)}, which {emitter} emits"
        for emitter, event in emitted
        if not issubclass(event, _TO_OUTSIDE) and not plan.acceptors(event)
    ]


def _exits(plan: Plan) -> list[str]:
    several = any(signature.emissions.batches for signature in plan.exit_signatures)
    return ["an exit of the run emits a list of events, and can emit only one"] if several else []


def _collectors(plan: Plan) -> list[str]:
    bound = {step for opener in plan.steps for steps in opener.batches.values() for step in steps}
    return [
        f"step `{step.name}` collects a batch, but no list of events that a step returns leads to it"
        for step in plan.steps
        if step.collects and step not in bound
    ]


def _levels(plan: Plan) -> list[str]:
    """Report joins whose events never meet, as one belongs to an item of a batch and another does not."""
    joins = [step for step in plan.steps if step.slots and step.join is None]
    if not joins:
        return []
    seeds = [
        event
        for step in plan.steps
        for event in step.accepts
        if issubclass(event, StartEvent | HumanResponseEvent) or event in plan.received
    ]
    seeds += plan.events_of_exits
    levels = {"outside of batches": _same_level(plan, seeds)}
    for step in plan.steps:
        items = [event for batch in step.emissions.batches for event in batch]
        if items:
            levels[f"in the batches of `{step.name}`"] = _same_level(plan, items)
    return [
        f"step `{step.name}` joins events that never meet: {_places(step, levels)}"
        for step in joins
        if not any(all(_is_in(step, slot.events, level) for slot in step.slots) for level in levels.values())
    ]


def _same_level(plan: Plan, seeds: Iterable[EventClass]) -> set[EventClass]:
    """The events that follow from the seeds within the same item of a batch, or outside of batches."""
    seen: set[tuple[EventClass, int]] = set()
    todo = [(event, 0) for event in seeds]
    while todo:
        event, inner = todo.pop()
        if (event, inner) in seen or inner > len(plan.steps):
            continue
        seen.add((event, inner))
        for step in plan.acceptors(event):
            after = inner - 1 if step.collects else inner
            if after >= 0:
                todo += [(one, after) for one in step.emissions.events]
                todo += [(one, after + 1) for batch in step.emissions.batches for one in batch]
    return {event for event, inner in seen if inner == 0}


def _is_in(step: Step, events: tuple[EventClass, ...], level: set[EventClass]) -> bool:
    return any(one in level or (step.subclasses and any(issubclass(e, one) for e in level)) for one in events)


def _places(step: Step, levels: dict[str, set[EventClass]]) -> str:
    said = []
    for slot in step.slots:
        names = [name for name, level in levels.items() if _is_in(step, slot.events, level)]
        said.append(f"{event_name(slot.events[0])} comes {' or '.join(names) or 'from nowhere'}")
    return ", ".join(said)


def _reached(plan: Plan) -> set[Step]:
    """The steps that a start, an answer from outside, a failure or an exit of the run leads to."""
    todo: list[EventClass] = [
        event
        for step in plan.steps
        for event in step.accepts
        if issubclass(event, StartEvent | HumanResponseEvent | StepFailedEvent) or event in plan.received
    ]
    todo += plan.events_of_exits
    reached = set()
    seen: set[EventClass] = set()
    while todo:
        event = todo.pop()
        if event in seen:
            continue
        seen.add(event)
        for step in plan.acceptors(event):
            reached.add(step)
            todo.extend(step.emits)
    return reached


def _leading_out(plan: Plan) -> set[Step]:
    """The steps from which output can leave the run, or whose branch can end in a step that emits nothing."""
    found = {
        step
        for step in plan.steps
        if not list(step.emits) or any(issubclass(one, StopEvent | InputRequiredEvent) for one in step.emits)
    }
    leading_to: dict[Step, set[Step]] = {}
    for step in plan.steps:
        for event in step.emits:
            for target in plan.acceptors(event):
                leading_to.setdefault(target, set()).add(step)
    todo = list(found)
    while todo:
        new = leading_to.get(todo.pop(), set()) - found
        found |= new
        todo += new
    return found


def _unless_skipped(plan: Plan, good: set[Step], check: str, skip: Collection[str], said: str) -> list[str]:
    if check in skip:
        return []
    lost = [step.name for step in plan.steps if step not in good and check not in step.skips]
    return [said.format(_names(lost))] if lost else []


def _names(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
