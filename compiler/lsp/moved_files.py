"""Files that get another path: the edits that keep what names them, and what they name, right."""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Mapping
from typing import Final

from wfc.compiler.lsp.documents import Documents, OpenDocument
from wfc.compiler.lsp.extras import names_file
from wfc.compiler.lsp.folder import RenameError, folder_of, nodes_in
from wfc.compiler.lsp.names import PlacedNode
from wfc.compiler.lsp.navigation import node_at
from wfc.compiler.slotted import dataclass
from wfc.compiler.workspace.disk import root_of

__all__ = ["Respelling", "file_named_at", "new_place", "respelt"]

PLAIN: Final = re.compile(r"[\w./-]+")
"""Paths that need no quotes in YAML."""


@dataclass(frozen=True, slots=True)
class Respelling:
    """A name of a file within a text, and how it is written from now on."""

    start: int
    end: int
    text: str


def file_named_at(document: OpenDocument, offset: int) -> PlacedNode | None:
    """Return the name of a file that a place is in, if the file is there."""
    node = node_at(document, offset)
    return (
        node
        if node is not None and names_file(node) and os.path.isfile(target_of(document.path, node))
        else None
    )


def target_of(path: str, node: PlacedNode) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), node.node.value))


def new_place(document: OpenDocument, node: PlacedNode, new: str) -> tuple[str, str]:
    """Return where the file that is named in a document is, and where it is to be.

    Args:
        new: As it is to be named in the document.

    Raises:
        RenameError: There is something already, or it would leave the project.
    """
    if not new or new.startswith("/") or not new.isprintable() or {"\\", ":"} & set(new):
        raise RenameError("a file's name is a path within the project, such as `./shared.yaml`")
    place = posixpath.normpath(posixpath.join(posixpath.dirname(document.path), new))
    root = os.path.realpath(root_of(document.path)).rstrip(os.sep) + os.sep
    for said, path in ((node.node.value, target_of(document.path, node)), (new, place)):
        if not os.path.realpath(path).startswith(root):
            raise RenameError(f"`{said}` leads out of the project")
    if os.path.lexists(place):
        raise RenameError(f"there is `{os.path.basename(place)}` already")
    return target_of(document.path, node), place


def respelt(documents: Documents, moved: Mapping[str, str]) -> dict[str, tuple[str, list[Respelling]]]:
    """Return the names of files that must be written otherwise when files or folders get other paths.

    Args:
        moved: The new paths by the old ones.

    Returns:
        By the old path of each file that names one: its text, and what becomes of it.
    """
    found: dict[str, tuple[str, list[Respelling]]] = {}
    names = {posixpath.basename(each) for each in moved}
    for path, text in folder_of(documents, next(iter(moved), "")).items():
        here = placed(path, moved)
        if here == path and not any(each in text for each in names):
            continue
        changes = []
        for each in nodes_in(documents, path, text):
            if not names_file(each):
                continue
            said = each.node.value
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), said))
            there = placed(target, moved)
            if (here, there) == (path, target) or not os.path.exists(target):
                continue
            written = posixpath.relpath(there, posixpath.dirname(here))
            if said.startswith("./") and not written.startswith("."):
                written = f"./{written}"
            if written != said:
                changes.append(Respelling(each.node.start, each.node.end, as_yaml(written, each.node.style)))
        if changes:
            found[path] = (text, changes)
    return found


def as_yaml(path: str, style: str | None) -> str:
    """Return a path as a text of YAML, in the style of the one before if that can hold it."""
    if style == "'":
        return "'" + path.replace("'", "''") + "'"
    plain = style != '"' and PLAIN.fullmatch(path)
    return path if plain else json.dumps(path, ensure_ascii=False)


def placed(path: str, moved: Mapping[str, str]) -> str:
    """Return where a file is from now on: it, or a folder that it is in, may have another path."""
    for old, new in moved.items():
        if path == old:
            return new
        if path.startswith(f"{old}/"):
            return new + path[len(old) :]
    return path
