"""The plan of a generated module as plain data, without the module: what the runtime would tell of its class.

Who compares two versions of a long workflow needs no more than their plans; to print, read and load both modules for
that takes many times as long. The data are those of the runtime's ``store/versions/describing``, but for classes that
no run has values of (the config's). Tests hold both against each other for all specs that there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from wfc.compiler.codegen.bindings import retry_arguments
from wfc.compiler.codegen.methods.runs import HOOKS
from wfc.compiler.codegen.methods.uses import mentioned_paths, paths_of_entry
from wfc.compiler.codegen.names import ModuleNames
from wfc.compiler.codegen.plan_types import TypeData
from wfc.compiler.expressions import Expression, Template
from wfc.compiler.model import (
    USUAL_CONCURRENCY,
    AskPerson,
    CommandCall,
    Emit,
    EmitEach,
    Event,
    Exit,
    ForgetCall,
    HttpCall,
    Join,
    LlmCall,
    RememberCall,
    RetrieveCall,
    Retry,
    Save,
    SendEvent,
    Step,
    ToolCall,
    WaitEvent,
    WaitFor,
    WaitUntil,
    Workflow,
    WorkflowCall,
)
from wfc.compiler.model.flow import emits
from wfc.compiler.slotted import fields, is_dataclass
from wfc.compiler.types import Record, Scalar, Type

__all__ = ["plan_data"]

FORMAT: Final = 1
"""The format of the runtime's descriptions; neither house imports the other, so each has the number."""

_PAUSES: Final = {
    AskPerson: "Question",
    WaitFor: "Delay",
    WaitUntil: "Until",
    WaitEvent: "Outside",
    WorkflowCall: "Child",
}
_CALLS: Final = (LlmCall, ToolCall, HttpCall, CommandCall, RetrieveCall, RememberCall, ForgetCall)
_PLAIN: Final = (type(None), *_CALLS, SendEvent, *_PAUSES)
_JOINS: Final = {"all": "AllOf", "any": "FirstOf"}

Data = dict[str, Any]


def plan_data(workflow: Workflow) -> Data | None:
    """Return the plan of a resolved workflow without errors.

    Returns:
        ``None`` for one in which steps do something for each of some items or let agents work, or that is made of
        classes of the runtime: those are known from its module.
    """
    steps = workflow.steps
    if not all(isinstance(step.action, _PLAIN) for step in steps):
        return None
    types = TypeData(ModuleNames(workflow))
    ways = [
        emit.event.name
        for _, exit_ in workflow.run.exits
        for emit, _ in _emitted(exit_)
        if emit.event.role == "message"
    ]
    data: Data = {
        "format": FORMAT,
        "order": [step.name for step in steps],
        "state": "State" if _uses_state(workflow) else "DictState",
        "starts": [workflow.start.name] if any(_accepts(step, workflow.start.name) for step in steps) else [],
        "receives": sorted(each.event.name for each in workflow.receives),
        "exits": sorted(HOOKS[key][0] for key, _ in workflow.run.exits),
        "ways": sorted(set(ways)),
        "steps": {step.name: {**_step(step, types), "batches": {}} for step in steps},
    }
    if any(map(_collects, steps)):
        acceptors: dict[str, list[Step]] = {}
        for step in steps:
            for event in step.accepts.events:
                acceptors.setdefault(event.name, []).append(step)
        for step in steps:
            data["steps"][step.name]["batches"] = _batches(step, steps, acceptors)
    held = [*_held(workflow), *([workflow.state] if data["state"] == "State" else [])]
    classes = types.classes(held)
    return None if classes is None else {**data, "classes": classes}


def _held(workflow: Workflow) -> Iterator[Type]:
    """Yield the types of what a run may have besides its state."""
    yield from (each.event.record for each in workflow.receives)
    yield from (emit.event.record for _, exit_ in workflow.run.exits for emit, _ in _emitted(exit_))
    for step in workflow.steps:
        yield from (event.record for event in step.accepts.events)
        yield from (emit.event.record for exit_ in _exits(step).values() for emit, _ in _emitted(exit_))
        if step.result is not None:
            yield step.result
        if isinstance(step.action, AskPerson) and step.action.form is not None:
            yield step.action.form
        if isinstance(step.action, WaitEvent):
            yield from (event.record for event in step.action.events)


def _collects(step: Step) -> bool:
    return isinstance(step.accepts, Join) and step.accepts.form == "each"


def _accepts(step: Step, event: str) -> bool:
    return any(each.name == event for each in step.accepts.events)


def _emitted(exit_: Exit) -> Iterator[tuple[Emit, EmitEach | None]]:
    for entry in exit_.entries:
        yield from emits(entry.emission)


def _uses_state(workflow: Workflow) -> bool:
    """Return whether any function of a step is given the state."""
    if not workflow.state.fields:
        return False
    return any(_mentions_state(each) for each in (*workflow.steps, *workflow.run.exits))


def _mentions_state(node: object) -> bool:
    if isinstance(node, Expression | Template):
        return any(path[0] == "state" for path in node.uses)
    if isinstance(node, tuple):
        return any(map(_mentions_state, node))
    if isinstance(node, Mapping):
        return any(map(_mentions_state, node.values()))
    if isinstance(node, Save):
        return True
    if not is_dataclass(node) or isinstance(node, type | Event | Record | Scalar):
        return False
    return any(_mentions_state(getattr(node, each.name)) for each in fields(node))


# --- steps


def _exits(step: Step) -> dict[str, Exit]:
    """Return the exits of a step, by the names that the runtime has for their functions."""
    found = {
        "then": step.emit,
        "on_error": step.on_error,
        "on_limit": step.on_limit,
        "on_timeout": step.on_timeout,
        "on_expired": step.on_expired,
    }
    return {name: exit_ for name, exit_ in found.items() if exit_ is not None}


