"""What stands at a place of a document, and what the document is made of."""

from __future__ import annotations

from bisect import bisect_right

from wfc.compiler.lsp.documents import OpenDocument
from wfc.compiler.lsp.earlier import Earlier, earlier
from wfc.compiler.lsp.names import SECTIONS, Mention, PlacedNode, names_in
from wfc.compiler.slotted import dataclass

__all__ = ["OutlineEntry", "name_at", "node_at", "outline"]


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A section of a document, or something that is declared in one; both places are within the text."""

    name: str
    kind: str
    start: int
    end: int
    entries: tuple[OutlineEntry, ...] = ()


def node_at(document: OpenDocument, offset: int) -> PlacedNode | None:
    """Return the key or the scalar at a place; ``None`` if there is none, or if the text cannot be read now."""
    for each in document.nodes:
        if (
            not each.node.collects
            and each.node.start <= offset <= each.node.end
            and each.node.start < each.node.end
        ):
            return each
    return None


def name_at(document: OpenDocument, offset: int) -> Mention | None:
    """Return the name that a place is in."""
    near = [
        each
        for each in document.nodes
        if each.node.start <= offset <= each.node.end
        or (each.is_key and len(each.path) == 2)  # what is declared
    ]
    return next((each for each in names_in(near) if each.start <= offset <= each.end), None)


def outline(document: OpenDocument) -> list[OutlineEntry]:
    """Return the sections of a document with what they declare: of its last good state while it cannot be read."""
    if (before := earlier(document)) is not None:
        return [moved(each, before) for each in outline(before.document)]
    keys = sorted((each for each in document.nodes if each.is_key and len(each.path) <= 2), key=start_of)
    kinds = {section: kind for kind, section in SECTIONS.items()}
    heads = [each for each in keys if len(each.path) == 1]
    starts = [*map(start_of, heads), len(document.text)]
    found = []
    for number, head in enumerate(heads):
        inner = [each for each in keys if len(each.path) == 2 and each.path[0] == head.path[0]]
        kind = kinds.get(head.path[0], "")
        ends = [*map(start_of, inner[1:]), starts[number + 1]]
        entries = [
            OutlineEntry(each.path[1], kind, each.node.start, trimmed(document.text, each.node.end, end))
            for each, end in zip(inner, ends, strict=False)
        ]
        end = trimmed(document.text, head.node.end, starts[bisect_right(starts, head.node.start)])
        found.append(
            OutlineEntry(head.path[0], "section", head.node.start, end, tuple(entries if kind else ()))
        )
    return found


def moved(entry: OutlineEntry, before: Earlier) -> OutlineEntry:
    """Return an entry of an earlier text where it is now."""
    start, end = before.place_now(entry.start), before.place_now(entry.end)
    return OutlineEntry(
        entry.name, entry.kind, start, end, tuple(moved(each, before) for each in entry.entries)
    )


def start_of(node: PlacedNode) -> int:
    return node.node.start


def trimmed(text: str, start: int, end: int) -> int:
    return max(start, start + len(text[start:end].rstrip()))
