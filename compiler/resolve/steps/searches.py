"""Steps that search a collection of texts."""

from __future__ import annotations

from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.types import PASSAGE, ListOf

__all__ = ["PASSAGES", "resolve_search"]


PASSAGES: Final = ListOf(PASSAGE)
"""What a search gives."""


def resolve_search(
    data: Data, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> None:
    """Look up and report every name that a search step uses."""
    if isinstance(data.get("from"), str):
        declared.knowledge.find(str(data["from"]), place / "from", declared.report)
    if "query" in data:
        reader.text(data["query"], place / "query", scope)
    if isinstance(data.get("rerank"), str):
        declared.models.find(str(data["rerank"]), place / "rerank", declared.report)
    if "that" in data:
        # asked of each passage: its fields by name
        names = {**scope.names, **{name: each.type for name, each in PASSAGE.fields.items()}}
        inside = Scope(names=names, classes=scope.classes, types=scope.types)
        reader.condition(data["that"], place / "that", inside)
