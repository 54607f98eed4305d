"""Names of secrets, under `secrets`."""

from __future__ import annotations

import re
from typing import Any, Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Secret
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.reader import named_secret
from wfc.compiler.rules import names as problems
from wfc.compiler.rules import values as value_problems

__all__ = ["declare_secrets", "report_defaults"]

WITH_DEFAULTS: Final = ("config", "events", "state", "types")
PLAIN: Final = re.compile(r"\bany\b|\bmap of\b")
"""What types that take `{secret: NAME}` as a value like any other have in their words."""


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
    for section in WITH_DEFAULTS if places else ():
        report_defaults(data.get(section), Place((section,)), declared)


def report_defaults(data: Any, place: Place, declared: Declarations) -> None:
    """Report secrets in defaults of fields whose types take any data."""
    for key, each in data.items() if isinstance(data, dict) else ():
        if key == "default" and PLAIN.search(str(data.get("type"))):
            report_named(each, place / key, declared)
        report_defaults(each, place / key, declared)


def report_named(data: Any, place: Place, declared: Declarations) -> None:
    """Report the secrets that are named in some data."""
    if isinstance(data, dict) and (named := named_secret(data, declared.secrets.nodes)):
        declared.secrets.used.add(named)
        declared.report(value_problems.secret_as_data(place, named))
        return
    below = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, each in below:
        report_named(each, place / key, declared)
