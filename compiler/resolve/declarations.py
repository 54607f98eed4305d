"""Secrets, config, state, types and events: what a spec declares before its bindings and steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from wfc.compiler.diagnostics import Address, Origin, Place
from wfc.compiler.model import Event, Secret
from wfc.compiler.resolve.declared import Declared, Unread
from wfc.compiler.resolve.extending import base_of, extend_events, own_fields
from wfc.compiler.resolve.merging import declare_merges
from wfc.compiler.resolve.names import check_style, normal, report_look_alikes
from wfc.compiler.rules import names as problems
from wfc.compiler.rules import steps as step_problems
from wfc.compiler.slotted import replace
from wfc.compiler.types import (
    BUILT_IN,
    UNKNOWN,
    Enumeration,
    Field,
    Record,
    Type,
    parse_fields,
    parse_type,
)
from wfc.compiler.types.parse import is_long_form

__all__ = ["declare", "roles_of"]

Section = Mapping[str, object]
Role = Literal["start", "end", "message"]


def declare(data: Section, declared: Declared) -> None:
    """Enter all declarations but those of bindings and steps."""
    declare_secrets(data, declared)
    declare_types_and_events(data, declared)
    for name, record in (("config", declared.config), ("state", declared.state)):
        read_fields(data.get(name), (name,), record, declared)
    add_imported_config(declared)
    for field in declared.state.fields.values():
        if field.required:
            declared.report(problems.state_without_default(Place(field.address).key, field.name))
    declare_merges(data.get("state"), declared)
    declare_start_and_end(data, declared)


def add_imported_config(declared: Declared) -> None:
    """The values that imported files ask of the environment are the workflow's too."""
    for around in declared.imports.values():
        for name, field in around.declared.config.fields.items():
            own = declared.config.fields.get(name)
            place = Place((Origin(around.path), *field.address))
            if own is None:
                declared.config.fields[name] = replace(field, address=place.address)
            elif own.address != place.address:
                declared.report(
                    problems.name_declared_twice(
                        Place(own.address).key, name, place.key, "a value of the config"
                    )
                )


def declare_secrets(data: Section, declared: Declared) -> None:
    declared.prepare("secrets", declared.secrets)
    names = data.get("secrets")
    places: dict[str, Place] = {}
    for index, name in enumerate(names if isinstance(names, list) else ()):
        place = Place(("secrets", index))
        if not isinstance(name, str):
            continue
        if name in places:
            declared.report(problems.name_declared_twice(place, name, places[name], "a secret"))
            continue
        places[name] = place
        declared.secrets.nodes[name] = Secret(name)


def declare_types_and_events(data: Section, declared: Declared) -> None:
    """Two rounds, so that types and events may mention each other and themselves: names first, then fields."""
    if declared.unread("types") or declared.unread("events"):
        declared.types = Unread()
    declared.prepare("events", declared.events)
    declared.events.elsewhere = lambda name: no_event(name, data)
    for name in (*declared.broken_names("types"), *declared.broken_names("events")):
        declared.types[name] = UNKNOWN
    records: list[tuple[Record, object, Address]] = []
    others: list[tuple[str, object, Address]] = []
    places: dict[str, Place] = {}
    for section in ("types", "events"):
        for name, content, address in declared.entries(section):
            if not fresh_name(name, Place(address).key, section, places, declared):
                continue
            if section == "types" and not (isinstance(content, dict) and not is_long_form(content)):
                declared.types[name] = UNKNOWN
                others.append((name, content, address))
                continue
            record = Record(name, role="event" if section == "events" else "type", address=address)
            declared.types[name] = declared.classes[name] = record
            records.append((record, content, address))
    report_look_alikes(places, declared.report)
    resolve_others(others, declared)
    for record, content, address in records:
        read_fields(own_fields(record, content), address, record, declared)
    declare_events(data, declared, records)
    extend_events({record.name: content for record, content, _ in records}, declared)


def no_event(name: str, data: Section) -> str:
    """What to say of the name of something that is no event: a step, or a word of other systems for the end."""
    steps, end = data.get("steps"), data.get("end")
    step = steps.get(name) if isinstance(steps, Mapping) else None
    if isinstance(step, Mapping):
        accepts = step.get("accepts")
        example = f", such as `{accepts}`" if isinstance(accepts, str) and accepts != name else ""
        return f"`{name}` is a step; steps are tied by events: one emits what the other accepts{example}"
    if name.casefold().strip("_") in ENDS:
        listed = [each for each in (end if isinstance(end, list) else [end]) if isinstance(each, str)]
        return (
            f"a run is over with an event that is under `end`: {' or '.join(f'`{each}`' for each in listed)}"
        )
    return ""


