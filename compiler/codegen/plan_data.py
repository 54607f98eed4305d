"""The plan of a generated module as plain data, without the module: what the runtime would tell of its class.

Who compares two versions of a long workflow needs no more than their plans; to print, read and load both modules for
that takes many times as long. The data are those of the runtime's ``store/versions/describing``, but for classes that
no run has values of (the config's). Tests hold both against each other for all specs that there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from wfc.compiler.codegen.methods.runs import HOOKS
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.plan_steps import collects, emitted, exits_of, items_data, step_data
from wfc.compiler.codegen.plan_types import TypeData
from wfc.compiler.expressions import Expression, Template
from wfc.compiler.model import (
    Agent,
    AskPerson,
    Event,
    Join,
    MapItems,
    Pause,
    RunsInside,
    Save,
    Step,
    WaitEvent,
    Workflow,
)
from wfc.compiler.slotted import fields, is_dataclass
from wfc.compiler.types import Record, Scalar, Type

__all__ = ["plan_data"]

FORMAT: Final = 1
"""The format of the runtime's descriptions; neither house imports the other, so each has the number."""

Data = dict[str, Any]


def plan_data(workflow: Workflow) -> Data | None:
    """Return the plan of a resolved workflow without errors.

    Returns:
        ``None`` for one in which two classes have one name, or a tail asks how an answer came about that is no text,
        record or list of these: what the runtime calls those classes is known from its module.
    """
    steps = workflow.steps
    types = TypeData(ModuleNames(workflow))
    ways = [
        emit.event.name
        for _, exit_ in workflow.run.exits
        for emit, _ in emitted(exit_)
        if emit.event.role == "message"
    ]
    found = {step.name: step_data(step, types) for step in steps}
    if any(map(collects, steps)):
        acceptors: dict[str, list[Step]] = {}
        for step in steps:
            for event in step.accepts.events:
                acceptors.setdefault(event.name, []).append(step)
        for step in steps:
            found[step.name]["batches"] = _batches(step, steps, acceptors)
    for step in steps:  # those of items come after all others
        if isinstance(step.action, MapItems):
            found[f"{step.name}[]"] = items_data(step, step.action, found[step.name], types)
    data: Data = {
        "format": FORMAT,
        "order": [*found],
        "state": "State" if _uses_state(workflow) else "DictState",
        "starts": [workflow.start.name] if any(_accepts(step, workflow.start.name) for step in steps) else [],
        "receives": sorted(each.event.name for each in workflow.receives),
        "exits": sorted(HOOKS[key][0] for key, _ in workflow.run.exits),
        "ways": sorted(set(ways)),
        "steps": found,
    }
    held = [*_held(workflow), *([workflow.state] if data["state"] == "State" else [])]
    classes = types.classes(held)
    return None if classes is None else {**data, "classes": classes}


def _held(workflow: Workflow) -> Iterator[Type]:
    """Yield the types of what a run may have besides its state."""
    yield from (each.event.record for each in workflow.receives)
    yield from (emit.event.record for _, exit_ in workflow.run.exits for emit, _ in emitted(exit_))
    for step in workflow.steps:
        yield from (event.record for event in step.accepts.events)
        yield from (emit.event.record for exit_ in exits_of(step).values() for emit, _ in emitted(exit_))
        if step.result is not None:
            yield step.result
        if isinstance(step.action, AskPerson) and step.action.form is not None:
            yield step.action.form
        if isinstance(step.action, WaitEvent):
            yield from (event.record for event in step.action.events)
        if isinstance(step.action, MapItems):
            yield from (step.action.item, step.action.result)


def _accepts(step: Step, event: str) -> bool:
    return any(each.name == event for each in step.accepts.events)


def _uses_state(workflow: Workflow) -> bool:
    """Return whether any function of a step is given the state, or a context, which has it."""
    if not workflow.state.fields:
        return False
    if any(_takes_context(step) for step in workflow.steps):
        return True
    seen: set[int] = set()
    return any(_mentions_state(each, seen) for each in (*workflow.steps, *workflow.run.exits))


def _takes_context(step: Step) -> bool:
    """Return whether a step calls something itself, or does so for each item."""
    action = step.action.do if isinstance(step.action, MapItems) else step.action
    return step.acts and not isinstance(action, (Pause, RunsInside))


def _mentions_state(node: object, seen: set[int]) -> bool:
    """Return whether something mentions the state.

    Args:
        seen: The agents that have been looked at: they may hand over to each other in a circle.
    """
    if isinstance(node, Expression | Template):
        return any(path[0] == "state" for path in node.uses)
    if isinstance(node, tuple | list):
        return any(_mentions_state(each, seen) for each in node)
    if isinstance(node, Mapping):
        return any(_mentions_state(each, seen) for each in node.values())
    if isinstance(node, Save):
        return True
    if not is_dataclass(node) or isinstance(node, type | Event | Record | Scalar):
        return False
    if isinstance(node, Agent):
        if id(node) in seen:
            return False
        seen.add(id(node))
    return any(_mentions_state(getattr(node, each.name), seen) for each in fields(node))


# --- batches

Acceptors = Mapping[str, Sequence[Step]]


def _batches(opener: Step, steps: Sequence[Step], acceptors: Acceptors) -> dict[str, list[str]]:
    """Return which steps collect each batch that a step may open, by the event of its items; empty: any of them."""
    events = dict.fromkeys(
        emit.event.name
        for exit_ in exits_of(opener).values()
        for emit, each in emitted(exit_)
        if each is not None
    )
    found = {event: [*_collectors(opener, event, steps, acceptors)] for event in events}
    every = dict.fromkeys(name for names in found.values() for name in names)
    return {**found, "": [*every]} if found else {}


def _collectors(opener: Step, event: str, steps: Sequence[Step], acceptors: Acceptors) -> Iterator[str]:
    """Yield the steps that items of a batch come to while it is the innermost one, or that name its opener."""
    reached: dict[str, set[int]] = {}
    seen: set[tuple[str, int]] = set()
    todo = [(event, 0)]
    while todo:
        name, inner = todo.pop()
        if (name, inner) in seen or inner > len(steps):
            continue
        seen.add((name, inner))
        for step in acceptors.get(name, ()):
            reached.setdefault(step.name, set()).add(inner)
            after = inner - 1 if collects(step) else inner
            if after >= 0:
                every = (one for exit_ in exits_of(step).values() for one in emitted(exit_))
                todo += [(emit.event.name, after + (each is not None)) for emit, each in every]
    for step in steps:
        if isinstance(step.accepts, Join) and collects(step) and step.name in reached:
            fork = step.accepts.fork
            if fork == opener.name or (fork is None and 0 in reached[step.name]):
                yield step.name
