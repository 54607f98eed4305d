"""What an author sees beside a text: its flow, where its steps stand, its Python; and patterns to begin from."""

from __future__ import annotations

import os
import re
from typing import Any, Final

from wfc.compiler.cli.authoring.folder import SpecFolder
from wfc.compiler.cli.authoring.language import Units, opened
from wfc.compiler.cli.starting.patterns import patterns
from wfc.compiler.lsp.documents import Documents
from wfc.compiler.lsp.navigation import outline
from wfc.compiler.passes import compile_text
from wfc.runtime.server.calls import Problem

__all__ = ["begun", "drawn", "looked_at", "pattern_list"]

_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,59}", re.ASCII)


def drawn(place: str, text: str) -> str:
    """Return the flow of a text as SVG, as if the text were in the file at a place.

    Raises:
        Problem: It has errors.
    """
    from wfc.compiler.cli.flows import flow_in
    from wfc.runtime.drawing.graph import graph_from_data
    from wfc.runtime.drawing.rendering import render

    with opened(place, text) as (documents, document):
        found = documents.workflow(document)
        graph = None if found is None else flow_in(found[1], document.path, found[0])
    if graph is None:
        raise Problem(422, "spec.broken", "a spec with errors is not drawn")
    return render(graph_from_data(graph), "svg")


def looked_at(place: str, text: str, *, with_python: bool) -> dict[str, Any]:
    """Return where in a text its steps and events are; and what is generated from it, if that is wanted.

    Places are counted in units of UTF-16 from the beginning.
    """
    units = Units(text)
    with opened(place, text) as (_, document):
        entries = [
            entry
            for section in outline(document)
            if section.name in {"events", "steps"}
            for entry in section.entries
        ]
        is_spec = document.is_spec
    told: dict[str, Any] = {
        "places": [
            {"name": entry.name, "from": units.of(entry.start), "to": units.of(entry.end)}
            for entry in entries
        ]
    }
    if with_python and is_spec:
        path = place.replace(os.sep, "/")
        documents = Documents()  # of its own: who types does not wait for it
        documents.put(path, text)
        raw = text.encode("utf-8", "replace")
        compiled = compile_text(raw, path, source=os.path.basename(path), project=documents.project())
        told["python"] = compiled.python
    return told


def pattern_list() -> list[dict[str, Any]]:
    """Return the specs that one may begin from here, each with what it does and the kinds of its steps: those that need
    specs alone."""
    return [
        {"name": one.name, "title": one.name.replace("_", " "), "about": one.description, "kinds": one.kinds}
        for one in patterns().values()
        if all(map(_is_spec, one.files()))
    ]


def _is_spec(path: str) -> bool:
    return path.endswith((".yaml", ".yml"))


def begun(folder: SpecFolder, pattern: str, name: str) -> str:
    """Write a copy of a pattern, and return its path; nothing that is there is written over.

    Raises:
        Problem: There is no such pattern, it is no name, or a file is there already.
    """
    known = patterns().get(pattern)
    if known is None or not all(map(_is_spec, known.files())):
        raise Problem(404, "pattern.unknown", f"there is no pattern `{pattern[:100]}`")
    if not _NAME.fullmatch(name):
        told = "a workflow's name has small letters, digits and `_`, and begins with a letter"
        raise Problem(422, "pattern.name", told)
    files = known.named(name)
    for path in files:
        if os.path.lexists(folder.place_of(path)):
            raise Problem(409, "file.exists", f"`{path}` is there already")
    for path, text in files.items():
        folder.write(path, text, None)
    return next(iter(files))
