"""Collections of texts under `knowledge`."""

from __future__ import annotations

from collections.abc import Mapping

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Knowledge
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data, one_or_many
from wfc.compiler.rules import files as file_problems
from wfc.compiler.rules import shape as shape_problems
from wfc.compiler.rules import steps as step_problems

__all__ = ["declare_knowledge"]


def declare_knowledge(declared: Declarations) -> None:
    """Declare the collections under `knowledge`; models have been declared before."""
    for name, content, place in declared.new_entries("knowledge", declared.knowledge, "knowledge"):
        if isinstance(content, Mapping):
            declared.knowledge.nodes[name] = knowledge(name, content, place, declared)
        else:
            declared.knowledge.broken.add(name)


def knowledge(name: str, data: Data, place: Place, declared: Declarations) -> Knowledge:
    files = data.get("files")
    paths: list[str] = []
    for path, at in one_or_many(files, place / "files"):
        if not isinstance(path, str):
            continue
        if path.startswith(("/", "\\")) or "\\" in path or ":" in path or "\0" in path:
            declared.report(file_problems.file_outside_project(at, path))
        elif ".." in path.split("/"):
            declared.report(file_problems.file_outside_project(at, path, "the folder of this file"))
        else:
            paths.append(path)
    vector = data.get("index") == "vector"
    model = data.get("model")
    found = None
    if isinstance(model, str):
        found = declared.models.find(model, place / "model", declared.report)
        if not vector and not declared.is_broken((*place.address, "index")):
            declared.report(
                step_problems.key_without_companion((place / "model").key, "model", "index: vector")
            )
    elif vector and not declared.is_broken((*place.address, "model")):
        hint = "write `model: NAME`, an embedding model from `models`"
        declared.report(shape_problems.missing_key(place.key, f"`{name}`", ["model"], hint))
    return Knowledge(name, tuple(paths), "vector" if vector else "keyword", found, place.address)
