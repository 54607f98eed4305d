"""The sections that consist only of fields: `config` and `state`."""

from __future__ import annotations

from wfc.compiler.diagnostics import Origin, Place
from wfc.compiler.resolve.declarations.fields import read_fields
from wfc.compiler.resolve.declarations.merges import declare_merges
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.rules import names as problems
from wfc.compiler.slotted import replace

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
