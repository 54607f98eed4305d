"""Events: their roles, and which of them start and end runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from wfc.compiler.diagnostics import Address, Origin, Place
from wfc.compiler.model import Event
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.declarations.extending import base_of
from wfc.compiler.resolve.symbols.contracts import Contract, ReceivedEvent
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data, entries, one_or_many
from wfc.compiler.rules import accepts as accept_problems
from wfc.compiler.rules import steps as step_problems
from wfc.compiler.types import Record

__all__ = ["declare_contract", "declare_events", "declare_start_and_end", "hint_for_no_event", "roles_of"]

Role = Literal["start", "end", "message"]


def event_of(written: object) -> str:
    """Return the one event that an `accepts` or an `emit` names; empty for several."""
    event = written.get("event") if isinstance(written, Mapping) else written
    return event if isinstance(event, str) else ""


def hint_for_no_event(name: str, data: Data) -> str:
    """Return a hint for a name that is not an event: a step, or another system's word for the end."""
    steps, end = data.get("steps"), data.get("end")
    step = steps.get(name) if isinstance(steps, Mapping) else None
    if isinstance(step, Mapping):
        taken, sent = event_of(step.get("accepts")), event_of(step.get("emit"))
        told = " and ".join(
            f"{verb} `{each}`"
            for verb, each in (("accepts", taken), ("emits", sent))
            if each not in {"", name}
        )
        example = f"; `{name}` {told}" if told else ""
        if taken and taken == data.get("start"):  # which no step may emit
            other = f"let `{name}` accept one more event, and name that"
            example += f"; no step emits `{taken}`, which starts the run: {other}"
        return f"`{name}` is a step; steps are tied by events: one emits what the other accepts{example}"
    if name == "fail":
        return "to let the run fail write a text, as in `{fail: there is none}`"
    if name in WORDS_FOR_NOTHING:
        return "to go on, name an event that the next step accepts; `nothing` ends this branch"
    if name.casefold().strip("_") in WORDS_FOR_THE_END:
        known = data.get("events")
        every = end if isinstance(end, list) else [end]
        listed = [
            each for each in every if isinstance(each, str) and isinstance(known, Mapping) and each in known
        ]
        if listed:
            told = " or ".join(f"`{each}`" for each in listed)
            return f"a run is over with an event that is under `end`: {told}"
    return ""


WORDS_FOR_NOTHING = frozenset({"continue", "ignore", "none", "noop", "pass", "skip"})
WORDS_FOR_THE_END = frozenset(
    {"end", "stop", "stopevent", "finish", "finished", "success", "exit", "return", "endevent"}
)


def declare_events(data: Data, declared: Declarations, records: list[tuple[Record, object, Address]]) -> None:
    roles = roles_of(data)
    for record, content, address in records:
        if record.role == "event":
            role = roles.get(record.name, "message")
            declared.events.nodes[record.name] = Event(record.name, record, role, address, base_of(content))


def roles_of(data: Data) -> dict[str, Role]:
    """Return the events that start and end a spec's runs, according to its `start` and `end`."""
    start, end = data.get("start"), data.get("end")
    roles: dict[str, Role] = {
        normal_form(str(each)): "end" for each in (end if isinstance(end, list) else [end])
    }
    if isinstance(start, str):
        roles[normal_form(start)] = "start"
    return roles


def declare_start_and_end(data: Data, declared: Declarations) -> None:
    start = data.get("start")
    if isinstance(start, str):
        declared.start = declared.events.find(start, Place(("start",)), declared.report)
    declared.flow_whole = declared.start is not None
    end = data.get("end")
    places = one_or_many(end, Place(("end",)))
    found: dict[str, Event] = {}
    for name, place in places:
        if not isinstance(name, str):
            declared.flow_whole = False
            continue
        event = declared.events.find(name, place, declared.report)
        if event is None:
            declared.flow_whole = False
        elif event.role == "start":
            declared.report(step_problems.start_event_ends(place, event.name))
            declared.flow_whole = False
        elif event.name in found:
            declared.report(accept_problems.accepted_twice(place, event.name))
        else:
            found[event.name] = event
    declared.end = tuple(found.values())
    if declared.is_broken(("end",)):
        declared.flow_whole = False


def declare_contract(data: Data, declared: Declarations) -> None:
    """Enter what this workflow promises, since a run may send to other runs of its own workflow."""
    if (
        declared.start is None
        or declared.is_broken(("receives",))
        or not isinstance(data.get("workflow"), str)
    ):
        return
    own = normal_form(str(data["workflow"]))
    declared.contracts[own] = Contract(
        name=own,
        start=declared.start.record,
        ends={event.name: event.record for event in declared.end},
        receives={
            name: ReceivedEvent(each.event.record, each.topic) for name, each in declared.receives.items()
        },
        key=declared.key.value.type if declared.key is not None else None,
        topics=frozenset(triggered(data, "topic")),
        webhooks={
            path: Place((Origin(declared.project.path), *address, "webhook"))
            for path, address in triggered(data, "webhook").items()
        },
    )


def triggered(data: Data, key: str) -> dict[str, Address]:
    """Return the topics or webhooks under which triggers start runs, each with the first trigger that has it."""
    found: dict[str, Address] = {}
    for _, content, address in entries(data.get("triggers"), ("triggers",)) if "triggers" in data else ():
        if isinstance(content, Mapping) and isinstance(content.get(key), str):
            found.setdefault(content[key], address)
    return found
