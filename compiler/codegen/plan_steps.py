"""The steps of a plan as plain data, as the runtime describes them; see ``plan_data``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from wfc.compiler.codegen.bindings import retry_arguments
from wfc.compiler.codegen.methods.uses import mentioned_paths, paths_of_entry
from wfc.compiler.codegen.plan_types import TypeData
from wfc.compiler.expressions import Expression
from wfc.compiler.model import (
    USUAL_CONCURRENCY,
    AgentCall,
    AskPerson,
    Emit,
    EmitEach,
    Exit,
    Join,
    MapItems,
    Retry,
    RunsInside,
    Step,
    WaitEvent,
    WaitFor,
    WaitUntil,
    WorkflowCall,
)
from wfc.compiler.model.agents import system_in_each_turn
from wfc.compiler.model.flow import emits
from wfc.compiler.model.kinds import calls_agent, tells_of_agent

__all__ = ["collects", "emitted", "exits_of", "items_data", "step_data"]

_PAUSES: Final = {
    AskPerson: "Question",
    WaitFor: "Delay",
    WaitUntil: "Until",
    WaitEvent: "Outside",
    WorkflowCall: "Child",
    AgentCall: "Child",
    MapItems: "Items",
}
_JOINS: Final = {"all": "AllOf", "any": "FirstOf"}

Data = dict[str, Any]


def collects(step: Step) -> bool:
    """Return whether a step takes a batch, as a list of events."""
    return isinstance(step.accepts, Join) and step.accepts.form == "each"


def emitted(exit_: Exit) -> Iterator[tuple[Emit, EmitEach | None]]:
    """Yield what an exit emits, and the batch that it belongs to."""
    for entry in exit_.entries:
        yield from emits(entry.emission)


def exits_of(step: Step) -> dict[str, Exit]:
    """Return the exits of a step, by the names that the runtime has for their functions."""
    found = {
        "then": step.emit,
        "on_error": step.on_error,
        "on_limit": step.on_limit,
        "on_timeout": step.on_timeout,
        "on_expired": step.on_expired,
    }
    return {name: exit_ for name, exit_ in found.items() if exit_ is not None}


def step_data(step: Step, types: TypeData) -> Data:
    """Return a step as data."""
    action, accepts = step.action, step.accepts
    exits = exits_of(step)
    join = accepts if isinstance(accepts, Join) else None
    pause = _PAUSES.get(type(action))
    form = types.of_record(action.form) if isinstance(action, AskPerson) else None
    attempts = step.acts and (pause is None or isinstance(action, RunsInside))
    return {
        "accepts": [*dict.fromkeys(event.name for event in accepts.events)],
        "subclasses": False,
        "slots": []
        if join is None or collects(step)
        else [[event.name for event in slot] for slot in join.slots],
        "collects": collects(step),
        "take": None,
        "emits": sorted({emit.event.name for exit_ in exits.values() for emit, _ in emitted(exit_)}),
        "batches": {},
        "join": None if join is None else _join(join),
        "matches": False,
        "pauses": [] if pause is None else [pause],
        "forms": [form] if isinstance(action, AskPerson) else [],
        "awaits": [event.name for event in action.events] if isinstance(action, WaitEvent) else [],
        "exits": sorted(_functions(step, exits)),
        "acts": step.acts,
        "limit": step.max_runs if isinstance(step.max_runs, int | None) else "computed",
        "recoveries": 0,
        "workers": _workers(step) if attempts else USUAL_CONCURRENCY,
        "own_key": step.idempotency_key is not None and not _has_keys_of_items(step),
        "result": _result(step, types),
        "takes": _taken(step, types),
        "soft": {
            **(_attempts(step) if attempts else {"retry": None, "timeout": None}),
            "within": join.within if join is not None and isinstance(join.within, float) else None,
            "proceed": join is not None and join.proceed,
            "bound": step.within if isinstance(step.within, float) else None,
        },
    }


def items_data(step: Step, action: MapItems, own: Data, types: TypeData) -> Data:
    """Return the step whose runs are another's items.

    Args:
        own: The data of that other one, with which it shares what it accepts, and the functions.
    """
    return {
        **own,
        "emits": [],
        "batches": {},
        "pauses": ["Child"] if isinstance(action.do, RunsInside) else [],
        "limit": None,
        "workers": _workers(step),
        "own_key": _has_keys_of_items(step),
        "result": types.of(action.result),
        "soft": {**own["soft"], **_attempts(step), "bound": None},
    }


def _workers(step: Step) -> int:
    return step.concurrency if isinstance(step.concurrency, int) else USUAL_CONCURRENCY


def _attempts(step: Step) -> Data:
    """Return what is said of the attempts at an action; where an agent works it is about its model's calls."""
    of_model = calls_agent(step.action)
    return {
        "retry": _retry(step.retry) if step.retry is not None and not of_model else None,
        "timeout": step.timeout if isinstance(step.timeout, float) and not of_model else None,
    }


def _has_keys_of_items(step: Step) -> bool:
    """Return whether each item of a step has an idempotency key of its own."""
    if step.idempotency_key is None or not isinstance(step.action, MapItems):
        return False
    return any(path[0] == step.action.name for path in step.idempotency_key.uses)


def _functions(step: Step, exits: Mapping[str, Exit]) -> Iterator[str]:
    """Yield what there are functions of a step for, besides its own."""
    yield from (name for name in exits if step.acts or name != "then")
    if step.acts and step.require:
        yield "require"
    if isinstance(step.action, WaitEvent) and step.action.that is not None:
        yield "that"
    if isinstance(step.action, MapItems):
        if step.action.give is not None:
            yield "give"
        if step.action.instead is not None:
            yield "on_item_error"
    if isinstance(step.action, AgentCall):
        yield from _functions_of_agent(step.action)
    if isinstance(step.max_runs, Expression):
        yield "max_runs"
    if step.idempotency_key is not None:
        yield "idempotency_key"
    if step.stream is not None:
        if step.stream.before is not None:
            yield "stream_before"
        if step.stream.after is not None:
            yield "stream_after"


def _functions_of_agent(action: AgentCall) -> Iterator[str]:
    """Yield what there are functions for by which a step takes part in the work of its agent."""
    agent = action.agent
    if agent.args is not None:
        return  # one under `agents` says it of itself
    for use in agent.tools:
        if use.approval is not None:
            yield f"approve {use.tool.name}"
        if use.when is not None:
            yield f"offer {use.tool.name}"
        if use.save:
            yield f"after_call {use.tool.name}"
    if system_in_each_turn(agent, action.system) is not None:
        yield "system"


def _result(step: Step, types: TypeData) -> Any:
    action = step.action
    if not step.acts:
        return types.union(types.emitted(entry.emission) for entry in step.emit.entries)
    if isinstance(action, AskPerson):
        return types.of_record(action.form)
    if isinstance(action, WaitEvent):
        return types.union(types.of_record(event.record) for event in action.events)
    if isinstance(action, MapItems):
        return ["list", types.of(action.item)]
    if step.result is None:
        return "none"
    return types.worked(step.result) if tells_of_agent(action) else types.of(step.result)


def _taken(step: Step, types: TypeData) -> list[Any]:
    """Return the type of the result as the step's tail takes it; of several answers and items it is a list."""
    if step.result is None or not step.acts:
        return []
    tells = tells_of_agent(step.action)
    wanted = {"result", "agent"} if tells else {"result"}
    if wanted.isdisjoint(path[0] for path in _paths_of_tail(step)):
        return []
    return [types.worked(step.result) if tells else types.of(step.result)]


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
