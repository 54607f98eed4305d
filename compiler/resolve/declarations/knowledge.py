"""Collections of texts under `knowledge`."""

from __future__ import annotations

from collections.abc import Mapping

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Knowledge
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_style
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.rules.files import file_outside_project
from wfc.compiler.rules.names import name_declared_twice
from wfc.compiler.rules.shape import missing_key
from wfc.compiler.rules.steps import key_without_companion

__all__ = ["declare_knowledge"]


def declare_knowledge(declared: Declarations) -> None:
    """Enter the collections under `knowledge`; models are there already."""
    declared.prepare("knowledge", declared.knowledge)
    for name, content, address in declared.entries("knowledge"):
        place = Place(address)
        first = declared.knowledge.nodes.get(name)
        if first is not None:
            declared.report(name_declared_twice(place.key, name, Place(first.address).key, "a collection"))
        elif not check_style(name, place.key, "knowledge", declared.report) or not isinstance(
            content, Mapping
        ):
            declared.knowledge.broken.add(name)
        else:
            declared.knowledge.nodes[name] = knowledge(name, content, place, declared)


def knowledge(name: str, data: Data, place: Place, declared: Declarations) -> Knowledge:
    files = data.get("files")
    paths: list[str] = []
    for index, path in enumerate(files if isinstance(files, list) else [files]):
        at = place / "files" / index if isinstance(files, list) else place / "files"
        if not isinstance(path, str):
            continue
        if path.startswith(("/", "\\")) or "\\" in path or ":" in path or "\0" in path:
            declared.report(file_outside_project(at, path))
        elif ".." in path.split("/"):
            declared.report(file_outside_project(at, path, "the folder of this file"))
        else:
            paths.append(path)
    vector = data.get("index") == "vector"
    model = data.get("model")
    found = None
    if isinstance(model, str):
        found = declared.models.find(model, place / "model", declared.report)
        if not vector and not declared.is_broken((*place.address, "index")):
            declared.report(key_without_companion((place / "model").key, "model", "index: vector"))
    elif vector and not declared.is_broken((*place.address, "model")):
        hint = "write `model: NAME`, an embedding model from `models`"
        declared.report(missing_key(place.key, f"`{name}`", ["model"], hint))
    return Knowledge(name, tuple(paths), "vector" if vector else "keyword", found, place.address)
