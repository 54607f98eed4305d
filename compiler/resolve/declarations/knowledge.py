"""Collections of texts under `knowledge`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, get_args

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Expression, Scope
from wfc.compiler.model import Knowledge, KnowledgeIndex, Model, Secret
from wfc.compiler.resolve.declarations.fields import read_fields
from wfc.compiler.resolve.declarations.messages import read_key
from wfc.compiler.resolve.declarations.requests import secret
from wfc.compiler.resolve.declarations.tools import PYTHON
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data, one_or_many
from wfc.compiler.resolve.values.durations import duration
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.resolve.values.scopes import inputs, types_of
from wfc.compiler.rules import bindings as binding_problems
from wfc.compiler.rules import files as file_problems
from wfc.compiler.rules import shape as shape_problems
from wfc.compiler.rules import steps as step_problems
from wfc.compiler.slotted import replace
from wfc.compiler.types import UNKNOWN, Enumeration, Optional, Record, Scalar, show

__all__ = ["declare_knowledge", "model_or_function"]

By = Literal["size", "sentence", "markdown", "code"]
BY: Final[Mapping[object, By]] = {
    "size": "size",
    "sentence": "sentence",
    "markdown": "markdown",
    "code": "code",
}
INDEXES: Final[Mapping[object, KnowledgeIndex]] = {name: name for name in get_args(KnowledgeIndex)}
WRITTEN: Final = ("tree", "keyword_table")
"""The indexes that a model builds."""

SOURCES: Final = ("files", "urls", "sql", "loader", "python")

SIZE: Final = 800
"""How many characters a passage has at most, where `chunk` does not say it."""


class Cut(NamedTuple):
    """How texts are cut: along what, and the sizes of a passage, of what it shares with the one before, of parents."""

    by: By | None = None
    size: int = SIZE
    overlap: int = 0
    parent: int = 0


def declare_knowledge(declared: Declarations) -> None:
    """Declare the collections under `knowledge`; models have been declared before."""
    for name, content, place in declared.new_entries("knowledge", declared.knowledge, "knowledge"):
        if isinstance(content, Mapping):
            declared.knowledge.nodes[name] = knowledge(name, content, place, declared)
        else:
            declared.knowledge.broken.add(name)


def knowledge(name: str, data: Data, place: Place, declared: Declarations) -> Knowledge:
    known = (*SOURCES, "per")
    if not any(each in data for each in known) and not declared.any_broken(place, known):
        declared.report(
            shape_problems.missing_key(place.key, f"the collection `{name}`", known, "", one_of=True)
        )
    cut = chunk(data.get("chunk"), place / "chunk", declared)
    index: KnowledgeIndex = INDEXES.get(data.get("index"), "keyword")
    about = Record("about", role="namespace")
    read_fields(data.get("about"), (*place.address, "about"), about, declared)
    check_about(about, declared)
    return Knowledge(
        name,
        paths(data.get("files", ()), place / "files", declared),
        place.origin or declared.project.path,
        *cut[:3],
        place.address,
        cut.parent,
        index,
        embedder(data, place, index not in {"keyword", "list"}, declared),
        about,
        addresses(data.get("urls", ()), place / "urls", declared),
        database(data.get("sql"), place / "sql", declared),
        function(data.get("loader"), place / "loader", declared),
        python(data.get("python"), place / "python", declared),
        *written(name, data, place, declared),
        most_calls(data, place, index, declared),
        str(data.get("description", "")),
    )


def written(
    name: str, data: Data, place: Place, declared: Declarations
) -> tuple[Expression | None, int | None, float | None]:
    """Return whose entries a collection has that runs write, how many of each, and for how many seconds."""
    keep = data.get("keep")
    kept: Data = keep if isinstance(keep, Mapping) else {}
    entries = kept.get("entries")
    seconds = duration(kept["for"], place / "keep" / "for", declared.report) if "for" in kept else None
    if "per" not in data:
        if "keep" in data and not declared.is_broken((*place.address, "per")):
            declared.report(step_problems.key_without_companion((place / "keep").key, "keep", "per"))
        return None, None, None
    for key in (*SOURCES, "chunk"):
        if key in data:
            declared.report(file_problems.written_with_sources((place / key).key, name, key))
    if data.get("index") in {"list", *WRITTEN} and not declared.is_broken((*place.address, "index")):
        wrong = f"index: {data['index']}"
        declared.report(file_problems.written_with_sources((place / "index").key, name, wrong))
    scope = Scope(names={"inputs": inputs(declared)}, classes=declared.classes, types=types_of(declared))
    per = read_key(data["per"], place / "per", "per", scope, ValueReader(declared.report))
    return per, entries if isinstance(entries, int) else None, seconds


def most_calls(data: Data, place: Place, index: KnowledgeIndex, declared: Declarations) -> int:
    """Return how many calls an update may make of the model that builds an index; that must be said."""
    said = data.get("max_calls")
    if said is None and index in WRITTEN and not declared.is_broken((*place.address, "max_calls")):
        at = (place / "index").key
        declared.report(step_problems.key_without_companion(at, f"index: {index}", "max_calls"))
    if said is not None and index not in WRITTEN and not declared.is_broken((*place.address, "index")):
        at = (place / "max_calls").key
        beside = [f"index: {each}" for each in WRITTEN]
        declared.report(step_problems.key_without_companion(at, "max_calls", *beside))
    model = data.get("model")
    if index == "tree" and isinstance(model, Mapping) and not declared.is_broken((*place.address, "model")):
        wanted, found = "the name of a model, which sums up and chooses", "a function"
        declared.report(
            shape_problems.wrong_type(place / "model", "the `model` of a tree", wanted, found, "")
        )
    return said if isinstance(said, int) else 0


def paths(files: object, place: Place, declared: Declarations) -> tuple[str, ...]:
    """Return the paths that lead to files of the folder; the others are reported."""
    found = []
    for path, at in one_or_many(files, place):
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
            found.append(path)
    return tuple(found)


def addresses(urls: object, place: Place, declared: Declarations) -> tuple[str, ...]:
    """Return the addresses that texts are fetched from."""
    found = []
    for url, at in one_or_many(urls, place):
        if not isinstance(url, str):
            continue
        if "${{" in url or not re.match(r"https?://[^\s/]", url):
            wanted = "a web address such as `https://example.org/manual`"
            declared.report(shape_problems.wrong_type(at, "`urls`", wanted, f"`{url}`", ""))
        else:
            found.append(url)
    return tuple(found)


def database(data: object, place: Place, declared: Declarations) -> tuple[tuple[str | Secret, str], ...]:
    """Return an SQLite file, or the secret with the address of a database, and the query of its rows."""
    if not isinstance(data, Mapping):
        return ()
    if "database" in data:
        where = secret(data["database"], place / "database", declared)
        return ((where, str(data.get("query", ""))),)
    (path,) = paths(data.get("file"), place / "file", declared) or ("",)
    query = data.get("query")
    return ((path, query),) if path and isinstance(query, str) else ()


def python(text: object, place: Place, declared: Declarations) -> str:
    """Return the place of an object in a module; another text is reported."""
    if not isinstance(text, str):
        return ""
    if not PYTHON.fullmatch(text):
        declared.report(binding_problems.bad_python_tool(place, text))
    return text


def function(data: object, place: Place, declared: Declarations) -> str:
    """Return the function that ``{python: module:function}`` names."""
    return python(data.get("python"), place / "python", declared) if isinstance(data, Mapping) else ""


def model_or_function(data: object, place: Place, declared: Declarations) -> Model | str | None:
    """Return a model by its name, or a function as ``module:function``."""
    if isinstance(data, Mapping):
        return function(data, place, declared) or None
    return declared.models.find(str(data), place, declared.report)


def embedder(data: Data, place: Place, is_needed: bool, declared: Declarations) -> Model | str | None:
    """Return what embeds the texts of a collection."""
    if "model" not in data:
        if is_needed and not declared.is_broken((*place.address, "model")):
            declared.report(step_problems.key_without_companion((place / "index").key, "index", "model"))
        return None
    if not is_needed and not declared.is_broken((*place.address, "index")):
        at = (place / "model").key
        declared.report(step_problems.key_without_companion(at, "model", "index: vector"))
    return model_or_function(data["model"], place / "model", declared)


def check_about(about: Record, declared: Declarations) -> None:
    """Check that what is said about texts are single values."""
    for name, each in about.fields.items():
        inner = each.type.of if isinstance(each.type, Optional) else each.type
        if not isinstance(inner, Scalar) and inner != UNKNOWN and not isinstance(inner, Enumeration):
            wanted, found = "a single value, such as `string` or `integer`", f"`{show(each.type)}`"
            declared.report(
                shape_problems.wrong_type(Place(each.address), f"`about.{each.name}`", wanted, found, "")
            )
            about.fields[name] = replace(each, type=UNKNOWN)


def chunk(data: object, place: Place, declared: Declarations) -> Cut:
    """Return how texts are cut."""
    said = data if isinstance(data, Mapping) else {}
    size, overlap, parent = said.get("size", SIZE), said.get("overlap", 0), said.get("parent", 0)
    by = BY.get(said.get("by"))
    if not (isinstance(size, int) and isinstance(overlap, int) and isinstance(parent, int)):
        return Cut(by)  # of a wrong kind, which has been said
    if overlap * 2 > size:
        at = place / "overlap"
        declared.report(shape_problems.out_of_range(at, "overlap", overlap, f"from 0 to {size // 2}"))
    if parent and parent < size:
        at = place / "parent"
        declared.report(shape_problems.out_of_range(at, "parent", parent, f"at least {size}, as `size` is"))
    return Cut(by, size, overlap, parent)
