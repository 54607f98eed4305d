"""What an editor shows beside the text: what may be done with a line, and which words are links to files."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from typing import Final, Literal

from wfc.compiler.lsp.documents import OpenDocument
from wfc.compiler.lsp.names import PlacedNode
from wfc.compiler.slotted import dataclass
from wfc.compiler.workspace.disk import root_of

__all__ = ["Lens", "Link", "lenses", "links", "names_file"]

FILES: Final = frozenset({"file", "openapi"})
LISTS: Final = frozenset({("imports",), ("parts",)})
MOST_LENSES: Final = 1_000


@dataclass(frozen=True, slots=True)
class Lens:
    """Something that may be done: the tests of a spec, one of them, or showing its flow."""

    what: Literal["flow", "tests", "test"]
    start: int
    end: int
    test: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A word that names a file that is there."""

    path: str
    start: int
    end: int


def lenses(document: OpenDocument) -> list[Lens]:
    """Return what may be done with a document; nothing while it cannot be read."""
    found = []
    for each in document.nodes:
        node = each.node
        if each.path == ("workflow",) and each.is_key:
            found.append(Lens("flow", node.start, node.end))
        elif each.path == ("tests",) and each.is_key:
            found.append(Lens("tests", node.start, node.end))
        elif each.path == ("tests", "name") and not each.is_key and not node.collects and node.value:
            found.append(Lens("test", node.start, node.end, node.value))
    return sorted(found, key=lambda each: each.start)[:MOST_LENSES]


def links(document: OpenDocument) -> Iterator[Link]:
    """Yield the names of files in a document, of those that are there and within its project."""
    root = os.path.realpath(root_of(document.path)).rstrip(os.sep) + os.sep
    folder = posixpath.dirname(document.path)
    for each in document.nodes:
        if not names_file(each):
            continue
        path = posixpath.normpath(posixpath.join(folder, each.node.value))
        if os.path.isfile(path) and os.path.realpath(path).startswith(root):
            quoted = each.node.style in {"'", '"'}
            yield Link(path, each.node.start + quoted, each.node.end - quoted)


def names_file(each: PlacedNode) -> bool:
    """Return whether a value is the path of a file, relative to the document."""
    node = each.node
    if each.is_key or node.collects or node.style in {"*", "|", ">"} or not node.value:
        return False
    said = node.value
    relative = not said.startswith(("/", "\\")) and not {":", "\\", "\0"} & set(said)
    return relative and (each.path in LISTS or each.path[-1] in FILES)
