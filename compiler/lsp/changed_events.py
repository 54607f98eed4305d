"""Declarations in which a few events are other than before, and all else is not: those events are read anew."""

from __future__ import annotations

import marshal
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Final, TypeVar

from wfc.compiler.diagnostics import Address, Finding, Place
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.declarations.events import declare_contract, declare_events, roles_of
from wfc.compiler.resolve.declarations.extending import EXTENDS
from wfc.compiler.resolve.declarations.fields import read_fields
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_style, report_look_alikes
from wfc.compiler.schema import Spec
from wfc.compiler.schema.expansion import schema
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import BUILT_IN, Record

__all__ = ["LATER", "Parts", "mentions", "packed", "parts_of", "read_anew", "words_of_change"]

T = TypeVar("T")

LATER: Final = frozenset({"steps", "tests"})
"""The sections that no declaration depends on."""

AFTERWARDS: Final = frozenset(
    "workflow description labels version start end on_error on_deadline on_cancel limits moved removed migrate"
    " triggers".split()
)
"""Sections in which an event may be mentioned, and which are read when all declarations and steps are there."""

MOST_CHANGED: Final = 6
"""So many events may be other ones; after more, all is read anew."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What declarations depend on, as bytes that differ where it does: each event, and the rest."""

    rest: bytes
    events: dict[str, bytes]

    @property
    def whole(self) -> tuple[bytes, tuple[tuple[str, bytes], ...]]:
        """All of it, in its order."""
        return self.rest, tuple(self.events.items())


def packed(data: object) -> bytes | None:
    """Return plain data as bytes, which are equal only if also their order and their types are."""
    try:
        return marshal.dumps(data, 0)  # type: ignore[arg-type]  # what has no form is refused
    except ValueError:  # too deep, or a placeholder of something that could not be read
        return None


def parts_of(spec: Spec) -> Parts | None:
    """Return what the declarations of a spec depend on; ``None`` if it has no form."""
    events = spec.data.get("events")
    events = events if isinstance(events, dict) and all(isinstance(each, str) for each in events) else {}
    other = {key: value for key, value in spec.data.items() if key not in LATER}
    if events:
        other["events"] = None  # where the section stands among the others
    broken = sorted(repr(each) for each in spec.broken if each[0] not in LATER and each[0] in sections())
    rest = packed(
        [other, broken, [each for each in LATER if (each,) in spec.broken and each not in spec.data]]
    )
    found = {name: packed(content) for name, content in events.items()}
    if rest is None or None in found.values():
        return None
    return Parts(rest, {name: each for name, each in found.items() if each is not None})


@cache
def sections() -> frozenset[str]:
    """Return the keys at the top of specs; nothing asks whether another one is broken."""
    found = schema()["$defs"]
    return frozenset(key for name in ("spec", "shared", "part") for key in found[name]["properties"])


def words_of_change(before: Parts, now: Parts, declared: Declarations, spec: Spec) -> tuple[str, ...] | None:
    """Return the words one of which is in whatever may differ, as between two states only a few events do.

    Args:
        declared: Of the earlier state.
        spec: The later one.

    Returns:
        The names of the events first; ``None`` if more may differ than what mentions these words.
    """
    if before.rest != now.rest:
        return None
    all_names = before.events.keys() | now.events.keys()
    changed = [name for name in all_names if before.events.get(name) != now.events.get(name)]
    kept = [name for name in now.events if name in before.events]
    if (
        not 0 < len(changed) <= MOST_CHANGED
        or kept != [name for name in before.events if name in now.events]
        or not set(map(normal_form, changed)).isdisjoint(change_of_roles(before, now, spec))
    ):
        return None
    added = [name for name in changed if name not in before.events]
    roles = roles_of(spec.data)
    words = [*changed, *(["inputs"] if any(roles.get(each) == "start" for each in changed) else [])]
    others = [each for key, each in spec.data.items() if key not in LATER | AFTERWARDS and key != "events"]
    events = spec.data["events"]
    assert isinstance(events, dict)
    others += [{name: content} for name, content in events.items() if name not in changed]
    extends = any(isinstance(each := events.get(name), dict) and EXTENDS in each for name in changed)
    may_import = "inputs" in words and declared.imports  # texts of other files may ask for inputs
    if extends or may_import or mentions(others, words) or not all_new(added, declared, [*now.events]):
        return None
    return tuple(words)


def change_of_roles(before: Parts, now: Parts, spec: Spec) -> Collection[str]:
    """Return the events that came or went and with which runs begin or end: nothing is known without them."""
    came_or_went = before.events.keys() ^ now.events.keys()
    return roles_of(spec.data).keys() & set(map(normal_form, came_or_went))


def all_new(names: Iterable[str], declared: Declarations, events: list[str]) -> bool:
    """Return whether names are fit for events, and not to be mistaken for others."""
    found: list[Finding] = []
    for name in names:
        known = normal_form(name) in declared.types or ("events", normal_form(name)) in declared.imported
        if known or name in BUILT_IN:
            return False
        check_style(normal_form(name), Place(("events", name)), "", found.append, pascal=True)
        report_look_alikes(
            {each: Place(()) for each in (*declared.types, *map(normal_form, events))}, found.append
        )
    return not found


def mentions(data: object, words: Collection[str]) -> bool:
    """Return whether a word stands in data, be it within another word."""
    waiting = [data]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            text = each if each.isascii() else normal_form(each)
            if any(word in text for word in words):
                return True
        elif isinstance(each, Mapping):
            waiting += each.keys()
            waiting += each.values()
        elif isinstance(each, (list, tuple)):
            waiting += each
    return False


def read_anew(declared: Declarations, names: Collection[str], spec: Spec) -> None:
    """Read some events of a spec, of which all else is declared already."""
    events = spec.data["events"]
    assert isinstance(events, dict)
    records: list[tuple[Record, object, Address]] = []
    for name in map(normal_form, names):
        declared.types.pop(name, None)
        declared.classes.pop(name, None)
        declared.events.nodes.pop(name, None)
    for name, content in events.items():
        if name in names:
            record = Record(normal_form(name), role="event", address=("events", name))
            declared.types[record.name] = declared.classes[record.name] = record
            records.append((record, content, record.address))
    for record, content, address in records:
        read_fields(content, address, record, declared)
    declare_events(spec.data, declared, records)
    in_order = [normal_form(name) for name in events]
    to_end(declared.types, in_order)
    to_end(declared.classes, in_order)
    to_end(declared.events.nodes, in_order)
    if declared.start is not None:
        declared.start = declared.events.nodes[declared.start.name]
    declared.end = tuple(declared.events.nodes[each.name] for each in declared.end)
    declare_contract(spec.data, declared)


def to_end(known: dict[str, T], names: Iterable[str]) -> None:
    """Put entries behind all others, in their order."""
    for name in names:
        known[name] = known.pop(name)
