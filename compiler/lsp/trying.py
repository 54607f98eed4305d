"""Texts that a quick fix would make, tried by a check before it is offered: few of them, for somebody waits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wfc.compiler.diagnostics import Diagnostic
from wfc.compiler.lsp.documents import Documents, OpenDocument

__all__ = ["MOST_TRIED", "Trial"]

MOST_TRIED: Final = 3
"""So many texts are checked for one question of an editor. What was tried is known until a document changes, so who
asks again gets further."""


class Trial:
    """Tries texts that a document might have.

    Args:
        most: So many are checked.
    """

    def __init__(self, documents: Documents, document: OpenDocument, most: int = MOST_TRIED) -> None:
        self.documents = documents
        self.document = document
        self.left = most

    def findings(self, text: str) -> tuple[Diagnostic, ...] | None:
        """Return what would be found, of one mistake perhaps several; ``None`` if enough was tried."""
        key = f"tried {self.document.path}", text
        known: tuple[Diagnostic, ...] | None = self.documents.known.get(key)
        if known is None and self.left > 0:
            self.left -= 1
            known = self.documents.findings_in(self.document, text, consequences=True)
            self.documents.known[key] = known
        return known

    def brings_nothing_new(self, after: Iterable[Diagnostic]) -> bool:
        """Return whether all that is found in a text is found in the document as it is."""
        said = {(each.code, each.message) for each in self.documents.findings_now(self.document)}
        return all((each.code, each.message) in said for each in after)
