"""What may be written where the cursor stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from wfc.compiler.expressions.filters import FILTERS
from wfc.compiler.lsp.cursor import Cursor, cursor_at, without_line
from wfc.compiler.lsp.documents import LARGE, Documents, OpenDocument, data_of
from wfc.compiler.lsp.keys import choices_at, keys_at, needed_at
from wfc.compiler.lsp.names import SECTIONS, kind_at
from wfc.compiler.lsp.scope import fields_behind, loops_before, roots_of, shown_type
from wfc.compiler.model.kinds import STEP_KINDS
from wfc.compiler.slotted import dataclass

__all__ = ["Proposal", "proposals"]

What = Literal["key", "choice", "name", "field", "filter"]
DECLARED: Final = ("event", "tool", "type")
"""The kinds of names that types of fields come from."""

OFFERED: Final = ("tool", "agent", "collection")
"""The kinds of names that a model may be given as tools."""

USUAL: Final = ("kind", "accepts", "emit")
FAR: Final = 20_000
"""So far before the cursor a loop of a prompt may begin."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something that may be written.

    Args:
        label: What it is called, and what is written unless ``insert`` says more.
        detail: A few words about it, such as its type.
        about: What it is for.
        start: Where in the text what it replaces begins.
        snippet: Whether ``insert`` has places to fill in, as editors know them: ``${1:name}``.
    """

    label: str
    what: What
    start: int
    detail: str = ""
    about: str = ""
    insert: str = ""
    snippet: bool = False


def proposals(documents: Documents, document: OpenDocument, offset: int) -> list[Proposal]:
    """Return all that may be written at a place of a document, which may be unfinished or broken."""
    text = document.text
    cursor = cursor_at(text, offset)
    data = data_near(document, offset)
    if cursor.kind == "expression":
        return list(in_expression(documents, document, cursor, data))
    if cursor.kind == "key":
        return list(keys(cursor, data, text, offset))
    return list(values(documents, document, cursor, data))


def data_near(document: OpenDocument, offset: int) -> Mapping[str, Any]:
    """Return what a document says, though the line at a place may be unfinished."""
    data = document.data_at_once
    if len(document.text) <= LARGE and not document.readable:
        without = data_of(without_line(document.text, offset))
        data = without if isinstance(without, dict) else data
    return data if isinstance(data, dict) else {}


def keys(cursor: Cursor, data: Mapping[str, Any], text: str, offset: int) -> Iterator[Proposal]:
    there = data_at(data, cursor.path)
    used = set(there) - {cursor.word} if isinstance(there, dict) else set()
    colon = text[offset : offset + 1] != ":"
    if cursor.path == ("steps",) and colon:
        yield from new_steps(cursor, text)
    for key, about in keys_at(cursor.path, data).items():
        if key not in used:
            yield Proposal(key, "key", cursor.start, about=about, insert=f"{key}: " if colon else key)


def new_steps(cursor: Cursor, text: str) -> Iterator[Proposal]:
    """Yield a whole step of each kind, with the keys that it must have."""
    column = cursor.start - text.rfind("\n", 0, cursor.start) - 1
    for kind in STEP_KINDS:
        lines = ["${1:name}:", f"  kind: {kind}", "  accepts: ${2:Event}"]
        needed = [
            key for key in needed_at(("steps", "x"), {"steps": {"x": {"kind": kind}}}) if key not in USUAL
        ]
        lines += [f"  {key}: ${{{number}}}" for number, key in enumerate(needed, 3)]
        lines.append(f"  emit: ${{{len(needed) + 3}:Event}}")
        insert = ("\n" + " " * column).join(lines)
        yield Proposal(
            f"{kind} step", "key", cursor.start, f"a new step of kind {kind}", insert=insert, snippet=True
        )


def values(
    documents: Documents, document: OpenDocument, cursor: Cursor, data: Mapping[str, Any]
) -> Iterator[Proposal]:
    for each in choices_at(cursor.path, data):
        yield Proposal(each, "choice", cursor.start)
    kind = kind_at(cursor.path)
    for each in OFFERED if kind == "tool" and cursor.path[-1] == "tools" else filter(None, [kind]):
        for name, said in documents.declared(document, each).items():
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
    loops = loops_before(document.text[max(0, cursor.start - FAR) : cursor.start])
    if not dot:
        for name, over in loops.items():
            yield Proposal(name, "field", start, about=f"An item of `{over}`.")
        for name, about in roots.items():
            yield Proposal(name, "field", start, about=about)
        return
    for name, said in fields_behind(everything, cursor.path, head, loops).items():
        yield Proposal(name, "field", start, shown_type(said), described(said))


def data_at(data: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def described(said: Any) -> str:
    return str(said.get("description", "")) if isinstance(said, dict) else ""
