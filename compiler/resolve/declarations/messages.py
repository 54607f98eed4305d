"""Events that runs receive from outside, and what identifies a run: `receives`, `key`, `when_running`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Expression, Scope
from wfc.compiler.model import Event, Received, RunKey, Step, WhenRunning
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_free_name
from wfc.compiler.resolve.symbols.tables import Data, entries
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.resolve.values.scopes import inputs, types_of
from wfc.compiler.rules import messages as problems
from wfc.compiler.rules import steps as step_problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.types import (
    DATE,
    INTEGER,
    STRING,
    UNKNOWN,
    Enumeration,
    Field,
    Optional,
    Type,
    assignable,
    members,
    show,
)

__all__ = ["declare_messages", "read_key", "report_received"]


def declare_messages(data: Data, declared: Declarations) -> None:
    """Declare the run's key and the events that it receives."""
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
            topic = received_topic(content)
            if topic is not None:
                check_free_name(topic, place / "topic", "topic", declared.report)
            declared.receives[event.name] = Received(event, found, topic, address)
    if declared.is_broken(("receives",)):
        declared.flow_whole = False


def run_key(data: Data, declared: Declarations) -> RunKey | None:
    if "key" not in data:
        if "when_running" in data and not declared.is_broken(("key",)):
            place = Place(("when_running",)).key
            declared.report(step_problems.key_without_companion(place, "when_running", "key"))
        return None
    scope = Scope(names={"inputs": inputs(declared)}, classes=declared.classes, types=types_of(declared))
    value = read_key(data["key"], Place(("key",)), "key", scope, ValueReader(declared.report))
    return RunKey(value, cast("WhenRunning | None", data.get("when_running")))


def read_key(text: object, place: Place, key: str, scope: Scope, reader: ValueReader) -> Expression:
    """Return an expression that can identify a run."""
    found = reader.expression(text, place, scope)
    if not can_be_key(found.type):
        reader.report(problems.key_not_a_word(place, key, show(found.type)))
    return found


def can_be_key(type: Type) -> bool:
    """Return whether equal values of a type are always written alike, and there always is one."""
    alike = (STRING, INTEGER, DATE, UNKNOWN)
    return not isinstance(type, Optional) and all(
        each in alike or isinstance(each, Enumeration) for each in members(type)
    )


def received_key(content: object, place: Place, event: Event, declared: Declarations) -> Field | None:
    """Return the field of an event by which it finds its run."""
    if not isinstance(content, Mapping) or "key" not in content:
        return None
    at = place / "key"
    name = normal_form(str(content["key"]))
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
    """Return the only topic under which an event is accepted."""
    return str(content["topic"]) if isinstance(content, Mapping) and "topic" in content else None


def report_received(declared: Declarations, steps: tuple[Step, ...]) -> None:
    """Report each event from outside that nothing takes, or that both a wait and a step take."""
    acceptors: dict[str, str] = {}
    for step in steps:
        for event in step.accepts.events:
            acceptors.setdefault(event.name, step.name)
    for name, received in declared.receives.items():
        waits = declared.waited.get(name)
        if waits is not None and name in acceptors:
            declared.report(
                problems.received_by_two(
                    Place((*waits, "event")), name, normal_form(str(waits[-1])), acceptors[name]
                )
            )
        elif waits is None and name not in acceptors and declared.flow_whole:
            declared.report(problems.received_by_nobody(Place(received.address).key, name))
