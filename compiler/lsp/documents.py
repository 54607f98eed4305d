"""The documents that an editor has open, and what is known of each: its findings, and its last readable state."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping
from typing import Any, Final

from wfc.compiler.diagnostics import Diagnostic, Finding, Severity
from wfc.compiler.lsp.kept_files import KeptProject, Readings
from wfc.compiler.lsp.memory import Memory
from wfc.compiler.lsp.names import SECTIONS, PlacedNode, declared_in, nodes_of
from wfc.compiler.lsp.project_files import KeptDisk, ProjectFiles
from wfc.compiler.model import Workflow
from wfc.compiler.passes import check_text
from wfc.compiler.workspace.detection import looks_like_spec
from wfc.compiler.workspace.disk import root_of
from wfc.compiler.workspace.project import Project
from wfc.compiler.workspace.severity import with_severities
from wfc.compiler.workspace.sources import Source
from wfc.compiler.yaml import read

__all__ = ["LARGE", "Documents", "OpenDocument", "data_of", "is_part", "items", "named_files"]


LARGE: Final = 100_000
"""A text of more code points takes so long to read that whoever types would notice."""

MOST_FILES: Final = 100
"""So many imported files are looked at for names."""


OF_OWNER: Final = ("start", "end")
"""What a part means of its workflow, besides the names that this declares."""


class OpenDocument:
    """A document that an editor has open.

    Args:
        path: Of its file.
        text: As it is in the editor.
        readings: The files that were read.
    """

    def __init__(self, path: str, text: str, readings: Readings) -> None:
        self.path = path
        self.text = ""
        self.good = ""  # the text that could be read last, before this one
        self.before: OpenDocument | None = None  # that text as a document, if somebody has asked
        self.is_spec = False
        self.readings = readings
        self.memory = Memory()
        self.found: dict[bool, tuple[int, tuple[Diagnostic, ...]]] = {}  # see `Documents.kept_findings`
        self._data: Any = None  # of the last state that could be read
        self._readable: bool | None = None  # of the text as it is; ``None`` if nobody has tried
        self.change(text)

    def change(self, text: str) -> None:
        """Take a new text; what could be read before stays known while this one cannot."""
        if self.readable:
            self.good, self.before = self.text, None
        elif not self.good:
            self.before = None  # made of the text that changes now
        self.text = text
        self._nodes: list[PlacedNode] | None = None
        self.is_spec = looks_like_spec(self.raw)
        self._readable = None

    @property
    def readable(self) -> bool:
        """Whether the text, as it is, can be read."""
        if self._readable is None:
            data = self.readings.of(self.path, self.raw).data if self.is_spec else None
            self._readable = isinstance(data, dict)
            if self._readable:
                self._data = data
        return self._readable

    @property
    def data(self) -> Any:
        """What the text says, or what it said when it could be read last."""
        _ = self.readable  # which takes it over
        return self._data

    @property
    def data_at_once(self) -> Any:
        """The same; of a large text what is known already, so that each key stays quick."""
        return self._data if len(self.text) > LARGE and self._data is not None else self.data

    @property
    def raw(self) -> bytes:
        """Its bytes."""
        return self.text.encode("utf-8", "replace")

    @property
    def nodes(self) -> list[PlacedNode]:
        """The keys and values of the text as it is; none if it cannot be read."""
        if self._nodes is None:
            self._nodes = nodes_of(self.text) if self.readable else []
        return self._nodes

    def warm(self) -> None:
        """Work out what the next question will need."""
        _ = self.nodes


def data_of(text: str, path: str = "") -> Any:
    """Return what a text says as plain data; ``None`` if it cannot be read."""
    findings: list[Finding] = []
    document = read(text.encode("utf-8", "replace"), path, findings.append)
    broken = any(each.severity is Severity.ERROR for each in findings)
    return None if broken else document.data


def is_part(data: Any) -> bool:
    """Return whether a document is a part of a workflow."""
    return isinstance(data, dict) and "part" in data


def items(data: Any, key: str) -> list[Any]:
    found = data.get(key) if isinstance(data, dict) else None
    return found if isinstance(found, list) else []


def named_files(path: str, data: Any) -> list[str]:
    """Return the paths of the files that a file imports, or that are its parts."""
    named = [each for key in ("imports", "parts") for each in items(data, key) if isinstance(each, str)]
    return [posixpath.normpath(posixpath.join(posixpath.dirname(path), each)) for each in named]


class Documents:
    """All open documents, by path, and the files of their projects on disk."""

    def __init__(self) -> None:
        self.open: dict[str, OpenDocument] = {}
        self.readings = Readings()
        self.files = ProjectFiles()
        self.changes = 0
        self.known: dict[tuple[str, str], Any] = {}
        """What was worked out of texts, by path and text, until one of them changes."""
        self._folder: Project | None = None

    def put(self, path: str, text: str) -> OpenDocument:
        """Take the text of a document that was opened or changed."""
        found = self.open.get(path)
        if found is None:
            found = self.open[path] = OpenDocument(path, text, self.readings)
            self.changed()
        elif found.text != text:
            found.change(text)
            self.changed()
        return found

    def close(self, path: str) -> None:
        """Forget a document: from now on its file counts."""
        self.open.pop(path, None)
        self.changed()

    def changed(self) -> None:
        """Note that a document or a file is not what it was, so that findings are looked for anew."""
        self.changes += 1
        self.known.clear()
        self._folder = None

    def files_changed(self) -> None:
        """Note that files on disk may be other ones."""
        self.files.changed()
        self.changed()

    def workflows(self, path: str) -> dict[str, str]:
        """Return the paths of all workflows that a file sees, by their names."""
        if self._folder is None:
            self._folder = self.project()
        lookups = self._folder.lookups
        return {**lookups.near(posixpath.dirname(path)), **lookups.given()}

    def project(self, **changed: str) -> Project:
        """Return the files as they are, the open ones with their texts in the editor."""
        sources = [
            Source(
                each.path, changed[each.path].encode("utf-8", "replace") if each.path in changed else each.raw
            )
            for each in self.open.values()
            if each.is_spec
        ]
        return KeptProject(KeptDisk(sources, self.files), self.readings)

    def findings(self, document: OpenDocument) -> tuple[Diagnostic, ...]:
        """Return the findings in a document, as `wfc check` tells them; looked for once for each text of all."""
        return self.kept_findings(document, consequences=False)

    def findings_now(self, document: OpenDocument) -> tuple[Diagnostic, ...]:
        """Return the findings in a document; in this shorter time, one mistake may lead to several of them."""
        return self.kept_findings(document, consequences=True)

    def kept_findings(self, document: OpenDocument, *, consequences: bool) -> tuple[Diagnostic, ...]:
        found = document.found.get(consequences)
        if found is None or found[0] != self.changes:
            found = self.changes, self.findings_in(document, document.text, consequences=consequences)
            document.found[consequences] = found
        return found[1]

    def findings_in(
        self, document: OpenDocument, text: str, *, consequences: bool = False
    ) -> tuple[Diagnostic, ...]:
        """Return the findings that a document would have with a text."""
        if not document.is_spec:
            return ()
        project = self.project(**{document.path: text})
        project.memory = document.memory
        document.memory.begin()
        raw = text.encode("utf-8", "replace")
        checked = with_severities(check_text(raw, document.path, project, consequences=consequences))
        return tuple(each for each in checked.diagnostics if each.path == document.path)

    def workflow(self, document: OpenDocument) -> tuple[Workflow, Project] | None:
        """Return the workflow of a document, and the files with which it was checked; ``None`` while it has errors."""
        if not document.is_spec:
            return None
        project = self.project()
        project.memory = document.memory
        document.memory.begin()
        checked = check_text(document.raw, document.path, project, consequences=True)
        project.memory = None  # which is of this document alone
        return None if checked.failed or checked.workflow is None else (checked.workflow, project)

    def findings_with(self, path: str, texts: Mapping[str, str]) -> tuple[Diagnostic, ...]:
        """Return the findings that a file would have if some files, itself among them, had other texts."""
        given = {**{each.path: each.text for each in self.open.values() if each.is_spec}, **texts}
        sources = [Source(each, said.encode("utf-8", "replace")) for each, said in given.items()]
        project = KeptProject(KeptDisk(sources, self.files), Readings())
        checked = with_severities(check_text(texts[path].encode("utf-8", "replace"), path, project))
        return checked.diagnostics

    def read(self, path: str, text: str) -> Any:
        """Return what a file says as plain data; ``None`` if it cannot be read."""
        return self.readings.of(path, text.encode("utf-8", "replace")).data

    def data(self, path: str) -> Any:
        """Return what a file of the project says, as it is in the editor if it is open."""
        if path in self.open:
            return self.open[path].data
        raw = self.project().files.read(path)
        return self.readings.of(path, raw).data if isinstance(raw, bytes) else None

    def others(self, document: OpenDocument) -> Mapping[str, str]:
        """Return the texts of the files that a document imports, or that are its parts, by path."""
        return self.reached(document.path, document.data_at_once)

    def reached(self, path: str, data: Any) -> Mapping[str, str]:
        """Return the texts of the files that a file imports, or that are its parts, by path.

        Args:
            data: What the file says.
        """
        files, found = self.project().files, dict[str, str]()
        waiting = [(path, data)]
        while waiting and len(found) < MOST_FILES:
            asking, data = waiting.pop()
            for each in named_files(asking, data):
                raw = files.read(each) if each not in found and each != path else None
                if isinstance(raw, bytes):
                    found[each] = raw.decode("utf-8", "replace").removeprefix("\ufeff")
                    waiting.append((each, self.read(each, found[each])))
        return found

    def declared(self, document: OpenDocument, kind: str) -> dict[str, Any]:
        """Return all that is declared of a kind in a document and in what it imports."""
        if kind == "workflow":
            return {name: {} for name, path in self.workflows(document.path).items() if path != document.path}
        return declared_over(self.layers(document), kind)

    def layers(self, document: OpenDocument) -> list[Any]:
        """Return what a document says, and what the files say whose declarations hold in it, in this order."""
        found = [document.data_at_once, *(self.read(*each) for each in self.others(document).items())]
        for path, data in self.owners(document).items():
            others = self.reached(path, data).items()
            found += [data, *(self.read(other, text) for other, text in others if other != document.path)]
        return found

    def owners(self, document: OpenDocument) -> Mapping[str, Any]:
        """Return what the workflows say that a document is a part of, by path."""
        if not is_part(document.data_at_once):
            return {}
        name = posixpath.basename(document.path)
        texts = {path: each.text for path, each in self.open.items() if each.is_spec}
        if os.path.isabs(document.path):
            for path, raw in self.files.below(root_of(document.path).replace(os.sep, "/")):
                if path not in texts and b"parts" in raw and name.encode() in raw:
                    texts[path] = raw.decode("utf-8", "replace").removeprefix("\ufeff")
        found = {
            path: self.open[path].data if path in self.open else self.read(path, text)
            for path, text in texts.items()
        }
        return {
            path: data
            for path, data in found.items()
            if items(data, "parts") and document.path in named_files(path, data)
        }

    def meant(self, document: OpenDocument, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a document says, with all that it imports, and that its workflow declares if it is a part.

        Args:
            data: What it says itself, though its text may be unfinished.
        """
        layers = self.layers(document)
        found = dict(data)
        for kind, section in SECTIONS.items():
            said = data.get(section)
            declared = {**(said if isinstance(said, dict) else {}), **declared_over(layers, kind)}
            if declared and kind != "step":
                found[section] = declared
        for key in OF_OWNER:
            known = (each[key] for each in layers[1:] if isinstance(each, dict) and key in each)
            found.setdefault(key, next(known, None))
        secrets = [each for one in (data, *layers) for each in items(one, "secrets") if isinstance(each, str)]
        return {**found, "secrets": list(dict.fromkeys(secrets))}


def declared_over(layers: list[Any], kind: str) -> dict[str, Any]:
    """Return all that is declared of a kind, of each name what stands first."""
    found: dict[str, Any] = {}
    for each in layers:
        for name, said in declared_in(each, kind).items():
            found.setdefault(name, said)
    return found
