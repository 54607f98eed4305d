"""The files of a project that is checked again and again: what was read once is not read again while it is the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wfc.compiler.diagnostics import Severity
from wfc.compiler.slotted import dataclass
from wfc.compiler.workspace.lookups import Files
from wfc.compiler.workspace.project import Project, Unit, View

__all__ = ["KeptProject", "Readings", "WatchedView"]

MOST_FILES: Final = 100
MOST_BYTES: Final = 8_000_000
"""So many files, and so many bytes of them, are kept; of more, those that were read last."""


@dataclass(slots=True)
class Reading:
    """A file as it was read: its bytes, and what came of them."""

    raw: bytes
    unit: Unit

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
        found = self.kept.pop(path, None)
        if found is None or found.raw != raw:
            found = Reading(raw, (read or Project().read)(path, raw))
        self.kept[path] = found  # the latest is the last
        size = sum(len(each.raw) for each in self.kept.values())
        while len(self.kept) > MOST_FILES or (size > MOST_BYTES and len(self.kept) > 1):
            size -= len(self.kept.pop(next(iter(self.kept))).raw)
        return found


class KeptProject(Project):
    """A project whose files are read only where they have changed."""

    def __init__(self, files: Files, readings: Readings) -> None:
        super().__init__(files)
        self.readings = readings

    def read(self, path: str, raw: bytes) -> Unit:
        """Return a file that was read; what is found in it later does not reach the one that is kept."""
        kept = self.readings.of(path, raw, super().read).unit
        return Unit(kept.document, kept.spec, [*kept.findings], kept.sha256, kept.of_reading)

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
