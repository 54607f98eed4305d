"""The files around some specs, on disk: those of their projects and no others."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wfc.compiler.limits import MAX_BYTES
from wfc.compiler.workspace.detection import looks_like_spec
from wfc.compiler.workspace.reading import read_or_reason
from wfc.compiler.workspace.sources import Source, yaml_files

if TYPE_CHECKING:
    from wfc.compiler.resolve import Refused

__all__ = ["Disk"]

ROOT_MARKERS = ("pyproject.toml", "wfc.toml", ".git")
MAX_NEAR = 10_000
"""How many files of a folder are looked at for a workflow that a spec mentions."""


class Disk:
    """The files of the projects that some specs belong to, each read once; see ``Files``.

    Args:
        sources: The specs, which are compiled together.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = {source.path.replace(os.sep, "/"): source for source in sources}
        self.contents: dict[str, bytes | Refused] = {path: each.raw for path, each in self.sources.items()}
        self.roots: list[str] | None = None
        self.inside: dict[str, bool] = {}

    def read(self, path: str) -> bytes | Refused:
        """Return a file's content if it is, with links resolved, in a project of the specs."""
        found = self.contents.get(path)
        if found is None:
            found = self.contents[path] = self.read_now(path)
        return found

    def given(self) -> Iterator[tuple[str, bytes]]:
        """Return the specs that are compiled together."""
        return ((path, source.raw) for path, source in self.sources.items())

    def near(self, path: str) -> Iterator[tuple[str, bytes]]:
        """Return the specs in and below the folder of one."""
        for number, each in enumerate(sorted(yaml_files(os.path.dirname(path) or "."))):
            if number == MAX_NEAR:
                return
            shown = each.replace(os.sep, "/")
            found = self.contents.get(shown)
            raw = self.read_now(shown) if found is None else found
            if isinstance(raw, bytes) and looks_like_spec(raw):
                self.contents[shown] = raw  # the others are too many to be kept
                yield shown, raw

    def read_now(self, path: str) -> bytes | Refused:
        # its folder too: what is in the same folder, such as the modules of its tools, belongs to it
        if not (self.is_inside(os.path.dirname(path) or ".") and self.is_inside(path)):
            return refused("outside", "")
        found = read_or_reason(path, MAX_BYTES + 1)
        return refused("missing", found) if isinstance(found, str) else found

    def is_inside(self, path: str) -> bool:
        """Return whether a path, with links resolved, is in a project of the specs."""
        if self.roots is None:
            self.roots = list(dict.fromkeys(root_of(source.path) for source in self.sources.values()))
        found = self.inside.get(path)
        if found is None:
            real = os.path.realpath(path)
            found = any(real == root or real.startswith(root.rstrip(os.sep) + os.sep) for root in self.roots)
            self.inside[path] = found
        return found


def refused(why: str, reason: str) -> Refused:
    from wfc.compiler.resolve import Refused  # slow, and next to no file is refused

    return Refused("outside" if why == "outside" else "missing", reason)


def root_of(path: str) -> str:
    """Return the nearest folder above a spec that holds a project, or else the spec's own folder."""
    own = os.path.dirname(os.path.realpath(path))
    folder = own
    while True:
        if any(os.path.exists(os.path.join(folder, name)) for name in ROOT_MARKERS):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return own
        folder = above
