"""The files of a project on disk, so that a folder of thousands is not read again at every keystroke."""

from __future__ import annotations

import os
import posixpath
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from wfc.compiler.limits import MAX_BYTES
from wfc.compiler.slotted import dataclass
from wfc.compiler.workspace.detection import looks_like_spec
from wfc.compiler.workspace.disk import MAX_NEAR, Disk, root_of
from wfc.compiler.workspace.reading import read_or_reason
from wfc.compiler.workspace.sources import RealPaths, Source, yaml_files

__all__ = ["MOST_FILES", "KeptDisk", "ProjectFiles"]

MOST_FILES: Final = MAX_NEAR
"""So many YAML files of a folder are looked at, in the order of their paths."""

MOST_BYTES: Final = 64_000_000
"""So many bytes of them are kept; what is more is read whenever it is asked for."""

SECONDS: Final = 2.0
"""So long a folder counts as it was, unless the editor tells that files have changed."""

FRESH: Final = 2_000_000_000
"""A file that changed so many nanoseconds before it was read may have changed again in the same moment."""

MOST_FOLDERS: Final = 8

Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file as it was read: what the file system said of it, and its bytes if it is a spec and they are kept."""

    stamp: Stamp | None
    is_spec: bool
    raw: bytes | None


class ProjectFiles:
    """The specs below folders, each read once while it is the same."""

    def __init__(self) -> None:
        self.kept: dict[str, KeptFile] = {}
        self.size = 0
        self.folders: dict[str, tuple[float, list[str], bool]] = {}

    def changed(self) -> None:
        """Note that files may be other ones from now on."""
        self.folders.clear()

    def below(self, folder: str) -> Iterator[tuple[str, bytes]]:
        """Yield the specs in and below a folder; links that lead out of its project are passed over."""
        for path in self.listing(folder)[1]:
            known = self.kept.get(path) or self.look(path)
            raw = read_or_reason(path, MAX_BYTES + 1) if known.raw is None else known.raw
            if isinstance(raw, bytes):
                yield path, raw

    def are_too_many(self, folder: str) -> bool:
        """Return whether there are more YAML files below a folder than are looked at."""
        return self.listing(folder)[2]

    def listing(self, folder: str) -> tuple[float, list[str], bool]:
        """Return when a folder was looked through, which specs there are, and whether there may be more."""
        found = self.folders.get(folder)
        if found is None or time.monotonic() - found[0] > SECONDS:
            self.folders.pop(folder, None)
            if len(self.kept) > 2 * MOST_FILES:
                self.kept, self.size = {}, 0
            paths = sorted(yaml_files(folder or "."))
            inside = os.path.realpath(root_of(posixpath.join(folder, "spec"))).rstrip(os.sep) + os.sep
            real = RealPaths()
            taken = [
                each.replace(os.sep, "/")
                for each in islice(paths, MOST_FILES)
                if real.of(each).startswith(inside) and self.look(each.replace(os.sep, "/")).is_spec
            ]
            found = self.folders[folder] = time.monotonic(), taken, len(paths) > MOST_FILES
            if len(self.folders) > MOST_FOLDERS:
                del self.folders[next(iter(self.folders))]
        return found

    def look(self, path: str) -> KeptFile:
        """Return a file, read again if it may be another one."""
        known, stamp = self.kept.get(path), stamp_of(path)
        if known is not None and stamp is not None and known.stamp == stamp:
            return known
        raw = read_or_reason(path, MAX_BYTES + 1)
        is_spec = isinstance(raw, bytes) and looks_like_spec(raw)
        self.size -= len(known.raw) if known is not None and known.raw is not None else 0
        keeps = is_spec and self.size + len(raw) <= MOST_BYTES
        self.size += len(raw) if keeps else 0
        certain = stamp is not None and time.time_ns() - stamp[0] > FRESH
        found = self.kept[path] = KeptFile(
            stamp if certain else None, is_spec, raw if keeps and isinstance(raw, bytes) else None
        )
        return found


def stamp_of(path: str) -> Stamp | None:
    """Return what the file system says of a file, which is another after each change; ``None`` if it is not there."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


class KeptDisk(Disk):
    """The files around some specs, of which those of a folder are known for a while."""

    def __init__(self, sources: Sequence[Source], files: ProjectFiles) -> None:
        super().__init__(sources)
        self.files = files

    def near(self, path: str) -> Iterator[tuple[str, bytes]]:
        """Return the specs in and below the folder of one."""
        folder = posixpath.dirname(path)
        known = dict(self.files.below(folder))
        given = {each for each in self.sources if is_below(each, folder) and os.path.isfile(each)}
        for each in sorted(known.keys() | given):
            raw = self.contents.get(each, known.get(each))
            if isinstance(raw, bytes) and looks_like_spec(raw):
                self.contents[each] = raw
                yield each, raw


def is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder.rstrip('/')}/")
