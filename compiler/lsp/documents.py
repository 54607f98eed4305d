"""The documents that an editor has open, and what is known of each: its findings, and its last readable state."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any, Final

from wfc.compiler.diagnostics import Diagnostic, Finding, Severity
from wfc.compiler.lsp.names import PlacedNode, declared_in, nodes_of
from wfc.compiler.passes import check_text
from wfc.compiler.workspace.detection import looks_like_spec
from wfc.compiler.workspace.project import Project, project_of
from wfc.compiler.workspace.severity import with_severities
from wfc.compiler.workspace.sources import Source
from wfc.compiler.yaml import read

__all__ = ["Documents", "OpenDocument"]


MOST_FILES: Final = 100
"""So many imported files are looked at for names."""


class OpenDocument:
    """A document that an editor has open.

    Args:
        path: Of its file.
        text: As it is in the editor.
    """

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = ""
        self.data: Any = None  # of the last state that could be read
        self.nodes: list[PlacedNode] | None = None  # of the text as it is; ``None`` if it cannot be read
        self.change(text)

    def change(self, text: str) -> None:
        """Take a new text; what could be read before stays known while this one cannot."""
        self.text = text
        self.nodes = None
        data = data_of(text, self.path)
        if isinstance(data, dict):
            self.data = data
            self.nodes = nodes_of(text)

    @property
    def is_spec(self) -> bool:
        """Whether it is one of ours: other YAML is left alone."""
        return looks_like_spec(self.text.encode("utf-8", "replace"))


def data_of(text: str, path: str = "") -> Any:
    """Return what a text says as plain data; ``None`` if it cannot be read."""
    findings: list[Finding] = []
    document = read(text.encode("utf-8", "replace"), path, findings.append)
    broken = any(each.severity is Severity.ERROR for each in findings)
    return None if broken else document.data


def items(data: Any, key: str) -> list[Any]:
    found = data.get(key) if isinstance(data, dict) else None
    return found if isinstance(found, list) else []


class Documents:
    """All open documents, by path, and the files of their projects on disk."""

    def __init__(self) -> None:
        self.open: dict[str, OpenDocument] = {}

    def put(self, path: str, text: str) -> OpenDocument:
        """Take the text of a document that was opened or changed."""
        found = self.open.get(path)
        if found is None:
            found = self.open[path] = OpenDocument(path, text)
        elif found.text != text:
            found.change(text)
        return found

    def close(self, path: str) -> None:
        """Forget a document: from now on its file counts."""
        self.open.pop(path, None)

    def project(self, **changed: str) -> Project:
        """Return the files as they are, the open ones with their texts in the editor."""
        return project_of(
            [
                Source(each.path, changed.get(each.path, each.text).encode("utf-8", "replace"))
                for each in self.open.values()
                if each.is_spec
            ]
        )

    def findings(self, document: OpenDocument, text: str | None = None) -> tuple[Diagnostic, ...]:
        """Return the findings in a document, or those that it would have with another text."""
        if not document.is_spec:
            return ()
        said = document.text if text is None else text
        project = self.project(**{document.path: said})
        checked = with_severities(check_text(said.encode("utf-8", "replace"), document.path, project))
        return tuple(each for each in checked.diagnostics if each.path == document.path)

    def others(self, document: OpenDocument) -> Mapping[str, str]:
        """Return the texts of the files that a document imports, or that are its parts, by path."""
        files, found = self.project().files, dict[str, str]()
        waiting = [(document.path, document.data)]
        while waiting and len(found) < MOST_FILES:
            asking, data = waiting.pop()
            named = [
                each for key in ("imports", "parts") for each in items(data, key) if isinstance(each, str)
            ]
            for name in named:
                path = posixpath.normpath(posixpath.join(posixpath.dirname(asking), name))
                raw = files.read(path) if path not in found and path != document.path else None
                if isinstance(raw, bytes):
                    found[path] = raw.decode("utf-8", "replace").removeprefix("\ufeff")
                    waiting.append((path, data_of(found[path], path)))
        return found

    def declared(self, document: OpenDocument, kind: str) -> dict[str, Any]:
        """Return all that is declared of a kind in a document and in what it imports."""
        found = dict(declared_in(document.data, kind))
        for path, text in self.others(document).items():
            found = {**declared_in(data_of(text, path), kind), **found}
        return found
