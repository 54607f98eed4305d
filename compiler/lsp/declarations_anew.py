"""Declarations of a spec in which a few entries are other than before: those are read anew, and all else is kept."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from copy import copy
from typing import Final, TypeVar

from wfc.compiler.diagnostics import Address, Place, Report
from wfc.compiler.lsp.changed_declarations import SECTIONS, TYPES, Affected, change_of_imports, entries_of
from wfc.compiler.model import Event
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve import ProjectView, check_about, declare_after_types
from wfc.compiler.resolve.declarations.events import (
    declare_contract,
    declare_events,
    hint_for_no_event,
    roles_of,
)
from wfc.compiler.resolve.declarations.fields import read_fields
from wfc.compiler.resolve.declarations.imports import declare_imports
from wfc.compiler.resolve.declarations.messages import declare_messages
from wfc.compiler.resolve.declarations.secrets import declare_secrets, report_defaults
from wfc.compiler.resolve.declarations.types import is_record, resolve_types
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.schema import Spec
from wfc.compiler.slotted import replace
from wfc.compiler.types import UNKNOWN, Record

__all__ = ["read_after_types", "read_anew", "read_with_imports", "take_back"]

T = TypeVar("T")

OF_AGENTS: Final = ("called", "workflow_tools", "collection_tools")
"""What declarations know of the tools of agents, besides their tables."""


def read_anew(declared: Declarations, change: Affected, spec: Spec) -> None:
    """Read some entries of a spec, of which all else is declared already."""
    check_about(spec.data, declared.report)
    if change.names(*TYPES):
        read_types(declared, change, spec)
    if change.names(*SECTIONS[len(TYPES) :]):
        read_sections(declared, change, spec)
        return
    if declared.start is not None:
        declared.start = declared.events.nodes[declared.start.name]
    declared.end = tuple(declared.events.nodes[each.name] for each in declared.end)
    if change.messages:
        declared.receives = {}
        declare_messages(spec.data, declared)
    declare_contract(spec.data, declared)
    if declared.secrets.nodes:
        content = entries_of(spec.data)
        for entry in change.entries & content.keys():
            report_defaults(content[entry], Place(entry), declared)


def read_after_types(spec: Spec, known: Declarations, report: Report, view: ProjectView) -> Declarations:
    """Read all declarations of a spec anew but its types and events.

    Args:
        known: Those of a state with the same types and events, which stay as they are but for their roles.
    """
    data = spec.data
    declared = Declarations(report, data, spec.broken, project=view)
    check_about(data, report)
    if declared.mentions("imports"):
        declare_imports(data, declared)
    if declared.mentions("secrets"):
        declare_secrets(data, declared)
    declared.types, declared.classes = copy(known.types), dict(known.classes)
    declared.events = replace(
        known.events,
        nodes=with_roles(known.events.nodes, data),
        broken=set(known.events.broken),
        used=set(),
        elsewhere=lambda name: hint_for_no_event(name, data),
    )
    declare_after_types(data, declared)
    return declared


def read_with_imports(
    spec: Spec, known: Declarations, report: Report, view: ProjectView
) -> tuple[Declarations, Affected] | None:
    """Read all declarations of a spec anew but its own types and events, and tell what may be other than before.

    Args:
        known: Those of a state that differs in what it imports, and in nothing else.

    Returns:
        ``None`` if anything may be other than before.
    """
    data = spec.data
    declared = Declarations(report, data, spec.broken, project=view)
    if declared.unread("types") or declared.unread("events"):
        return None
    check_about(data, report)
    declare_imports(data, declared)
    if declared.mentions("secrets"):
        declare_secrets(data, declared)
    if not take_own_types(declared, known):
        return None
    declared.prepare("events", declared.events)
    declared.events.elsewhere = lambda name: hint_for_no_event(name, data)
    declare_after_types(data, declared)
    change = change_of_imports(known, declared, data)
    if change is None:
        return None
    take_back(declared, known, change)
    return declared, change


def take_own_types(declared: Declarations, known: Declarations) -> bool:
    """Take a spec's own types and events from earlier declarations; return whether no other file has their names."""
    own = [name for name in known.types if ("types", name) not in known.imported]
    if not declared.types.keys().isdisjoint(own):
        return False
    events = {
        name: before
        for name, each in declared.events.nodes.items()
        if (before := known.events.nodes.get(name)) is not None and before.record is each.record
    }
    declared.events.nodes |= events
    for name in own:
        declared.types[name] = known.types[name]
        if name in known.classes:
            declared.classes[name] = known.classes[name]
        if name in known.events.nodes:
            declared.events.nodes[name] = known.events.nodes[name]
    return True


