"""The files around some specs, as their project sees them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from wfc.compiler.cli.disk import Disk
from wfc.compiler.cli.files import Source
from wfc.compiler.resolve import Refused
from wfc.compiler.workspace.project import Project

__all__ = ["OnDisk", "folders_from", "project_of", "relative"]


def project_of(sources: Sequence[Source]) -> Project:
    """The project of some specs that are compiled together."""
    return Project(OnDisk(Disk(sources)))


def folders_from(folder: str) -> Callable[[str], str]:
    """How a file's folder is named by a module in this folder, links followed."""
    return lambda file: relative(os.path.dirname(file) or ".", folder)


def relative(path: str, folder: str) -> str:
    """A path as seen from a folder, with ``/``."""
    try:
        return os.path.relpath(os.path.realpath(path), os.path.realpath(folder)).replace(os.sep, "/")
    except ValueError:  # another drive
        return os.path.basename(path)


class OnDisk:
    """Files on disk, for a project."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk

    def read(self, path: str) -> bytes | Refused:
        """A file's content, or why it cannot be used."""
        found = self.disk.content(path)
        if isinstance(found, bytes):
            return found
        why, reason = found
        return Refused("outside" if why == "outside" else "missing", reason)

    def given(self) -> Iterable[tuple[str, bytes]]:
        """The specs that are compiled together."""
        return self.disk.given()

    def near(self, path: str) -> Iterable[tuple[str, bytes]]:
        """The specs in the folder of one."""
        return self.disk.near(path)
