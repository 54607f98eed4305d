"""What may be written where the cursor stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from wfc.compiler.expressions.filters import FILTERS
from wfc.compiler.lsp.cursor import Cursor, cursor_at, without_line
from wfc.compiler.lsp.documents import Documents, OpenDocument, data_of
from wfc.compiler.lsp.keys import choices_at, keys_at
from wfc.compiler.lsp.names import SECTIONS, kind_at
from wfc.compiler.lsp.scope import fields_of, roots_of, shown_type
from wfc.compiler.slotted import dataclass

__all__ = ["Proposal", "proposals"]

What = Literal["key", "choice", "name", "field", "filter"]
DECLARED: Final = ("event", "tool", "type")
"""The kinds of names that types of fields come from."""

LARGEST: Final = 1_000_000
"""Of a larger text only the last readable state is looked at, so that each key stays quick."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something that may be written.

    Args:
        label: What it is called, and what is written unless ``insert`` says more.
        detail: A few words about it, such as its type.
        about: What it is for.
        start: Where in the text what it replaces begins.
    """

    label: str
    what: What
    start: int
    detail: str = ""
    about: str = ""
    insert: str = ""


def proposals(documents: Documents, document: OpenDocument, offset: int) -> list[Proposal]:
    """Return all that may be written at a place of a document, which may be unfinished or broken."""
    text = document.text
    cursor = cursor_at(text, offset)
    if document.nodes is None and len(text) < LARGEST:
        data = data_of(without_line(text, offset))
        if isinstance(data, dict):
            document.data = data
    data = document.data if isinstance(document.data, dict) else {}
    if cursor.kind == "expression":
        return list(in_expression(documents, document, cursor, data))
    if cursor.kind == "key":
        return list(keys(cursor, data, text, offset))
    return list(values(documents, document, cursor, data))


def keys(cursor: Cursor, data: Mapping[str, Any], text: str, offset: int) -> Iterator[Proposal]:
    there = data_at(data, cursor.path)
    used = set(there) - {cursor.word} if isinstance(there, dict) else set()
    colon = text[offset : offset + 1] != ":"
    for key, about in keys_at(cursor.path, data).items():
        if key not in used:
            yield Proposal(key, "key", cursor.start, about=about, insert=f"{key}: " if colon else key)


def values(
    documents: Documents, document: OpenDocument, cursor: Cursor, data: Mapping[str, Any]
) -> Iterator[Proposal]:
    for each in choices_at(cursor.path, data):
        yield Proposal(each, "choice", cursor.start)
    kind = kind_at(cursor.path)
    if kind:
        for name, said in documents.declared(document, kind).items():
            yield Proposal(name, "name", cursor.start, shown_type(said), described(said))
    if kind == "event" and cursor.path[-1] in {"emit", "accepts"}:
        yield from keys(cursor, data, "", 0)


def in_expression(
    documents: Documents, document: OpenDocument, cursor: Cursor, data: Mapping[str, Any]
) -> Iterator[Proposal]:
    if cursor.before.endswith("|") and not cursor.before.endswith("||"):
        for each in FILTERS.values():
            yield Proposal(each.name, "filter", cursor.start, f"{each.takes} → {each.gives}", each.doc)
        return
    everything = {**data, **{SECTIONS[kind]: documents.declared(document, kind) for kind in DECLARED}}
    roots = roots_of(everything, cursor.path)
    head, dot, _ = cursor.word.rpartition(".")
    start = cursor.start + len(head) + len(dot)
    if not dot:
        for name, about in roots.items():
            yield Proposal(name, "field", start, about=about)
        return
    for name, said in fields_of(everything, cursor.path, head).items():
        yield Proposal(name, "field", start, shown_type(said), described(said))


def data_at(data: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def described(said: Any) -> str:
    return str(said.get("description", "")) if isinstance(said, dict) else ""