def with_roles(events: Mapping[str, Event], data: Mapping[str, object]) -> dict[str, Event]:
    """Return events as the ones with which runs begin or end, or between."""
    roles = roles_of(data)
    return {
        name: each if each.role == (role := roles.get(name, "message")) else replace(each, role=role)
        for name, each in events.items()
    }


def take_back(declared: Declarations, known: Declarations, change: Affected) -> None:
    """Put those nodes of earlier declarations into newer ones that are equal, so that steps with them may be kept."""
    for section, table in declared.tables.items():
        if section != "events":
            changed = {normal_form(each) for each in change.names(section)}
            put_back(table.nodes, known.tables[section].nodes, changed)
    for now, before, section in (
        (declared.config, known.config, "config"),
        (declared.state, known.state, "state"),
    ):
        put_back(now.fields, before.fields, {normal_form(each) for each in change.names(section)})
    put_back(declared.secrets.nodes, known.secrets.nodes, change.names("secrets"))
    put_back(declared.receives, known.receives, {normal_form(each) for each in change.names("receives")})
    declared.defaults, declared.key = known.defaults, known.key
    if not change.names("agents"):
        for name in OF_AGENTS:
            setattr(declared, name, dict(getattr(known, name)))


def read_types(declared: Declarations, change: Affected, spec: Spec) -> None:
    """Read types and events anew: first their names, then what they say."""
    records: list[tuple[Record, object, Address]] = []
    others: list[tuple[str, object, Address]] = []
    for name in map(normal_form, change.names(*TYPES)):
        declared.types.pop(name, None)
        declared.classes.pop(name, None)
        declared.events.nodes.pop(name, None)
    for entry, content in entries_of(spec.data).items():
        if entry not in change.entries or entry[0] not in TYPES:
            continue
        section, name = entry[0], normal_form(entry[1])
        if section == "types" and not is_record(content):
            declared.types[name] = UNKNOWN
            others.append((name, content, entry))
            continue
        record = Record(name, role="event" if section == "events" else "type", address=entry)
        declared.types[name] = declared.classes[name] = record
        records.append((record, content, entry))
    resolve_types(others, declared)
    for record, content, address in records:
        read_fields(content, address, record, declared)
    declare_events(spec.data, declared, records)
    order = [normal_form(name) for section, name in entries_of(spec.data) if section in TYPES]
    to_end(declared.types, order)
    to_end(declared.classes, order)
    to_end(declared.events.nodes, order)


def read_sections(declared: Declarations, change: Affected, spec: Spec) -> None:
    """Read all declarations but types and events anew; those that are the same stay the nodes that steps have."""
    nodes = {section: dict(table.nodes) for section, table in declared.tables.items()}
    fields = {"config": declared.config.fields, "state": declared.state.fields}
    same = ("defaults",) if change.messages else ("defaults", "key", "receives")
    kept = {name: getattr(declared, name) for name in same}
    shared = {name: dict(getattr(declared, name)) for name in OF_AGENTS}
    for section, table in declared.tables.items():
        table.used = set()
        if section != "events":
            table.nodes = {}
    declared.secrets.nodes, declared.secrets.used = {}, set()
    declared.config, declared.state = Record("Config", role="config"), Record("State", role="state")
    declared.merges, declared.receives, declared.types_in_expressions = {}, {}, []
    if declared.mentions("secrets"):
        declare_secrets(spec.data, declared)
    declare_after_types(spec.data, declared)
    for name, value in kept.items():
        setattr(declared, name, value)
    for section, table in declared.tables.items():
        put_back(table.nodes, nodes[section], {normal_form(each) for each in change.names(section)})
    for name, record in (("config", declared.config), ("state", declared.state)):
        put_back(record.fields, fields[name], {normal_form(each) for each in change.names(name)})
    if not change.names("agents"):
        for name, value in shared.items():
            setattr(declared, name, value)


def put_back(now: dict[str, T], before: Mapping[str, T], changed: Collection[str]) -> None:
    """Put what was known under each name that has not changed in the place of what is equal to it."""
    for name in now:
        if name not in changed and name in before:
            now[name] = before[name]


def to_end(known: dict[str, T], names: Iterable[str]) -> None:
    """Put entries behind all others, in their order."""
    for name in names:
        if name in known:
            known[name] = known.pop(name)
