"""What goes from run to run: `receives`, `key`, `when_running`, and steps that send."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Expression, Scope
from wfc.compiler.model import Event, Received, RunKey, SendEvent, Step, WhenRunning
from wfc.compiler.resolve.contracts import Contract, Taken, hold_message, hold_topic
from wfc.compiler.resolve.declared import Declared, entries
from wfc.compiler.resolve.durations import duration
from wfc.compiler.resolve.exits import Leaving
from wfc.compiler.resolve.names import normal
from wfc.compiler.resolve.scopes import inputs
from wfc.compiler.resolve.values import Texts
from wfc.compiler.rules import messages as problems
from wfc.compiler.rules import steps as step_problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.types import INTEGER, STRING, UNKNOWN, Enumeration, Field, Type, assignable, members, show

__all__ = ["declare_messages", "report_received", "send"]

Data = Mapping[str, object]


def declare_messages(data: Data, declared: Declared) -> None:
    """Enter the run's key and what it receives."""
    declared.key = run_key(data, declared)
    for name, content, address in entries(data.get("receives"), ("receives",)):
        place = Place(address)
        event = declared.events.find(name, place.key, declared.report)
        if event is None:
            declared.flow_whole = False
        elif event.role != "message":
            declared.report(problems.never_from_outside(place.key, event.name, event.role))
        else:
            found = received_key(content, place, event, declared)
            declared.receives[event.name] = Received(event, found, received_topic(content), address)
    if declared.is_broken(("receives",)):
        declared.flow_whole = False
    elif declared.start is not None and isinstance(data.get("workflow"), str):
        # a run may send to other runs of its own workflow
        own = normal(str(data["workflow"]))
        declared.contracts[own] = Contract(
            name=own,
            start=declared.start.record,
            ends={event.name: event.record for event in declared.end},
            receives={name: Taken(each.event.record, each.topic) for name, each in declared.receives.items()},
            key=declared.key.value.type if declared.key is not None else None,
        )


def run_key(data: Data, declared: Declared) -> RunKey | None:
    if "key" not in data:
        if "when_running" in data and not declared.is_broken(("key",)):
            place = Place(("when_running",)).key
            declared.report(step_problems.key_without_companion(place, "when_running", "key"))
        return None
    scope = Scope(names={"inputs": inputs(declared)}, classes=declared.classes)
    value = word(data["key"], Place(("key",)), "key", scope, Texts(declared.report))
    return RunKey(value, cast("WhenRunning | None", data.get("when_running")))


def word(text: object, place: Place, key: str, scope: Scope, texts: Texts) -> Expression:
    """An expression that can identify a run."""
    found = texts.expression(text, place, scope)
    if not is_word(found.type):
        texts.report(problems.key_not_a_word(place, key, show(found.type)))
    return found


def is_word(type: Type) -> bool:
    return all(each in (STRING, INTEGER, UNKNOWN) or isinstance(each, Enumeration) for each in members(type))


def received_key(content: object, place: Place, event: Event, declared: Declared) -> Field | None:
    """The field of an event by which it finds its run."""
    if not isinstance(content, Mapping) or "key" not in content:
        return None
    at = place / "key"
    name = normal(str(content["key"]))
    field = event.record.fields.get(name)
    if field is None:
        declared.report(value_problems.unknown_entry(at, name, f"`{event.name}`", event.record.fields))
        return None
    if declared.key is None:
        if not declared.is_broken(("key",)):
            declared.report(problems.received_key_for_nothing(at.key))
        return None
    wanted = declared.key.value.type
    if UNKNOWN not in (wanted, field.type) and not assignable(field.type, wanted):
        declared.report(problems.received_key_differs(at, name, show(field.type), show(wanted)))
    return field


def received_topic(content: object) -> str | None:
    """The only topic under which an event is taken."""
    return str(content["topic"]) if isinstance(content, Mapping) and "topic" in content else None


def report_received(declared: Declared, steps: tuple[Step, ...]) -> None:
    """Each event from outside has somebody who takes it: a wait, or steps that accept it."""
    acceptors: dict[str, str] = {}
    for step in steps:
        for event in step.accepts.events:
            acceptors.setdefault(event.name, step.name)
    for name, received in declared.receives.items():
        waits = declared.waited.get(name)
        if waits is not None and name in acceptors:
            declared.report(
                problems.received_by_two(
                    Place((*waits, "event")), name, normal(str(waits[-1])), acceptors[name]
                )
            )
        elif waits is None and name not in acceptors and declared.flow_whole:
            declared.report(problems.received_by_nobody(Place(received.address).key, name))


def send(data: Data, place: Place, scope: Scope, leaving: Leaving) -> SendEvent | None:
    """What a `send` step delivers, and to whom; ``None`` if that is not known."""
    declared, texts = leaving.declared, leaving.texts
    report_address(data, place, declared)
    emit = leaving.emit(data.get("event"), data.get("with"), place / "event", scope, None)
    to_key = word(data["to_key"], place / "to_key", "to_key", scope, texts) if "to_key" in data else None
    if emit is None:
        return None
    absent = data.get("if_absent")
    kept: float | None = None
    if isinstance(absent, Mapping):
        kept = duration(absent.get("keep"), place / "if_absent" / "keep", declared.report)
    sent = SendEvent(
        emit=emit,
        to=str(data["to"]) if "to" in data else None,
        to_key=to_key,
        topic=str(data["topic"]) if "topic" in data else None,
        if_absent="start" if absent == "start" else kept,
    )
    target = declared.contract(sent.to, place / "to") if sent.to is not None else None
    if target is not None:
        hold_message(sent, target, place, declared.report)
    if sent.topic is not None and sent.to is None and (known := declared.all_contracts()) is not None:
        hold_topic(sent, known, place, declared.report)
    return sent


def report_address(data: Data, place: Place, declared: Declared) -> None:
    """Either a workflow and a key, or a topic."""
    found = [key for key in ("to", "topic") if key in data]
    if len(found) != 1 and not any(declared.is_broken((*place.address, key)) for key in ("to", "topic")):
        declared.report(problems.send_to_whom(place.key, found))
        return
    for key, needed in (("to", "to_key"), ("to_key", "to"), ("if_absent", "to")):
        if key in data and needed not in data and not declared.is_broken((*place.address, needed)):
            declared.report(step_problems.key_without_companion((place / key).key, key, needed))
