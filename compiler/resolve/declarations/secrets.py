"""Names of secrets, under `secrets`."""

from __future__ import annotations

from typing import Any, Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.model import Secret
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.reader import matching_member, named_secret
from wfc.compiler.rules import names as problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.types import ANY, UNKNOWN, ListOf, MapOf, Record, Type, parse_type

__all__ = ["declare_secrets", "report_all_defaults", "report_defaults", "report_defaults_of_step"]

WITH_DEFAULTS: Final = ("config", "events", "state", "tools", "types")
OF_STEPS: Final = ("do", "form", "output", "tool")
"""Where a step declares fields, which may have defaults."""


def declare_secrets(data: Data, declared: Declarations) -> None:
    """Enter the secrets under `secrets`."""
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


def report_all_defaults(data: Data, declared: Declarations) -> None:
    """Report the secrets in the defaults of all declared fields, whose types are known."""
    for section in WITH_DEFAULTS:
        report_defaults(data.get(section), Place((section,)), declared)


def report_defaults_of_step(data: Data, place: Place, declared: Declarations) -> None:
    """Report the secrets in the defaults of the fields that a step declares itself."""
    for key in OF_STEPS:
        report_defaults(data.get(key), place / key, declared)


def report_defaults(data: Any, place: Place, declared: Declarations) -> None:
    """Report secrets in defaults of fields whose types take any data."""
    for key, each in data.items() if isinstance(data, dict) else ():
        if key == "default" and isinstance(each, (dict, list)) and "type" in data:
            wanted = parse_type(data["type"], place / "type", declared.types, ignored, "Default")
            report_named(each, wanted, place / key, declared)
        else:
            report_defaults(each, place / key, declared)


def ignored(finding: Finding) -> None:
    """What is wrong with a type is reported where its field is read."""


def report_named(data: Any, wanted: Type, place: Place, declared: Declarations) -> None:
    """Report the secrets that are named in some data of a type, where that takes them as a value like any other."""
    wanted = matching_member(data, wanted)
    if isinstance(data, dict):
        named = named_secret(data, declared.secrets.nodes)
        if named and (wanted is ANY or isinstance(wanted, MapOf)):
            declared.secrets.used.add(named)
            declared.report(value_problems.secret_as_data(place, named))
            return
        for key, each in data.items():
            report_named(each, inner_type(wanted, key), place / str(key), declared)
    elif isinstance(data, list):
        for index, each in enumerate(data):
            report_named(each, wanted.item if isinstance(wanted, ListOf) else wanted, place / index, declared)


def inner_type(wanted: Type, key: object) -> Type:
    """Return the type of what stands under a key of a value: ``UNKNOWN`` where there is no such key."""
    if isinstance(wanted, Record):
        field = wanted.fields.get(normal_form(str(key)))
        return UNKNOWN if field is None else field.type
    return wanted.value if isinstance(wanted, MapOf) else wanted
