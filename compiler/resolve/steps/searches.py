"""Steps that search collections of texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope
from wfc.compiler.model import RetrieveCall
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data, one_or_many
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.rules import files as problems
from wfc.compiler.types import PASSAGE, ListOf

__all__ = ["PASSAGES", "resolve_search"]


PASSAGES: Final = ListOf(PASSAGE)
"""What a search gives."""

USUAL_TOP: Final = 5
"""How many passages a search gives at most, where `top` does not say it."""


def resolve_search(
    data: Data, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> RetrieveCall | None:
    """Return what a search step does; ``None`` if it names no collection that is known."""
    found = []
    for name, at in one_or_many(data.get("knowledge", ()), place / "knowledge"):
        collection = declared.knowledge.find(str(name), at, declared.report)
        if collection is not None and collection in found:
            declared.report(problems.knowledge_twice(at, collection.name))
        elif collection is not None:
            found.append(collection)
    query = reader.text(data.get("query", ""), place / "query", scope)
    that = None
    if "that" in data:
        inside = Scope(names={**scope.names, "passage": PASSAGE}, classes=scope.classes, types=scope.types)
        that = reader.condition(data["that"], place / "that", inside)
    expand = data.get("expand")
    neighbours = expand.get("neighbours", 0) if isinstance(expand, Mapping) else 0
    top = data.get("top")
    how_many = top if isinstance(top, int) else USUAL_TOP
    return RetrieveCall(tuple(found), query, how_many, that, neighbours) if found else None
