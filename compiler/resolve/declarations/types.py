"""Types and events, which may refer to each other and to themselves."""

from __future__ import annotations

from collections.abc import Iterator

from wfc.compiler.diagnostics import Address, Place
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.declarations.events import declare_events, hint_for_no_event
from wfc.compiler.resolve.declarations.extending import extend_events, own_fields
from wfc.compiler.resolve.declarations.fields import read_fields
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_style, report_look_alikes
from wfc.compiler.resolve.symbols.tables import Data, UnreadTypes
from wfc.compiler.rules import names as problems
from wfc.compiler.rules import types as type_problems
from wfc.compiler.slotted import replace
from wfc.compiler.types import BUILT_IN, UNKNOWN, Enumeration, Record, Type, parse_type
from wfc.compiler.types.parse import is_long_form

__all__ = ["declare_types_and_events", "is_record", "resolve_types", "words_of_type"]


def declare_types_and_events(data: Data, declared: Declarations) -> None:
    """Declare types and events in two rounds, names first and then fields, so that they may refer to each
    other.
    """
    if declared.unread("types") or declared.unread("events"):
        declared.types = UnreadTypes()
    declared.prepare("events", declared.events)
    declared.events.elsewhere = lambda name: hint_for_no_event(name, data)
    for name in (*declared.broken_names("types"), *declared.broken_names("events")):
        declared.types[name] = UNKNOWN
    records: list[tuple[Record, object, Address]] = []
    others: list[tuple[str, object, Address]] = []
    places: dict[str, Place] = {}
    for section in ("types", "events"):
        for name, content, address in declared.entries(section):
            if not take_name(name, Place(address).key, section, places, declared):
                continue
            if section == "types" and not is_record(content):
                declared.types[name] = UNKNOWN
                others.append((name, content, address))
                continue
            record = Record(name, role="event" if section == "events" else "type", address=address)
            declared.types[name] = declared.classes[name] = record
            records.append((record, content, address))
    report_look_alikes(places, declared.report)
    resolve_types(others, declared)
    for record, content, address in records:
        read_fields(own_fields(record, content), address, record, declared)
    declare_events(data, declared, records)
    extend_events({record.name: content for record, content, _ in records}, declared)


def is_record(content: object) -> bool:
    """Return whether what is written under `types` says the fields of a record."""
    return isinstance(content, dict) and not is_long_form(content)


def take_name(
    name: str, place: Place, section: str, places: dict[str, Place], declared: Declarations
) -> bool:
    """Return whether a type's or an event's name is valid and not taken; in either case, mark the name as
    known.
    """
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


def resolve_types(others: list[tuple[str, object, Address]], declared: Declarations) -> None:
    """Resolve the types that are not records: enumerations, lists, choices. They may refer to each other in
    any order.
    """
    waiting = {name: (content, address) for name, content, address in others}
    for name in list(waiting):
        resolve_type(name, waiting, declared)


def resolve_type(name: str, waiting: dict[str, tuple[object, Address]], declared: Declarations) -> None:
    # an explicit stack: a chain of names may be as long as the spec
    stack = [name] if name in waiting else []
    opened: set[str] = set()
    while stack:
        current = stack[-1]
        if current not in waiting:
            stack.pop()
            continue
        content, address = waiting[current]
        needed = [] if current in opened else [each for each in words_of_type(content) if each in waiting]
        opened.add(current)
        loop = next((each for each in needed if each in stack), None)
        if loop is not None:
            declared.report(type_problems.type_of_itself(Place(address), current))
            del waiting[current]
        elif needed:
            stack.extend(needed)
        else:
            del waiting[current]
            parsed = parse_type(content, Place(address), declared.types, declared.report, current)
            declared.types[current] = with_name(parsed, current, address, declared)


def words_of_type(content: object) -> Iterator[str]:
    """Yield the words of a type that is not a record, any of which may be a type's name."""
    if isinstance(content, str):
        yield from (normal_form(word) for word in content.split())
    elif isinstance(content, dict):
        for part in content.values():
            yield from words_of_type(part)
    elif isinstance(content, list):
        for part in content:
            yield from words_of_type(part)


def with_name(type: Type, name: str, address: Address, declared: Declarations) -> Type:
    """Return the type under its own name, where the kind of type has one."""
    if isinstance(type, Enumeration) and not type.name:
        return replace(type, name=name)
    if isinstance(type, Record) and type.address[: len(address)] == address and type.role == "output":
        type.role = "type"
        declared.classes[name] = type
    return type
