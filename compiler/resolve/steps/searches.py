"""Steps that search collections of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Scope
from wfc.compiler.model import ForgetCall, Knowledge, RememberCall, RetrieveCall
from wfc.compiler.resolve.declarations.knowledge import model_or_function
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data, one_or_many
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.rules import files as problems
from wfc.compiler.rules import steps as problems_of_steps
from wfc.compiler.slotted import replace
from wfc.compiler.types import PASSAGE, SEEN_PASSAGE, UNKNOWN, ListOf, Optional, Record

__all__ = ["PASSAGES", "resolve_forgetting", "resolve_remembering", "resolve_search"]


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
        is_known = found and not any(declared.is_broken((*each.address, "about")) for each in found)
        names = {**scope.names, "passage": SEEN_PASSAGE, "about": told_of(found) if is_known else UNKNOWN}
        inside = Scope(names=names, classes=scope.classes, types=scope.types)
        that = reader.condition(data["that"], place / "that", inside)
        if that is not None and any(path[:2] == ("passage", "parent") for path in that.uses):
            check_parents(place / "that", "passage.parent", found, declared)
    expand = data.get("expand")
    neighbours = expand.get("neighbours", 0) if isinstance(expand, Mapping) else 0
    if expand == "parent":
        check_parents(place / "expand", "expand: parent", found, declared)
    top = data.get("top")
    how_many = top if isinstance(top, int) else USUAL_TOP
    rerank = None
    if "rerank" in data:
        rerank = model_or_function(data["rerank"], place / "rerank", declared)
    if not found:
        return None
    return RetrieveCall(
        tuple(found),
        query,
        how_many,
        that,
        neighbours,
        expand == "parent",
        fetch if isinstance(fetch := data.get("fetch"), int) else None,
        number(data.get("min_score")),
        number(data.get("unlike")),
        rerank,
        place.origin or declared.project.path,
    )


def check_parents(place: Place, what: str, found: Sequence[Knowledge], declared: Declarations) -> None:
    """Check that one of the collections at least is cut so that its passages have parents."""
    if found and not any(each.parent or declared.is_broken((*each.address, "chunk")) for each in found):
        declared.report(problems_of_steps.key_without_companion(place, what, "chunk.parent"))


def written(data: Data, place: Place, declared: Declarations) -> Knowledge | None:
    """Return the collection of a step that writes it."""
    name, at = data.get("knowledge"), place / "knowledge"
    found = declared.knowledge.find(name, at, declared.report) if isinstance(name, str) else None
    if found is not None and found.per is None:
        if not declared.is_broken(found.address) and not declared.is_broken((*found.address, "per")):
            declared.report(problems.knowledge_not_written(at, found.name))
        return None
    return found


def resolve_remembering(
    data: Data, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> RememberCall | None:
    """Return what a step remembers; ``None`` if it is not known where."""
    found = written(data, place, declared)
    text = reader.text(data.get("text", ""), place / "text", scope)
    given = data.get("about", {})
    at = place / "about" if "about" in data else place / "knowledge"
    if found is None or not isinstance(given, Mapping) or declared.is_broken((*place.address, "about")):
        return None
    if declared.is_broken((*found.address, "about")):
        return None  # what may be said is not known
    return RememberCall(found, text, reader.fields(given, at, found.about, found.name, scope))


def resolve_forgetting(
    data: Data, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> ForgetCall | None:
    """Return what a step forgets; ``None`` if it is not known where."""
    found = written(data, place, declared)
    passage = reader.text(data["id"], place / "id", scope) if "id" in data else None
    return None if found is None else ForgetCall(found, passage)


def number(data: object) -> float | None:
    """Return a number; something else has been reported."""
    return data if isinstance(data, int | float) else None


def told_of(collections: Sequence[Knowledge]) -> Record:
    """Return what is declared to be said about the texts of collections; of several, what not all say may be null."""
    about = Record("about", role="namespace")
    for each in collections:
        for name, field in each.about.fields.items():
            known = about.fields.get(name)
            everywhere = all(name in other.about.fields for other in collections)
            type_ = field.type if everywhere or isinstance(field.type, Optional) else Optional(field.type)
            about.fields[name] = replace(
                field, type=type_ if known is None or known.type == type_ else UNKNOWN
            )
    return about
