"""The files of a project that is checked again and again: what was read once is not read again while it is the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wfc.compiler.diagnostics import Report, Severity
from wfc.compiler.slotted import dataclass
from wfc.compiler.workspace.lookups import Files
from wfc.compiler.workspace.project import NoFiles, Project, Unit, View
from wfc.compiler.yaml import Document
from wfc.compiler.yaml.again import read_again, read_marked

__all__ = ["KeptProject", "Readings", "WatchedView"]

MOST_FILES: Final = 100
MOST_BYTES: Final = 8_000_000
"""So many files, and so many bytes of them, are kept; of more, those that were read last."""


@dataclass(slots=True)
class Reading:
    """A file as it was read: its bytes, what came of them, and its last state that could be read in pieces."""

    raw: bytes
    unit: Unit
    marked: Document | None

    @property
    def data(self) -> Any:
        """What it says as plain data; ``None`` if it cannot be read."""
        about_text = self.unit.findings[: self.unit.of_reading]
        broken = any(each.severity is Severity.ERROR for each in about_text)
        return None if broken else self.unit.document.data


class Readings:
    """The files that were read, by path."""

    def __init__(self) -> None:
        self.kept: dict[str, Reading] = {}

    def of(self, path: str, raw: bytes, read: Callable[[str, bytes], Unit] | None = None) -> Reading:
        """Return a file as it was read, or read it."""
        found = self.kept.get(path)
        if found is None or found.raw != raw:
            unit = read(path, raw) if read else Project.read(KeptProject(NoFiles(), self), path, raw)
            known = None if found is None else found.marked
            found = Reading(raw, unit, unit.document if unit.document.pieces else known)
        self.kept.pop(path, None)
        self.kept[path] = found  # the latest is the last
        size = sum(len(each.raw) for each in self.kept.values())
        while len(self.kept) > MOST_FILES or (size > MOST_BYTES and len(self.kept) > 1):
            size -= len(self.kept.pop(next(iter(self.kept))).raw)
        return found

    def marked(self, path: str) -> Document | None:
        """Return the last state of a file that could be read in pieces; ``None`` if there is none."""
        found = self.kept.get(path)
        return None if found is None else found.marked


class KeptProject(Project):
    """A project whose files are read only where they have changed."""

    def __init__(self, files: Files, readings: Readings) -> None:
        super().__init__(files)
        self.readings = readings

    def read(self, path: str, raw: bytes) -> Unit:
        """Return a file that was read; what is found in it later does not reach the one that is kept."""
        kept = self.readings.of(path, raw, super().read).unit
        return Unit(kept.document, kept.spec, [*kept.findings], kept.sha256, kept.of_reading)

    def document(self, path: str, raw: bytes, report: Report) -> Document:
        """Return a file as a document; of one that was read before and edited in one place, only that is read."""
        before = self.readings.marked(path)
        again = None if before is None else read_again(before, raw)
        return read_marked(raw, path, report) if again is None else again

    def around(self, path: str) -> WatchedView:
        """Return the project as seen from one of its files."""
        return WatchedView(self, path)


class WatchedView(View):
    """The project as seen from one of its files, which counts how often something was looked up."""

    def __init__(self, project: Project, path: str) -> None:
        super().__init__(project, path)
        self.looked_up = 0

    def note(self, kind: str, about: str) -> None:
        """Record that this file depends on the result of a lookup."""
        self.looked_up += 1
        super().note(kind, about)
