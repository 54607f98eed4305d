"""Where things are declared and used, and what a document is made of."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator

from wfc.compiler.lsp.documents import Documents, OpenDocument
from wfc.compiler.lsp.names import SECTIONS, Mention, PlacedNode, names_in, nodes_of
from wfc.compiler.slotted import dataclass
from wfc.compiler.workspace.detection import looks_like_spec
from wfc.compiler.workspace.reading import read_or_reason
from wfc.compiler.workspace.sources import yaml_files

__all__ = [
    "OutlineEntry",
    "RenameError",
    "Spot",
    "declaration",
    "name_at",
    "node_at",
    "outline",
    "renamed",
    "uses",
]

MOST_BYTES = 4_000_000
MOST_FILES = 2_000


class RenameError(Exception):
    """Why something cannot be renamed, in a sentence."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A stretch of a file's text."""

    path: str
    text: str
    start: int
    end: int


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
    for each in document.nodes or ():
        if (
            not each.node.collects
            and each.node.start <= offset <= each.node.end
            and each.node.start < each.node.end
        ):
            return each
    return None


def name_at(document: OpenDocument, offset: int) -> Mention | None:
    """Return the name that a place is in."""
    return next((each for each in names_in(document.nodes or []) if each.start <= offset <= each.end), None)


def uses(document: OpenDocument, name: Mention) -> list[Mention]:
    """Return where a name stands in a document, its declaration with it."""
    found = [
        each for each in names_in(document.nodes or []) if (each.kind, each.name) == (name.kind, name.name)
    ]
    return sorted(found, key=lambda each: each.start)


def declaration(documents: Documents, document: OpenDocument, name: Mention) -> Spot | None:
    """Return where a name is declared: in its document, or in a file that this imports or that is its part."""
    for path, text in texts(documents, document):
        for each in names_in(nodes_of(text)):
            if each.declares and (each.kind, each.name) == (name.kind, name.name):
                return Spot(path, text, each.start, each.end)
    return None


def texts(documents: Documents, document: OpenDocument) -> Iterator[tuple[str, str]]:
    if document.nodes is not None:
        yield document.path, document.text
    yield from documents.others(document).items()


def renamed(documents: Documents, document: OpenDocument, name: Mention, new: str) -> list[Mention]:
    """Return the places at which a new name must stand instead of a name.

    Raises:
        RenameError: It is not declared here, other files may use it, or the check would find more than before.
    """
    places = uses(document, name)
    if not any(each.declares for each in places):
        raise RenameError(f"`{name.name}` is declared in another file; rename it there")
    if other := mentioned_elsewhere(document, name.name):
        file = os.path.basename(other)
        raise RenameError(f"`{name.name}` may be used in `{file}` too, which a rename leaves as it is")
    text = document.text
    for each in reversed(places):
        text = text[: each.start] + new + text[each.end :]
    before = sorted(each.code for each in documents.findings(document))
    found = documents.findings(document, text)
    if sorted(each.code for each in found) != before:
        said = next((each.message for each in found if each.code not in before), "a finding would go")
        raise RenameError(f"as `{new}` it would not be the same: {said}")
    return places


def mentioned_elsewhere(document: OpenDocument, name: str) -> str:
    """Return the path of another spec below the document's folder in which a name stands; empty if there is none."""
    for number, path in enumerate(sorted(yaml_files(os.path.dirname(document.path) or "."))):
        if number == MOST_FILES:
            return path
        if os.path.realpath(path) == os.path.realpath(document.path):
            continue
        raw = read_or_reason(path, MOST_BYTES)
        if isinstance(raw, bytes) and looks_like_spec(raw) and name.encode() in raw:
            return path
    return ""


def outline(document: OpenDocument) -> list[OutlineEntry]:
    """Return the sections of a document with what they declare; none while it cannot be read."""
    keys = sorted(
        (each for each in document.nodes or () if each.is_key and len(each.path) <= 2), key=start_of
    )
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


def start_of(node: PlacedNode) -> int:
    return node.node.start


def trimmed(text: str, start: int, end: int) -> int:
    return max(start, start + len(text[start:end].rstrip()))
