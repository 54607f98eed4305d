"""Collections of texts under `knowledge`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Knowledge
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data, one_or_many
from wfc.compiler.rules import files as file_problems
from wfc.compiler.rules import shape as shape_problems
from wfc.compiler.rules import steps as step_problems

__all__ = ["declare_knowledge"]

By = Literal["size", "markdown"]

SIZE: Final = 800
"""How many characters a passage has at most, where `chunk` does not say it."""


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
        elif not path.strip("./ "):
            declared.report(file_problems.no_such_file(at, path, "it names no file"))
        elif "${{" in path:
            declared.report(file_problems.no_such_file(at, path, "files are named here, not worked out"))
        else:
            paths.append(path)
    vector = data.get("index") == "vector"
    if vector:
        declared.report(shape_problems.not_supported_yet(place / "index", "`index: vector`"))
    if "model" in data:
        declared.models.find(str(data["model"]), place / "model", declared.report)
        if not vector and not declared.is_broken((*place.address, "index")):
            at = (place / "model").key
            declared.report(step_problems.key_without_companion(at, "model", "index: vector"))
    by, size, overlap = chunk(data.get("chunk"), place / "chunk", declared)
    file = place.origin or declared.project.path
    return Knowledge(name, tuple(paths), file, by, size, overlap, place.address)


def chunk(data: object, place: Place, declared: Declarations) -> tuple[By | None, int, int]:
    """Return how texts are cut: along what, and the sizes of a passage and of what it shares with the one before."""
    said = data if isinstance(data, Mapping) else {}
    size, overlap = said.get("size", SIZE), said.get("overlap", 0)
    by: By | None = "markdown" if said.get("by") == "markdown" else "size" if "by" in said else None
    if not (isinstance(size, int) and isinstance(overlap, int)):
        return by, SIZE, 0  # of a wrong kind, which has been said
    if overlap * 2 > size:
        at = place / "overlap"
        declared.report(shape_problems.out_of_range(at, "overlap", overlap, f"from 0 to {size // 2}"))
    return by, size, overlap
