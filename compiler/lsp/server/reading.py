"""What helps somebody who reads: what a word means, where it stands, what a document is made of."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from lsprotocol import types as lsp

from wfc.compiler.lsp.extras import links
from wfc.compiler.lsp.folder import (
    RenameError,
    declaration_at,
    is_too_large,
    mention_at,
    renamed,
    uses,
)
from wfc.compiler.lsp.hover import hover
from wfc.compiler.lsp.lines import Lines
from wfc.compiler.lsp.moved_files import file_named_at, new_place, respelt
from wfc.compiler.lsp.navigation import OutlineEntry, outline
from wfc.compiler.lsp.project_files import MOST_FILES
from wfc.compiler.lsp.server.state import Server, path_of, server, stretch

__all__ = [
    "define",
    "link",
    "list_symbols",
    "move_files",
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
    spot = declaration_at(ls.documents, document, ls.offset(document, params.position))
    return None if spot is None else ls.location(spot)


@server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
def refer(ls: Server, params: lsp.ReferenceParams) -> list[lsp.Location]:
    """Return where the name at a place stands, in all files that mean the same by it."""
    document = ls.document(params.text_document.uri)
    name = mention_at(document, ls.offset(document, params.position))
    found = uses(ls.documents, document, name) if name else []
    if name and is_too_large(ls.documents, document.path):
        told = f"The project has more than {MOST_FILES:,} YAML files; only the first of them were looked at."
        ls.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, told))
    return [ls.location(each) for each in found if params.context.include_declaration or not each.declares]


@server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
def rename(ls: Server, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    """Return the edits that give the name at a place another name, in all files that mean the same by it."""
    from pygls.exceptions import JsonRpcInvalidParams

    document = ls.document(params.text_document.uri)
    offset = ls.offset(document, params.position)
    file = file_named_at(document, offset)
    if file is not None and ls.renames_files:
        try:
            old, place = new_place(document, file, params.new_name)
        except RenameError as error:
            raise JsonRpcInvalidParams(str(error)) from None
        return moved(ls, {old: place})
    name = mention_at(document, offset)
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


SPECS_AND_FOLDERS: Final = lsp.FileOperationRegistrationOptions(
    [
        lsp.FileOperationFilter(
            lsp.FileOperationPattern("**/*", matches=lsp.FileOperationPatternKind.Folder)
        ),
        lsp.FileOperationFilter(lsp.FileOperationPattern("**/*", matches=lsp.FileOperationPatternKind.File)),
    ]
)


@server.feature(lsp.WORKSPACE_WILL_RENAME_FILES, SPECS_AND_FOLDERS)
def move_files(ls: Server, params: lsp.RenameFilesParams) -> lsp.WorkspaceEdit | None:
    """Return the edits that keep the names of files right when the editor gives files or folders other paths."""
    moved_files = {path_of(each.old_uri): path_of(each.new_uri) for each in params.files}
    return lsp.WorkspaceEdit(changes=edits_of(ls, moved_files))


def edits_of(ls: Server, moved_files: dict[str, str]) -> dict[str, list[lsp.TextEdit]]:
    return {
        ls.uri(path): [
            lsp.TextEdit(stretch(ls.lines(text), each.start, each.end), each.text) for each in changes
        ]
        for path, (text, changes) in respelt(ls.documents, moved_files).items()
    }


def moved(ls: Server, moved_files: dict[str, str]) -> lsp.WorkspaceEdit:
    """Return the edits for files that get other paths, and after them that they do."""
    edits = [
        lsp.TextDocumentEdit(lsp.OptionalVersionedTextDocumentIdentifier(uri), [*changes])
        for uri, changes in edits_of(ls, moved_files).items()
    ]
    files = [lsp.RenameFile(ls.uri(old), Path(new).as_uri()) for old, new in moved_files.items()]
    return lsp.WorkspaceEdit(document_changes=[*edits, *files])


@server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
def prepare(ls: Server, params: lsp.PrepareRenameParams) -> lsp.Range | None:
    """Return the stretch of the name that would be renamed at a place."""
    document = ls.document(params.text_document.uri)
    offset = ls.offset(document, params.position)
    file = file_named_at(document, offset) if ls.renames_files else None
    if file is not None:
        quoted = file.node.style in {"'", '"'}
        return stretch(ls.lines(document.text), file.node.start + quoted, file.node.end - quoted)
    name = mention_at(document, offset)
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
