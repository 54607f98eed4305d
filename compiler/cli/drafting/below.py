"""Files of one folder for those who are not trusted: nothing outside, nothing hidden, and texts in place of files."""

from __future__ import annotations

import os
import posixpath
from typing import Final

from wfc.compiler.limits import MAX_BYTES
from wfc.compiler.resolve import Refused
from wfc.compiler.workspace.disk import Disk
from wfc.compiler.workspace.project import Project
from wfc.compiler.workspace.sources import Source, load, quoted_path

__all__ = ["DRAFT", "RefusedError", "project_below", "source_from"]

DRAFT: Final = "draft.yaml"
"""How a text is called that no path is given for."""

SUFFIXES: Final = (".yaml", ".yml")
LONGEST_PATH: Final = 500


class RefusedError(Exception):
    """The error for what is asked for in vain; the message says why, and is for whoever asked."""


class BelowDisk(Disk):
    """The files of the current folder, without hidden ones such as ``.env``."""

    def read_now(self, path: str) -> bytes | Refused:
        """Return a file's content if it lies below the folder, with links resolved, and is not hidden."""
        if is_hidden(path) or is_hidden(os.path.relpath(os.path.realpath(path))):
            return Refused("outside", "")
        return super().read_now(path)

    def is_inside(self, path: str) -> bool:
        """Return whether a path, with links resolved, is in the folder."""
        self.roots = [os.path.realpath(os.curdir)]
        return super().is_inside(path)


def project_below(*sources: Source) -> Project:
    """Return the project of specs in the current folder."""
    return Project(BelowDisk(sources))


def source_from(text: str | None, path: str | None) -> Source:
    """Return a spec that is given as a text, as a path below the current folder, or as both: the text in its place.

    Raises:
        RefusedError: Neither is given, or the path leads elsewhere.
        PathError: The file cannot be read.
    """
    if path is not None:
        check_path(path)
    if text is not None:
        raw = text.encode("utf-8", "surrogatepass")  # what is no Unicode is a finding
        if len(raw) > MAX_BYTES:
            raise RefusedError(f"the text is larger than {MAX_BYTES // 2**20} MB")
        return Source(posixpath.normpath(path or DRAFT), raw)
    if path is None:
        raise RefusedError("give `text`, the spec itself, or `path`, a file with it")
    return load(posixpath.normpath(path))


def check_path(path: str) -> None:
    """Check whether a path is that of a spec below the current folder.

    Raises:
        RefusedError: It is not.
    """
    shown = quoted_path(path[:LONGEST_PATH])
    if (
        len(path) > LONGEST_PATH
        or "\\" in path
        or ":" in path
        or not path.isprintable()
        or os.path.isabs(path)
        or not path.endswith(SUFFIXES)
        or is_hidden(path)
    ):
        raise RefusedError(f"{shown} is not a path such as `specs/orders.yaml`, relative and of a YAML file")
    root, real = os.path.realpath(os.curdir), os.path.realpath(path)
    if not real.startswith(root.rstrip(os.sep) + os.sep) or is_hidden(os.path.relpath(real)):
        raise RefusedError(f"{shown} leads out of the folder")


def is_hidden(path: str) -> bool:
    """Return whether a part of a path begins with a dot, as ``..`` and ``.env`` do."""
    return any(part.startswith(".") and part != "." for part in path.replace(os.sep, "/").split("/"))
