"""The files around some specs, as their project sees them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wfc.compiler.cli.disk import Disk
from wfc.compiler.cli.files import Source
from wfc.compiler.project import Project
from wfc.compiler.resolve import Refused

__all__ = ["OnDisk", "project_of"]


def project_of(sources: Sequence[Source]) -> Project:
    """The project of some specs that are compiled together."""
    return Project(OnDisk(Disk(sources)))


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
