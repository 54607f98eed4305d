"""What helps somebody who reads: what a word means, where it stands, what a document is made of."""

from __future__ import annotations

from typing import Final

from lsprotocol import types as lsp

from wfc.compiler.lsp.extras import links
from wfc.compiler.lsp.folder import RenameError, declaration, mention_at, renamed, uses
from wfc.compiler.lsp.hover import hover
from wfc.compiler.lsp.lines import Lines
from wfc.compiler.lsp.navigation import OutlineEntry, outline
from wfc.compiler.lsp.server.state import Server, server, stretch

__all__ = [
    "define",
    "link",
    "list_symbols",
    "prepare",
    "refer",
    "rename",
    "show",
]

SYMBOLS: Final = {
    "event": lsp.SymbolKind.Event,
    "step": lsp.SymbolKind.Function,
    "section": lsp.SymbolKind.Namespace,
}


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
    name = mention_at(document, ls.offset(document, params.position))
    spot = declaration(ls.documents, document, name) if name else None
    return None if spot is None else ls.location(spot)


@server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
def refer(ls: Server, params: lsp.ReferenceParams) -> list[lsp.Location]:
    """Return where the name at a place stands, in all files that mean the same by it."""
    document = ls.document(params.text_document.uri)
    name = mention_at(document, ls.offset(document, params.position))
    found = uses(ls.documents, document, name) if name else []
    return [ls.location(each) for each in found if params.context.include_declaration or not each.declares]


@server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
def rename(ls: Server, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    """Return the edits that give the name at a place another name, in all files that mean the same by it."""
    from pygls.exceptions import JsonRpcInvalidParams

    document = ls.document(params.text_document.uri)
    name = mention_at(document, ls.offset(document, params.position))
    if name is None:
        return None
    try:
        places = renamed(ls.documents, document, name, params.new_name)
    except RenameError as error:
        raise JsonRpcInvalidParams(str(error)) from None
    return lsp.WorkspaceEdit(
        changes={
            ls.uri(path): [lsp.TextEdit(ls.location(each).range, params.new_name) for each in spots]
            for path, (_, spots) in places.items()
        }
    )


@server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
def prepare(ls: Server, params: lsp.PrepareRenameParams) -> lsp.Range | None:
    """Return the stretch of the name that would be renamed at a place."""
    document = ls.document(params.text_document.uri)
    name = mention_at(document, ls.offset(document, params.position))
    return None if name is None else stretch(ls.lines(document.text), name.start, name.end)


@server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
def list_symbols(ls: Server, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
    """Return the outline of a document."""
    document = ls.document(params.text_document.uri)
    lines = ls.lines(document.text)
    return [symbol(each, lines) for each in outline(document)] if document.is_spec else []


@server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_LINK)
def link(ls: Server, params: lsp.DocumentLinkParams) -> list[lsp.DocumentLink]:
    """Return the names of files in a document."""
    document = ls.document(params.text_document.uri)
    lines = ls.lines(document.text)
    return [
        lsp.DocumentLink(stretch(lines, each.start, each.end), target=ls.uri(each.path))
        for each in (links(document) if document.is_spec else ())
    ]


def symbol(entry: OutlineEntry, lines: Lines) -> lsp.DocumentSymbol:
    place = stretch(lines, entry.start, entry.start + len(entry.name))
    return lsp.DocumentSymbol(
        entry.name,
        SYMBOLS.get(entry.kind, lsp.SymbolKind.Variable),
        stretch(lines, entry.start, max(entry.end, entry.start + len(entry.name))),
        place,
        children=[symbol(each, lines) for each in entry.entries],
    )
