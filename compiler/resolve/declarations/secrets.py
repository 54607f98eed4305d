"""Names of secrets, under `secrets`."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Secret
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.rules import names as problems

__all__ = ["declare_secrets"]


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
