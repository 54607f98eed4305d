"""The files around a spec, on disk: those of its project and no others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from wfc.compiler.cli.files import SAYS_SO, Source, contents_or_reason, yaml_files
from wfc.compiler.limits import MAX_BYTES

if TYPE_CHECKING:
    from wfc.compiler.project import Project
    from wfc.compiler.resolve import Refused

__all__ = ["OnDisk", "project_of"]

ROOTS = ("pyproject.toml", "wfc.toml", ".git")
MOST_NEAR = 10_000
"""How many files of a folder are looked at for a workflow that a spec mentions."""


def project_of(sources: Sequence[Source]) -> Project:
    """The project of some specs that are compiled together."""
    from wfc.compiler.project import Project  # slow: not where the cache has the answer

    return Project(OnDisk(sources))


class OnDisk:
    """Files of the projects that some specs belong to.

    Args:
        sources: The specs, which are compiled together.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = {source.path.replace(os.sep, "/"): source for source in sources}
        self.roots: list[str] | None = None

    def read(self, path: str) -> bytes | Refused:
        """A file's content, if it is in a project of the specs, links followed."""
        from wfc.compiler.resolve import Refused

        source = self.sources.get(path)
        if source is not None:
            return source.raw
        if self.roots is None:
            self.roots = list(dict.fromkeys(root_of(source.path) for source in self.sources.values()))
        real = os.path.realpath(path)
        if not any(real == root or real.startswith(root.rstrip(os.sep) + os.sep) for root in self.roots):
            return Refused("outside", "")
        found = contents_or_reason(path, MAX_BYTES + 1)
        return Refused("missing", found) if isinstance(found, str) else found

    def given(self) -> Iterable[tuple[str, bytes]]:
        """The specs that are compiled together."""
        return ((path, source.raw) for path, source in self.sources.items())

    def near(self, path: str) -> Iterator[tuple[str, bytes]]:
        """The specs in and below the folder of one."""
        for number, each in enumerate(sorted(yaml_files(os.path.dirname(path) or "."))):
            if number == MOST_NEAR:
                return
            shown = each.replace(os.sep, "/")
            raw = self.read(shown)
            if isinstance(raw, bytes) and SAYS_SO.search(raw):
                yield shown, raw


def root_of(path: str) -> str:
    """The nearest folder above a spec that holds a project, or else the spec's own folder."""
    own = os.path.dirname(os.path.realpath(path))
    folder = own
    while True:
        if any(os.path.exists(os.path.join(folder, name)) for name in ROOTS):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return own
        folder = above
