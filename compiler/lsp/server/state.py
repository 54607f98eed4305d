"""The server itself: the documents that are open, when they are checked, and places as the editor counts them."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from wfc.compiler.diagnostics import Diagnostic, Severity
from wfc.compiler.lsp.documents import Documents, OpenDocument
from wfc.compiler.lsp.folder import Spot
from wfc.compiler.lsp.lines import Lines

__all__ = ["Server", "path_of", "server", "shown", "stretch"]

Draw = Callable[[Documents, OpenDocument, str], tuple[str, dict[str, str]] | None]

SOON: Final = 0.01
"""So many seconds without a keystroke go by before a document is checked."""
REST: Final = 0.3
"""So many seconds without one, before findings that may come from one mistake are told as one, which takes longer."""
MOST_CHECKS: Final = 500
"""So many checks without a rest, before memory is given back all the same."""

SEVERITIES: Final = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
}


class Server(LanguageServer):
    """The language server of specs."""

    def __init__(self) -> None:
        # whole texts: pygls takes U+2028 for the end of a line when it applies changes, and editors do not
        super().__init__(
            "wfc", version("wfc-workflows"), text_document_sync_kind=lsp.TextDocumentSyncKind.Full
        )
        self.documents = Documents()
        self.uris: dict[str, str] = {}
        self.waiting: asyncio.TimerHandle | None = None
        self.command_line = ["wfc"]
        self.draw: Draw | None = None
        self.edited: set[str] = set()  # paths
        self.checks = 0  # since memory was given back
        self.told: dict[str, tuple[str, list[lsp.Diagnostic]]] = {}
        self.asked_to_end = False

    def document(self, uri: str) -> OpenDocument:
        """Return an open document as it is in the editor."""
        path = path_of(uri)
        self.uris[path] = uri
        return self.documents.put(path, self.workspace.get_text_document(uri).source)

    def lines(self, text: str) -> Lines:
        """Return the lines of a text, with columns as the editor counts them."""
        encoding = self.workspace.position_encoding
        return Lines(text, encoding.value if isinstance(encoding, lsp.PositionEncodingKind) else "utf-16")

    def offset(self, document: OpenDocument, position: lsp.Position) -> int:
        """Return a place of a document in code points."""
        return self.lines(document.text).offset(position.line, position.character)

    @property
    def snippets(self) -> bool:
        """Whether the editor can fill in texts with places."""
        text = self.client_capabilities.text_document
        item = text.completion.completion_item if text and text.completion else None
        return bool(item and item.snippet_support)

    @property
    def renames_files(self) -> bool:
        """Whether the editor can rename files when it is told so."""
        workspace = self.client_capabilities.workspace
        edit = workspace.workspace_edit if workspace else None
        operations = edit.resource_operations if edit else None
        return bool(operations and "rename" in operations)

    def uri(self, path: str) -> str:
        """Return a file's address, as the editor has given it if it has."""
        return self.uris.get(path) or Path(path).absolute().as_uri()

    def flow(self, document: OpenDocument, form: str) -> tuple[str, dict[str, str]] | None:
        """Return the flow of a document as a ``html`` page or as ``svg``; ``None`` while it has errors.

        With it the paths of the workflows in it, by their names.
        """
        return self.draw(self.documents, document, form) if self.draw else None

    def location(self, spot: Spot) -> lsp.Location:
        """Return a stretch of a file as editors take it."""
        return lsp.Location(self.uri(spot.path), stretch(self.lines(spot.text), spot.start, spot.end))

    def check_soon(self) -> None:
        """Check all open documents once nobody has typed for a moment."""
        self.later(SOON, self.check_now)

    def later(self, seconds: float, work: Callable[[], None]) -> None:
        self.stop_checking()
        if self.asked_to_end:
            return
        self.waiting = asyncio.get_running_loop().call_later(seconds, work)

    def stop_checking(self) -> None:
        """Forget what was to be done later."""
        if self.waiting is not None:
            self.waiting.cancel()
            self.waiting = None

    def check_now(self) -> None:
        """Check the documents that were edited; those that may depend on them follow when nobody types."""
        for path in self.edited & self.documents.open.keys():
            self.tell(path, self.documents.findings_now)
        self.edited.clear()
        self.checks += 1
        if self.checks == MOST_CHECKS:
            self.give_back()
        self.later(REST, self.rest)

    def rest(self) -> None:
        """Do what takes longer, while nobody types."""
        self.waiting = None
        for path, document in self.documents.open.items():
            found = self.documents.findings_now(document)
            several = any(each.severity is Severity.ERROR for each in found)
            self.tell(path, self.documents.findings if several else self.documents.findings_now)
            document.warm()
        self.give_back()

    def shutdown(self) -> None:
        """End the serving without waiting for the thread that reads the input, as pygls does."""
        if self._thread_pool is not None:
            self._thread_pool.shutdown(wait=False, cancel_futures=True)
            self._thread_pool = None
        super().shutdown()  # type: ignore[no-untyped-call]

    def tell(self, path: str, findings: Callable[[OpenDocument], Iterable[Diagnostic]]) -> None:
        """Tell what was found in a document, if it is not what was told last."""
        document = self.documents.open[path]
        lines = self.lines(document.text)
        found = [shown(each, lines) for each in findings(document)]
        if self.told.get(path) != (document.text, found):
            self.told[path] = (document.text, found)
            version = self.workspace.get_text_document(self.uris[path]).version
            told = lsp.PublishDiagnosticsParams(self.uris[path], found, version)
            self.text_document_publish_diagnostics(told)

    def give_back(self) -> None:
        """Give memory back: while documents are checked, nothing is collected, as in ``wfc check``."""
        self.checks = 0
        self.drop_answers()
        gc.collect()

    def drop_answers(self) -> None:
        """Forget the answers that were sent: pygls keeps each, so that it may still be cancelled."""
        futures = self.protocol._request_futures
        for number in [number for number, each in futures.items() if each.done()]:
            del futures[number]


def path_of(uri: str) -> str:
    """Return the path of a document; of one that is in no file, a name that no file has."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return f"{uri.replace('/', '_')}.yaml"
    path = unquote(parts.path)
    return path[1:] if path[2:3] == ":" else path  # /C:/…


def stretch(lines: Lines, start: int, end: int) -> lsp.Range:
    return lsp.Range(lsp.Position(*lines.position(start)), lsp.Position(*lines.position(end)))


def shown(found: Diagnostic, lines: Lines) -> lsp.Diagnostic:
    return lsp.Diagnostic(
        stretch(lines, found.start.offset, found.end.offset),
        found.message + (f"\n{found.hint}" if found.hint else ""),
        severity=SEVERITIES[found.severity],
        code=found.code,
        source="wfc",
    )


server = Server()
