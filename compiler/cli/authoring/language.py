"""What editors on a page ask of a text that is being written: its findings, what may stand at a place, what it means.

Places are counted as JavaScript counts them: in units of UTF-16 from the beginning.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from wfc.compiler.diagnostics import Diagnostic, Severity
from wfc.compiler.lsp.completion import proposals
from wfc.compiler.lsp.documents import Documents, OpenDocument
from wfc.compiler.lsp.hover import hover

__all__ = ["Units", "checked", "completed", "health", "opened", "shown_at"]

MOST: Final = 200
"""How many findings or proposals are told."""

MOST_DESKS: Final = 8
"""Of how many texts something is kept from one question to the next: those that were asked about last."""


def health(place: str, text: str) -> dict[str, Any]:
    """Return whether a text is a spec, and how many errors and warnings it has; nothing is kept of it."""
    documents = Documents()
    document = documents.put(place.replace(os.sep, "/"), text)
    severities = [one.severity for one in documents.findings(document) if not one.suppressed]
    errors = severities.count(Severity.ERROR)
    return {"is_spec": document.is_spec, "errors": errors, "warnings": len(severities) - errors}


def checked(place: str, text: str, *, at_once: bool = False) -> dict[str, Any]:
    """Return the findings in a text, each with its fix, as if the text were in the file at a place.

    Args:
        at_once: In a fraction of the time; then one mistake may lead to several findings.
    """
    with opened(place, text) as (documents, document):
        found = documents.findings_now(document) if at_once else documents.findings(document)
        is_spec = document.is_spec
    units = Units(text)
    told = [_finding(one, units) for one in found[:MOST]]
    return {"is_spec": is_spec, "findings": told, "left_off": max(len(found) - MOST, 0)}


def completed(place: str, text: str, at: int) -> dict[str, Any]:
    """Return what may be written at a place of a text."""
    units = Units(text)
    offset = units.to_offset(at)
    with opened(place, text) as (documents, document):
        found = proposals(documents, document, offset)[:MOST]
    told = [
        {
            "label": one.label,
            "what": one.what,
            "detail": one.detail,
            "about": one.about,
            "insert": one.insert or one.label,
            "from": units.of(one.start),
            "to": at,
        }
        for one in found
    ]
    return {"proposals": told}


def shown_at(place: str, text: str, at: int) -> dict[str, Any]:
    """Return what there is to say of a place of a text, in Markdown; nothing, if there is nothing."""
    units = Units(text)
    with opened(place, text) as (documents, document):
        found = hover(documents, document, units.to_offset(at)) if document.is_spec else None
    if found is None:
        return {"said": None}
    return {"said": found.said, "from": units.of(found.start), "to": units.of(found.end)}


class _Desk:
    """What is kept of a text from one question to the next, so that only what was changed is looked at anew."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.documents = Documents()


_DESKS: Final[OrderedDict[str, _Desk]] = OrderedDict()
_OF_DESKS: Final = threading.Lock()


@contextmanager
def opened(place: str, text: str) -> Iterator[tuple[Documents, OpenDocument]]:
    """Give a text as the document of a place; others who ask for the same place wait meanwhile."""
    path = place.replace(os.sep, "/")
    with _OF_DESKS:
        desk = _DESKS.pop(path, None) or _Desk()
        _DESKS[path] = desk
        while len(_DESKS) > MOST_DESKS:
            _DESKS.popitem(last=False)
    with desk.lock:
        document = desk.documents.put(path, text)
        desk.documents.changed()  # a file beside it may be another one now
        yield desk.documents, document


def _finding(found: Diagnostic, units: Units) -> dict[str, Any]:
    return {
        "code": found.code,
        "severity": found.severity.word,
        "message": found.message,
        "hint": found.hint,
        "line": found.start.line,
        "column": found.start.column,
        "from": units.of(found.start.offset),
        "to": units.of(found.end.offset),
        "suppressed": found.suppressed,
        "fix": None
        if found.fix is None
        else {
            "title": found.fix.title,
            "applicability": found.fix.applicability,
            "edits": [
                {"from": units.of(one.start.offset), "to": units.of(one.end.offset), "text": one.text}
                for one in found.fix.edits
            ],
        },
    }


class Units:
    """Places of a text in units of UTF-16."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._is_plain = text.isascii() or max(text) <= "\uffff"

    def of(self, offset: int) -> int:
        if self._is_plain:
            return offset
        return len(self._text[:offset].encode("utf-16-le", "surrogatepass")) // 2

    def to_offset(self, units: int) -> int:
        if self._is_plain:
            return min(units, len(self._text))
        raw = self._text.encode("utf-16-le", "surrogatepass")[: 2 * units]
        return len(raw.decode("utf-16-le", "ignore"))
