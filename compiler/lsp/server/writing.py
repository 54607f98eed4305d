"""What helps somebody who writes: completion, quick fixes, the canonical form."""

from __future__ import annotations

import re
from typing import Final

from lsprotocol import types as lsp

from wfc.compiler.lsp.completion import proposals
from wfc.compiler.lsp.declaring import NEVER_ACCEPTED, accepting, declared_with, declaring
from wfc.compiler.lsp.documents import data_of
from wfc.compiler.lsp.hinted import as_hinted
from wfc.compiler.lsp.server.state import Server, server, shown, stretch
from wfc.compiler.lsp.trying import Trial
from wfc.compiler.review.formatting import Unformatted, formatted

__all__ = [
    "arrange",
    "complete",
    "mend",
]

BEGUN: Final = re.compile(r"\s*[a-z]*\s*")
"""A text that may become a spec: nothing yet, or the beginning of a first key."""

KINDS: Final = {
    "key": lsp.CompletionItemKind.Property,
    "choice": lsp.CompletionItemKind.EnumMember,
    "name": lsp.CompletionItemKind.Reference,
    "field": lsp.CompletionItemKind.Field,
    "filter": lsp.CompletionItemKind.Function,
}


@server.feature(
    lsp.TEXT_DOCUMENT_COMPLETION,
    lsp.CompletionOptions(trigger_characters=[".", " ", "{", "[", ",", "|", ":"]),
)
def complete(ls: Server, params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
    """Return what may be written at a place."""
    document = ls.document(params.text_document.uri)
    if not document.is_spec and not BEGUN.fullmatch(document.text):
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
            insert_text_format=lsp.InsertTextFormat.Snippet if each.snippet else None,
            insert_text_mode=lsp.InsertTextMode.AsIs if "\n" in each.insert else None,
        )
        for number, each in enumerate(proposals(ls.documents, document, offset))
        if ls.snippets or not each.snippet
    ]


@server.feature(
    lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])
)
def mend(ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    """Return the ways to mend the findings in a stretch of a document."""
    uri = params.text_document.uri
    document = ls.document(uri)
    lines = ls.lines(document.text)
    first, last = (ls.offset(document, each) for each in (params.range.start, params.range.end))
    told = [(each.code, each.range) for each in params.context.diagnostics]
    actions: list[lsp.CodeAction] = []
    trial = Trial(ls.documents, document)

    def add(title: str, here: lsp.Diagnostic, edits: list[lsp.TextEdit], is_preferred: bool | None) -> None:
        changes = lsp.WorkspaceEdit(changes={uri: edits})
        kind = lsp.CodeActionKind.QuickFix
        actions.append(lsp.CodeAction(title, kind, [here], is_preferred, edit=changes))

    for each in ls.documents.findings(document):
        here = shown(each, lines)
        is_asked = each.start.offset <= last and each.end.offset >= first
        if not is_asked and (here.code, here.range) not in told:
            continue  # editors may ask at the cursor alone, and send what is told of its line
        new = declaring(trial, each)
        if each.code == NEVER_ACCEPTED:
            new = accepting(trial, each)
        if new is None and each.fix is None:
            new = as_hinted(trial, each) or declared_with(trial, each)
        if new is not None:
            add(new.title, here, [lsp.TextEdit(stretch(lines, new.at, new.at + new.over), new.text)], None)
        if each.fix is None:
            continue
        edits = [
            lsp.TextEdit(stretch(lines, edit.start.offset, edit.end.offset), edit.text)
            for edit in each.fix.edits
        ]
        add(each.fix.title, here, edits, each.fix.applicability == "safe")
    return actions


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
