"""The sections that consist only of fields: `config` and `state`; and how state fields merge what steps save."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Origin, Place
from wfc.compiler.model import Merge
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.declarations.fields import read_fields
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data, entries
from wfc.compiler.resolve.values.reader import reads_as_text
from wfc.compiler.rules import closest
from wfc.compiler.rules import names as problems
from wfc.compiler.rules import type_keys as type_keys_problems
from wfc.compiler.slotted import replace
from wfc.compiler.types import DECIMAL, DURATION, INTEGER, UNKNOWN, ListOf, Record, Type, show

__all__ = ["declare_config", "declare_state"]


def declare_config(data: Data, declared: Declarations) -> None:
    """Declare the values under `config`, and those that imported files require from the environment."""
    read_fields(data.get("config"), ("config",), declared.config, declared)
    add_imported_config(declared)


def declare_state(data: Data, declared: Declarations) -> None:
    """Declare the fields under `state`, each of which needs an initial value."""
    read_fields(data.get("state"), ("state",), declared.state, declared)
    for field in declared.state.fields.values():
        if field.required:
            declared.report(problems.state_without_default(Place(field.address).key, field.name))
    declare_merges(data.get("state"), declared)


def add_imported_config(declared: Declarations) -> None:
    """Add the values that imported files require from the environment to the workflow's own."""
    for other in declared.imports.values():
        for name, field in other.declared.config.fields.items():
            own = declared.config.fields.get(name)
            place = Place((Origin(other.path), *field.address))
            if own is None:
                declared.config.fields[name] = replace(field, address=place.address)
            elif own.address != place.address:
                declared.report(
                    problems.name_declared_twice(
                        Place(own.address).key, name, place.key, "a value of the config"
                    )
                )


SUMMED: Final = (DECIMAL, DURATION, INTEGER)
"""Types whose sums are the same in any order."""


def declare_merges(state: object, declared: Declarations) -> None:
    """Declare the `merge` rules of the fields of `state`."""
    for name, unread in declared.state.fields.items():
        if unread.type == UNKNOWN and declared.is_broken(unread.address):
            # as for one that is wrong, see below: nobody knows what it says
            declared.merges[name] = Merge("last")
    for name, content, address in entries(state, ("state",)):
        field = declared.state.fields.get(name)
        place = Place(address) / "merge"
        if field is None or not isinstance(content, Mapping):
            continue
        if "merge" not in content and not declared.is_broken(place.address):
            continue
        # one that is wrong, and told to be, is taken for the one that is always right: its saves are no race
        declared.merges[name] = Merge("last")
        written = content.get("merge")
        if isinstance(written, Mapping):
            by = normal_form(str(written.get("by", "")))
            if check_by(field.type, by, place / "by", declared):
                declared.merges[name] = Merge("by", by)
        elif written == "append" and (isinstance(field.type, ListOf) or field.type == UNKNOWN):
            declared.merges[name] = Merge("append")
        elif written == "append":
            why = f"`append` puts lists together, and `{name}` is {show(field.type)}"
            hint = "write `merge: last` if the last one is to win"
            if field.type in SUMMED:
                hint = f"a save that only adds, `${{{{ state.{name} + … }}}}`, needs no `merge`; or " + hint
            declared.report(type_keys_problems.merge_does_not_fit(place, why, hint))


def check_by(type: Type, by: str, place: Place, declared: Declarations) -> bool:
    """Return whether a field can serve to identify the items of a list; report it if not."""
    item = type.item if isinstance(type, ListOf) else type
    if item == UNKNOWN:
        return False
    if not isinstance(type, ListOf) or not isinstance(item, Record):
        why = f"`by` tells the records of a list apart, and this is {show(type)}"
        declared.report(type_keys_problems.merge_does_not_fit(place, why))
        return False
    field = item.fields.get(by)
    if field is None:
        hint = closest(by, item.fields)
        declared.report(
            type_keys_problems.merge_does_not_fit(place, f"{show(item)} has no field `{by}`", hint)
        )
        return False
    if field.type != UNKNOWN and not reads_as_text(field.type):
        why = f"`{by}` is {show(field.type)}, which tells nothing apart"
        declared.report(type_keys_problems.merge_does_not_fit(place, why))
        return False
    return True
