"""Documents that are opened, changed and closed."""

from __future__ import annotations

from lsprotocol import types as lsp

from wfc.compiler.lsp.server.state import Server, path_of, server

__all__ = [
    "changed",
    "closed",
    "files_changed",
    "opened",
]


@server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
def opened(ls: Server, params: lsp.DidOpenTextDocumentParams) -> None:
    """Check a document that was opened."""
    ls.edited.add(ls.document(params.text_document.uri).path)
    ls.check_now()


@server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
def changed(ls: Server, params: lsp.DidChangeTextDocumentParams) -> None:
    """Check a document that was changed."""
    ls.edited.add(ls.document(params.text_document.uri).path)
    ls.check_soon()


@server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
@server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def files_changed(ls: Server, _params: object) -> None:
    """Check all that is open, since files may be other ones."""
    ls.documents.files_changed()
    ls.check_soon()


@server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
def closed(ls: Server, params: lsp.DidCloseTextDocumentParams) -> None:
    """Forget a document, and take back what was told of it."""
    uri = params.text_document.uri
    ls.documents.close(path_of(uri))
    ls.told.pop(path_of(uri), None)
    ls.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))
    ls.check_soon()
