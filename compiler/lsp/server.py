"""The server itself: what the protocol asks is handed to the modules beside this one. Only here is pygls known."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from wfc.compiler.diagnostics import Diagnostic, Severity
from wfc.compiler.lsp.completion import proposals
from wfc.compiler.lsp.documents import Documents, OpenDocument, data_of
from wfc.compiler.lsp.hover import hover
from wfc.compiler.lsp.lines import Lines
from wfc.compiler.lsp.navigation import (
    OutlineEntry,
    RenameError,
    declaration,
    name_at,
    outline,
    renamed,
    uses,
)
from wfc.compiler.review.formatting import Unformatted, formatted

__all__ = ["Server", "server"]

REST: Final = 0.05
"""So many seconds without a keystroke go by before a document is checked."""

KINDS: Final = {
    "key": lsp.CompletionItemKind.Property,
    "choice": lsp.CompletionItemKind.EnumMember,
    "name": lsp.CompletionItemKind.Reference,
    "field": lsp.CompletionItemKind.Field,
    "filter": lsp.CompletionItemKind.Function,
}
SYMBOLS: Final = {
    "event": lsp.SymbolKind.Event,
    "step": lsp.SymbolKind.Function,
    "section": lsp.SymbolKind.Namespace,
}
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

    def check_soon(self) -> None:
        """Check all open documents once nobody has typed for a moment."""
        if self.waiting is not None:
            self.waiting.cancel()
        self.waiting = asyncio.get_running_loop().call_later(REST, self.check_now)

    def check_now(self) -> None:
        """Check all open documents, for each may depend on others, and tell what was found."""
        self.waiting = None
        for path, document in self.documents.open.items():
            lines = self.lines(document.text)
            found = [shown(each, lines) for each in self.documents.findings(document)]
            told = lsp.PublishDiagnosticsParams(self.uris[path], found)
            self.text_document_publish_diagnostics(told)


server = Server()


@server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
def opened(ls: Server, params: lsp.DidOpenTextDocumentParams) -> None:
    """Check a document that was opened."""
    ls.document(params.text_document.uri)
    ls.check_now()


@server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
def changed(ls: Server, params: lsp.DidChangeTextDocumentParams) -> None:
    """Check a document that was changed, and those that may depend on it."""
    ls.document(params.text_document.uri)
    ls.check_soon()


@server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
def closed(ls: Server, params: lsp.DidCloseTextDocumentParams) -> None:
    """Forget a document, and take back what was told of it."""
    uri = params.text_document.uri
    ls.documents.close(path_of(uri))
    ls.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))
    ls.check_soon()


@server.feature(
    lsp.TEXT_DOCUMENT_COMPLETION,
    lsp.CompletionOptions(trigger_characters=[".", " ", "{", "[", ",", "|", ":"]),
)
def complete(ls: Server, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
    """Return what may be written at a place."""
    document = ls.document(params.text_document.uri)
    if document.text.strip() and not document.is_spec and not isinstance(data_of(document.text), str):
        return []
    offset = ls.offset(document, params.position)
    lines = ls.lines(document.text)
    return [
        lsp.CompletionItem(
            each.label,
            kind=KINDS[each.what],
            detail=each.detail or None,
            documentation=each.about or None,
            sort_text=f"{number:04}",
            text_edit=lsp.TextEdit(stretch(lines, each.start, offset), each.insert or each.label),
        )
        for number, each in enumerate(proposals(ls.documents, document, offset))
    ]


@server.feature(lsp.TEXT_DOCUMENT_HOVER)
def show(ls: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    """Return what there is to say of a place."""
    document = ls.document(params.text_document.uri)
    found = hover(ls.documents, document, ls.offset(document, params.position)) if document.is_spec else None
    if found is None:
        return None
    said = lsp.MarkupContent(lsp.MarkupKind.Markdown, found.said)
    return lsp.Hover(said, stretch(ls.lines(document.text), found.start, found.end))


@server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
def define(ls: Server, params: lsp.DefinitionParams) -> lsp.Location | None:
    """Return where the name at a place is declared."""
    document = ls.document(params.text_document.uri)
    name = name_at(document, ls.offset(document, params.position))
    spot = declaration(ls.documents, document, name) if name else None
    if spot is None:
        return None
    uri = ls.uris.get(spot.path) or Path(spot.path).absolute().as_uri()
    return lsp.Location(uri, stretch(ls.lines(spot.text), spot.start, spot.end))


@server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
def refer(ls: Server, params: lsp.ReferenceParams) -> list[lsp.Location]:
    """Return where the name at a place stands in its document."""
    uri = params.text_document.uri
    document = ls.document(uri)
    name = name_at(document, ls.offset(document, params.position))
    lines = ls.lines(document.text)
    found = uses(document, name) if name else []
    kept = [each for each in found if params.context.include_declaration or not each.declares]
    return [lsp.Location(uri, stretch(lines, each.start, each.end)) for each in kept]


@server.feature(lsp.TEXT_DOCUMENT_RENAME)
def rename(ls: Server, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    """Return the edits that give the name at a place another name."""
    from pygls.exceptions import JsonRpcInvalidParams

    uri = params.text_document.uri
    document = ls.document(uri)
    name = name_at(document, ls.offset(document, params.position))
    if name is None:
        return None
    try:
        places = renamed(ls.documents, document, name, params.new_name)
    except RenameError as error:
        raise JsonRpcInvalidParams(str(error)) from None
    lines = ls.lines(document.text)
    edits = [lsp.TextEdit(stretch(lines, each.start, each.end), params.new_name) for each in places]
    return lsp.WorkspaceEdit(changes={uri: edits})


@server.feature(
    lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])
)
def mend(ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    """Return the ways to mend the findings in a stretch of a document."""
    uri = params.text_document.uri
    document = ls.document(uri)
    lines = ls.lines(document.text)
    first, last = (ls.offset(document, each) for each in (params.range.start, params.range.end))
    actions = []
    for each in ls.documents.findings(document):
        if each.fix is None or each.start.offset > last or each.end.offset < first:
            continue
        edits = [
            lsp.TextEdit(stretch(lines, edit.start.offset, edit.end.offset), edit.text)
            for edit in each.fix.edits
        ]
        actions.append(
            lsp.CodeAction(
                each.fix.title,
                kind=lsp.CodeActionKind.QuickFix,
                diagnostics=[shown(each, lines)],
                is_preferred=each.fix.applicability == "safe",
                edit=lsp.WorkspaceEdit(changes={uri: edits}),
            )
        )
    return actions


@server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
def list_symbols(ls: Server, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    """Return the outline of a document."""
    document = ls.document(params.text_document.uri)
    lines = ls.lines(document.text)
    return [symbol(each, lines) for each in outline(document)] if document.is_spec else []


@server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
def arrange(ls: Server, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
    """Return the edit that puts a document into its canonical form; none while it cannot be read."""
    document = ls.document(params.text_document.uri)
    if not document.is_spec or data_of(document.text) is None:
        return []
    made = formatted(document.text)
    if isinstance(made, Unformatted) or made == document.text or data_of(made) != data_of(document.text):
        return []
    return [lsp.TextEdit(stretch(ls.lines(document.text), 0, len(document.text)), made)]


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


def symbol(entry: OutlineEntry, lines: Lines) -> lsp.DocumentSymbol:
    place = stretch(lines, entry.start, entry.start + len(entry.name))
    return lsp.DocumentSymbol(
        entry.name,
        SYMBOLS.get(entry.kind, lsp.SymbolKind.Variable),
        stretch(lines, entry.start, max(entry.end, entry.start + len(entry.name))),
        place,
        children=[symbol(each, lines) for each in entry.entries],
    )
