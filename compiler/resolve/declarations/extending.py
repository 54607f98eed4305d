"""Events that extend another event, and so have its fields too."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Event
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.rules import names as problems
from wfc.compiler.types import Record
from wfc.compiler.types.outside_names import check_outside_names

__all__ = ["base_of", "extend_events", "own_fields"]

EXTENDS = "extends"


def base_of(content: object) -> str:
    """Return the name of the event that a declaration extends; empty if it extends none."""
    name = content.get(EXTENDS) if isinstance(content, dict) else None
    return normal_form(name) if isinstance(name, str) else ""


def own_fields(record: Record, content: object) -> object:
    """Return the part of a declaration that declares its own fields."""
    if record.role != "event" or not isinstance(content, dict) or EXTENDS not in content:
        return content
    return {key: each for key, each in content.items() if key != EXTENDS}


def extend_events(written: Data, declared: Declarations) -> None:
    """Give each event the fields of the one that it extends, before its own.

    Args:
        written: The declarations, by the events' names.
    """
    extended: set[str] = set()
    for name in written:
        chain: list[Event] = []
        while name in written and name not in extended:
            event = declared.events.nodes.get(name)
            if event is None or not event.extends:
                break
            if event in chain:
                declared.report(problems.event_of_itself(at(event), event.name))
                extended.update(each.name for each in chain)
                chain.clear()
                break
            chain.append(event)
            name = event.extends  # noqa: PLW2901 - the way up
        for event in reversed(chain):
            extended.add(event.name)
            extend(event, declared)


def at(event: Event) -> Place:
    return Place((*event.address, EXTENDS))


def extend(event: Event, declared: Declarations) -> None:
    base = declared.events.find(event.extends, at(event), declared.report)
    if base is None:
        return
    own = dict(event.record.fields)
    event.record.fields.clear()
    event.record.fields.update(base.record.fields)
    for name, field in own.items():
        there = base.record.fields.get(name)
        if there is not None:
            place, first = Place(field.address).key, Place(there.address).key
            declared.report(problems.name_declared_twice(place, name, first, f"a field of `{base.name}`"))
        event.record.fields[name] = field
    if any(field.foreign for field in event.record.fields.values()):
        own_ones = [field for name, field in own.items() if name not in base.record.fields]
        check_outside_names(own_ones, base.record.fields.values(), declared.report)