def _step(step: Step, types: TypeData) -> Data:
    action, accepts = step.action, step.accepts
    exits = _exits(step)
    join = accepts if isinstance(accepts, Join) else None
    pause = _PAUSES.get(type(action))
    form = types.of_record(action.form) if isinstance(action, AskPerson) else None
    attempts = step.acts and (pause is None or isinstance(action, WorkflowCall))
    return {
        "accepts": [*dict.fromkeys(event.name for event in accepts.events)],
        "subclasses": False,
        "slots": []
        if join is None or _collects(step)
        else [[event.name for event in slot] for slot in join.slots],
        "collects": _collects(step),
        "take": None,
        "emits": sorted({emit.event.name for exit_ in exits.values() for emit, _ in _emitted(exit_)}),
        "join": None if join is None else _join(join),
        "matches": False,
        "pauses": [] if pause is None else [pause],
        "forms": [form] if isinstance(action, AskPerson) else [],
        "awaits": [event.name for event in action.events] if isinstance(action, WaitEvent) else [],
        "exits": sorted(_functions(step, exits)),
        "acts": step.acts,
        "limit": step.max_runs if isinstance(step.max_runs, int | None) else "computed",
        "recoveries": 0,
        "workers": step.concurrency if attempts and isinstance(step.concurrency, int) else USUAL_CONCURRENCY,
        "own_key": step.idempotency_key is not None,
        "result": _result(step, types),
        "takes": [types.of(step.result)] if step.result is not None and _uses_result(step) else [],
        "soft": {
            "retry": _retry(step.retry) if attempts and step.retry is not None else None,
            "timeout": step.timeout if attempts and isinstance(step.timeout, float) else None,
            "within": join.within if join is not None and isinstance(join.within, float) else None,
            "proceed": join is not None and join.proceed,
            "bound": step.within if isinstance(step.within, float) else None,
        },
    }


def _functions(step: Step, exits: Mapping[str, Exit]) -> Iterator[str]:
    """Yield what there are functions of a step for, besides its own."""
    yield from (name for name in exits if step.acts or name != "then")
    if step.acts and step.require:
        yield "require"
    if isinstance(step.action, WaitEvent) and step.action.that is not None:
        yield "that"
    if isinstance(step.max_runs, Expression):
        yield "max_runs"
    if step.idempotency_key is not None:
        yield "idempotency_key"
    if step.stream is not None:
        if step.stream.before is not None:
            yield "stream_before"
        if step.stream.after is not None:
            yield "stream_after"


def _result(step: Step, types: TypeData) -> Any:
    if not step.acts:
        return types.union(types.emitted(entry.emission) for entry in step.emit.entries)
    if isinstance(step.action, AskPerson):
        return types.of_record(step.action.form)
    if isinstance(step.action, WaitEvent):
        return types.union(types.of_record(event.record) for event in step.action.events)
    return "none" if step.result is None else types.of(step.result)


def _uses_result(step: Step) -> bool:
    """Return whether a step's tail is given the result of its action."""
    if not step.acts:
        return False
    return any(path[0] == "result" for path in _paths_of_tail(step))


def _paths_of_tail(step: Step) -> Iterator[tuple[str, ...]]:
    for save in step.save:
        yield from mentioned_paths(save.value)
    for number, entry in enumerate(step.emit.entries, 1):
        for save in entry.save:
            yield from mentioned_paths(save.value)
        if number < len(step.emit.entries):
            yield from paths_of_entry(entry)
        else:  # it is taken where no other is
            yield from mentioned_paths(entry.emission)


Acceptors = Mapping[str, Sequence[Step]]


def _batches(opener: Step, steps: Sequence[Step], acceptors: Acceptors) -> dict[str, list[str]]:
    """Return which steps collect each batch that a step may open, by the event of its items; empty: any of them."""
    events = dict.fromkeys(
        emit.event.name
        for exit_ in _exits(opener).values()
        for emit, each in _emitted(exit_)
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
            after = inner - 1 if _collects(step) else inner
            if after >= 0:
                emitted = (one for exit_ in _exits(step).values() for one in _emitted(exit_))
                todo += [(emit.event.name, after + (each is not None)) for emit, each in emitted]
    for step in steps:
        if isinstance(step.accepts, Join) and _collects(step) and step.name in reached:
            fork = step.accepts.fork
            if fork == opener.name or (fork is None and 0 in reached[step.name]):
                yield step.name


def _join(join: Join) -> Data:
    if join.form == "each":
        count = join.count if isinstance(join.count, int) else None
        return {"kind": "EachOf", "fork": join.fork, "count": count, "rest": join.rest}
    is_counted = join.form == "any" and join.count is not None
    return {
        "kind": "AtLeast" if is_counted else _JOINS[join.form],
        "fork": join.fork,
        "count": join.count if is_counted else None,
        "rest": None if join.form == "all" else "cancel" if join.rest == "cancel" else "finish",
    }


def _retry(policy: Retry) -> Data:
    """Return what a retry policy says; what it takes from the config is as where nothing is said."""
    usual: Data = {
        "max_attempts": 3,
        "delay": 1.0,
        "backoff": 2.0,
        "max_delay": None,
        "total_timeout": None,
        "retry_on": [],
        "never_on": [],
    }
    said = {
        name: [*one] if isinstance(one, tuple) else one
        for name, one in retry_arguments(policy).items()
        if name in usual and one is not None and not isinstance(one, Expression)
    }
    return usual | said
