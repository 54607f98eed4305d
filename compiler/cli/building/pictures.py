"""Pictures beside specs: drawn into files, listed by the manifest of their folder, and drawn anew from it."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from wfc.compiler.cli.building.judging import manifests_below
from wfc.compiler.cli.building.manifest import read_manifest
from wfc.compiler.cli.building.outputs import Build, Built, Output, digest, read_output, uses
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.workspace.cache import CheckResult
from wfc.compiler.workspace.paths import relative_path
from wfc.compiler.workspace.severity import with_severities
from wfc.compiler.workspace.sources import RealPaths, Source

if TYPE_CHECKING:
    from wfc.compiler.workspace.project import Project

__all__ = ["FORMS", "form_of", "picture_folders", "picture_of", "pictures_of"]

FORMS: Final = {
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".dot": "dot",
    ".gv": "dot",
    ".html": "html",
    ".htm": "html",
}
"""How a picture is drawn, by how its file's name ends: no spec and no module has such a name."""

DRAWING: Final = os.path.join(os.path.dirname(__file__), *(os.pardir,) * 3, "runtime", "drawing")


def form_of(path: str) -> str:
    """Return how the picture in a file is drawn; an empty text if its name does not say so."""
    return FORMS.get(os.path.splitext(path)[1].lower(), "")


def picture_folders(paths: Sequence[str], build: Build) -> list[str]:
    """Return the folders whose manifests may list pictures of specs: theirs, those below paths, and that of modules."""
    found = dict.fromkeys(os.path.normpath(os.path.dirname(source.path)) for source in build.sources)
    found |= dict.fromkeys([] if build.output is None else [os.path.normpath(build.output)])
    below = (each for path in paths if os.path.isdir(path) for each in manifests_below(path))
    found |= dict.fromkeys(os.path.normpath(each) for each in below)
    real: dict[str, str] = {}
    for each in found:
        real.setdefault(os.path.realpath(each), each)
    return [*real.values()]


def pictures_of(
    build: Build, built: Sequence[Built], folders: Iterable[str], *, texts: Container[str] = ()
) -> list[Output]:
    """Return the pictures that manifests list, as they would be drawn of the specs that were given.

    Args:
        built: These specs, compiled.
        folders: Those of the manifests.
        texts: The paths of those that are wanted with their texts, and are drawn for that.
    """
    manifests = {
        folder: read_manifest(folder, force=True).pictures for folder in folders
    }  # who writes it refuses
    if not any(manifests.values()):
        return []
    real = RealPaths()
    sources = {real.of(source.path): source for source in build.sources}
    failed = {each.findings.path for each in built if not each.outputs}
    found = []
    for folder, pictures in manifests.items():
        for name, entry in pictures.items():
            spec = os.path.normpath(os.path.join(folder, str(entry.get("source", ""))))
            source = sources.get(real.of(spec)) or renamed(spec, str(entry.get("workflow")), built, build)
            form = str(entry["form"])
            if source is None or source.path in failed or form != form_of(name):
                continue
            drawn = known(build, source, folder, name, form)
            drawn = None if drawn is not None and drawn.path in texts else drawn
            drawn = drawn or picture_of(build, source, folder, name, form)
            found += [] if drawn is None else [drawn]
    return found


def renamed(spec: str, workflow: str, built: Iterable[Built], build: Build) -> Source | None:
    """Return the spec that a picture's workflow is in now, if its own is gone and there is one alone."""
    if os.path.exists(spec):
        return None
    now = {each.origin for one in built for each in one.outputs if each.workflow == workflow}
    return next((each for each in build.sources if {each.path} == now), None)


def picture_of(build: Build, source: Source, folder: str, name: str, form: str) -> Output | None:
    """Draw a spec; ``None`` if it has errors, which are told elsewhere."""
    drawn = drawn_text(build.project, source, folder, form)
    if drawn is None:
        return None
    workflow, text = drawn
    lookups = build.project.dependencies(source.path)
    picture = Output(
        folder=folder,
        name=name,
        workflow=workflow,
        origin=source.path,
        source=relative_path(source.path, folder),
        source_sha256=sha256(source.raw).hexdigest(),
        sha256=digest(text),
        uses=uses(lookups, folder),
        text=text,
        form=form,
    )
    if build.cache is not None:
        result = CheckResult(source.path, "", (), lookups, modules=(picture.as_texts(),))
        build.cache.keep(source.raw, result, purpose(build, source, folder, name, form))
    return picture


def known(build: Build, source: Source, folder: str, name: str, form: str) -> Output | None:
    """Return a picture as it was drawn earlier from the same files, without its text."""
    if build.cache is None:
        return None
    asked = purpose(build, source, folder, name, form)
    found = build.cache.find(source.path, source.raw, build.lookups.still_holds, asked)
    return None if found is None or not found.modules else read_output(folder, found.modules[0])


def purpose(build: Build, source: Source, folder: str, name: str, form: str) -> str:
    return f"picture {form} {name}\n{drawing_code()}\n{build.purpose(source, folder)}"


@cache
def drawing_code() -> str:
    """Return a digest of the code that draws, which is in the other house: the cache knows the compiler's alone."""
    total = sha256()
    for name in sorted(os.listdir(DRAWING)):
        path = os.path.join(DRAWING, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                total.update(name.encode() + sha256(file.read()).digest())
    return total.hexdigest()


def drawn_text(project: Project, source: Source, folder: str, form: str) -> tuple[str, str] | None:
    """Return the workflow's name, and its picture with the header by which it is known as ours."""
    from wfc.compiler.cli.flows import flow_in
    from wfc.compiler.passes import check_text
    from wfc.runtime.drawing.graph import graph_from_data
    from wfc.runtime.drawing.rendering import render

    checked = with_severities(check_text(source.raw, source.path, project))
    if checked.failed or checked.workflow is None:
        return None
    flow = flow_in(project, source.path, checked.workflow)
    if flow is None:
        return None
    for each in (flow, *flow["inside"].values()):
        each["path"] = relative_path(each["path"], folder)  # the same bytes, wherever the command is given
    text = render(graph_from_data(flow), form)
    header = list(header_of(relative_path(source.path, folder), sha256(source.raw).hexdigest(), form))
    first, rest = (
        text.split("\n", 1) if form == "html" else ("", text)
    )  # a page begins with its document type
    return checked.workflow.name, "\n".join([*filter(None, [first]), *header, rest])


def header_of(source: str, source_sha256: str, form: str) -> Iterator[str]:
    """Yield the lines that say what a picture was drawn from, as comments of its language."""
    mark, end = {"mermaid": ("%%", ""), "dot": ("//", ""), "html": ("<!--", " -->")}[form]
    shown = printable(source)
    if form == "html":  # in ASCII, as the page is, and without what would end the comment
        shown = shown.replace(">", "&gt;").encode("ascii", "xmlcharrefreplace").decode()
    yield f"{mark} Generated from {shown}. Edit the spec, not this file.{end}"
    yield f"{mark} sha256:{source_sha256}, drawn as {form}{end}"
