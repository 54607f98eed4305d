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
    found: list[Migration] = []
    for name, content, address in entries(data.get("migrate"), ("migrate",)):
        place = Place(address)
        now = owner(name, place, declared)
        each = enumerate(content) if isinstance(content, list) else [(None, content)]
        of_owner: list[tuple[Place, Migration]] = []
        for at, one in each:
            if isinstance(one, Mapping):
                where = place if at is None else place / at
                if (migration := read_migration(name, one, where, now, declared)) is not None:
                    of_owner.append((where, migration))
        report_never_taken(of_owner, declared)
        found += [migration for _, migration in of_owner]
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


def read_migration(
    name: str, content: Mapping[str, object], place: Place, now: Record | None, declared: Declarations
) -> Migration | None:
    """Return a conversion; ``None``: it cannot be made."""
    at = (*place.address, "from")
    before = Record(f"{pascal_case(name)}Before", role="output", address=place.address)
    read_fields(content.get("from"), at, before, declared)
    given = content.get("to")
    if now is None or not isinstance(given, Mapping):
        return None
    secrets = declared.secrets.nodes
    scope = Scope(names={"old": before}, classes=declared.classes, types=types_of(declared), secrets=secrets)
    title = "the state" if name == "state" else f"`{name}`"
    values = ValueReader(declared.report).given(given, place / "to", now.fields, title, scope)
    migration = Migration(name, before, tuple(values.items()))
    if not declared.is_broken(at) and would_repeat(migration, now):
        declared.report(problems.migrated_again(place / "from", name))
    return migration


def would_repeat(migration: Migration, now: Record) -> bool:
    """Return whether a conversion is for runs of the present version as well."""
    before, made = migration.before.fields, {name for name, _ in migration.values}

    def is_kept(name: str) -> bool:
        field, present = before[name], now.fields.get(name)
        if present is None:
            return not field.required
        return UNKNOWN not in (present.type, field.type) and assignable(present.type, field.type)

    return bool(before) and made <= before.keys() and all(map(is_kept, before))


def report_never_taken(of_owner: list[tuple[Place, Migration]], declared: Declarations) -> None:
    """Report conversions of which all runs have another one before."""
    for at, (place, migration) in enumerate(of_owner):
        for first, earlier in of_owner[:at]:
            if is_hidden_by(migration, earlier):
                declared.report(problems.migration_never_taken(place / "from", first / "from"))
                break


def is_hidden_by(migration: Migration, earlier: Migration) -> bool:
    """Return whether an earlier conversion is for all runs that another one is for."""
    before, first = migration.before.fields, earlier.before.fields
    is_wider = all(
        name in before
        and UNKNOWN not in (before[name].type, field.type)
        and assignable(before[name].type, field.type)
        for name, field in first.items()
        if name in before or field.required
    )
    new = {name for name, _ in migration.values} - before.keys()
    return is_wider and {name for name, _ in earlier.values} - first.keys() <= new