ENDS = frozenset({"end", "stop", "stopevent", "finish", "finished", "success", "exit", "return", "endevent"})


def fresh_name(name: str, place: Place, section: str, places: dict[str, Place], declared: Declared) -> bool:
    """Whether a type's or an event's name is one, and not taken; whatever it is, it is known from now on."""
    first = places.get(name)
    if first is not None:
        what = "a type" if first.address[0] == "types" else "an event"
        declared.report(problems.name_declared_twice(place, name, first, what))
        if section == "events":
            declared.events.broken.add(name)
        return False
    places[name] = place
    if name in BUILT_IN:
        declared.report(problems.name_built_in(place, name, list(BUILT_IN[name].fields)))
    elif check_style(name, place, "", declared.report, pascal=True):
        return True
    declared.types[name] = UNKNOWN
    declared.events.broken.add(name)
    return False


def resolve_others(others: list[tuple[str, object, Address]], declared: Declared) -> None:
    """Types that are no records: enumerations, lists, choices. Each may mention the others, in any order."""
    waiting = {name: (content, address) for name, content, address in others}
    for name in list(waiting):
        resolve_other(name, waiting, declared)


def resolve_other(name: str, waiting: dict[str, tuple[object, Address]], declared: Declared) -> None:
    # an explicit stack: a chain of names may be as long as the spec
    stack = [name] if name in waiting else []
    opened: set[str] = set()
    while stack:
        current = stack[-1]
        if current not in waiting:
            stack.pop()
            continue
        content, address = waiting[current]
        needed = [] if current in opened else [each for each in mentioned(content) if each in waiting]
        opened.add(current)
        loop = next((each for each in needed if each in stack), None)
        if loop is not None:
            declared.report(problems.type_of_itself(Place(address), current))
            del waiting[current]
        elif needed:
            stack.extend(needed)
        else:
            del waiting[current]
            parsed = parse_type(content, Place(address), declared.types, declared.report, current)
            declared.types[current] = named(parsed, current, address, declared)


def mentioned(content: object) -> Iterator[str]:
    """The words of a type that is no record, any of which may be a type's name."""
    if isinstance(content, str):
        yield from (normal(word) for word in content.split())
    elif isinstance(content, dict):
        for part in content.values():
            yield from mentioned(part)
    elif isinstance(content, list):
        for part in content:
            yield from mentioned(part)


def named(type: Type, name: str, address: Address, declared: Declared) -> Type:
    """The type under its own name, where the kind of type has one."""
    if isinstance(type, Enumeration) and not type.name:
        return replace(type, name=name)
    if isinstance(type, Record) and type.address[: len(address)] == address and type.role == "output":
        type.role = "type"
        declared.classes[name] = type
    return type


def read_fields(content: object, address: Address, record: Record, declared: Declared) -> None:
    """Fill a record with its fields; those that were ill-shaped are there, of unknown type."""
    if isinstance(content, dict):
        parse_fields(content, Place(address), declared.types, declared.report, record)
    if not declared.is_broken(address):
        return
    depth = len(address)
    for each in declared.broken:
        if each[:depth] == address and len(each) > depth and isinstance(each[depth], str):
            name = normal(str(each[depth]))
            record.fields[name] = Field(name, UNKNOWN, has_default=True, address=each[: depth + 1])


def declare_events(data: Section, declared: Declared, records: list[tuple[Record, object, Address]]) -> None:
    roles = roles_of(data)
    for record, content, address in records:
        if record.role == "event":
            role = roles.get(record.name, "message")
            declared.events.nodes[record.name] = Event(record.name, record, role, address, base_of(content))


def roles_of(data: Section) -> dict[str, Role]:
    """The events that start and end a spec's runs, by what its `start` and `end` say."""
    start, end = data.get("start"), data.get("end")
    roles: dict[str, Role] = {normal(str(each)): "end" for each in (end if isinstance(end, list) else [end])}
    if isinstance(start, str):
        roles[normal(start)] = "start"
    return roles


def declare_start_and_end(data: Section, declared: Declared) -> None:
    start = data.get("start")
    if isinstance(start, str):
        declared.start = declared.events.find(start, Place(("start",)), declared.report)
    declared.flow_whole = declared.start is not None
    end = data.get("end")
    places = (
        [(each, Place(("end", index))) for index, each in enumerate(end)]
        if isinstance(end, list)
        else [(end, Place(("end",)))]
    )
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
            declared.report(step_problems.accepted_twice(place, event.name))
        else:
            found[event.name] = event
    declared.end = tuple(found.values())
    if declared.is_broken(("end",)):
        declared.flow_whole = False
