"""The conversions of what paused runs of earlier versions hold: `migrate`."""

from __future__ import annotations

from collections.abc import Mapping

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope
from wfc.compiler.model.runs import Migration
from wfc.compiler.python.literals import pascal_case
from wfc.compiler.resolve.declarations.fields import read_fields
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data, entries
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.resolve.values.scopes import types_of
from wfc.compiler.rules import runs as problems
from wfc.compiler.types import UNKNOWN, Record, assignable

__all__ = ["resolve_migrations"]


def resolve_migrations(data: Data, declared: Declarations) -> tuple[Migration, ...]:
    """Return the conversions, each held against the fields that there are now."""
    found = []
    for name, content, address in entries(data.get("migrate"), ("migrate",)):
        place = Place(address)
        if not isinstance(content, Mapping):
            continue
        before = Record(f"{pascal_case(name)}Before", role="output", address=address)
        read_fields(content.get("from"), (*address, "from"), before, declared)
        now = owner(name, place, declared)
        given = content.get("to")
        if now is None or not isinstance(given, Mapping):
            continue
        scope = Scope(names={"old": before}, classes=declared.classes, types=types_of(declared))
        title = "the state" if name == "state" else f"`{name}`"
        values = ValueReader(declared.report).given(given, place / "to", now.fields, title, scope)
        report_repeated(name, before, now, place / "from", declared)
        found.append(Migration(name, before, tuple(values.items())))
    return tuple(found)


def owner(name: str, place: Place, declared: Declarations) -> Record | None:
    """Return the state or the event whose fields are converted; ``None``: nobody knows them."""
    if name == "state":
        found = declared.record("state")
        return found if isinstance(found, Record) else None
    event = declared.events.nodes.get(name)
    if event is not None:
        return event.record
    if name not in declared.events.broken and not declared.unread("events"):
        declared.report(problems.nothing_to_migrate(place.key, name, ["state", *declared.events.nodes]))
    return None


def report_repeated(name: str, before: Record, now: Record, place: Place, declared: Declarations) -> None:
    """Report a conversion that runs of the present version would fit as well."""

    def is_kept(field: str) -> bool:
        present = now.fields.get(field)
        of = before.fields[field].type
        return present is not None and UNKNOWN not in (present.type, of) and assignable(present.type, of)

    if before.fields and all(map(is_kept, before.fields)):
        declared.report(problems.migrated_again(place.key, name))
