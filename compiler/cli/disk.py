"""The files around some specs, on disk: those of their projects and no others."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from wfc.compiler.cli.files import Source, contents_or_reason, yaml_files
from wfc.compiler.limits import MAX_BYTES
from wfc.compiler.workspace.glance import says_that_it_is_a_spec

__all__ = ["Disk", "Refusal"]

ROOTS = ("pyproject.toml", "wfc.toml", ".git")
MOST_NEAR = 10_000
"""How many files of a folder are looked at for a workflow that a spec mentions."""

Refusal = tuple[str, str]
"""Why a file cannot be used: ``outside`` or ``missing``, and the reason in words."""


class Disk:
    """Files of the projects that some specs belong to. Each is read once.

    Args:
        sources: The specs, which are looked at together.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = {source.path.replace(os.sep, "/"): source for source in sources}
        self.known: dict[str, bytes | Refusal] = {path: each.raw for path, each in self.sources.items()}
        self.roots: list[str] | None = None
        self.within: dict[str, bool] = {}

    def content(self, path: str) -> bytes | Refusal:
        """A file's content, if it is in a project of the specs, links followed."""
        found = self.known.get(path)
        if found is None:
            found = self.known[path] = self.read(path)
        return found

    def read(self, path: str) -> bytes | Refusal:
        if self.roots is None:
            self.roots = list(dict.fromkeys(root_of(source.path) for source in self.sources.values()))
        # its folder too: what is beside a file, such as the modules of its tools, belongs to it
        if not (self.inside(os.path.dirname(path) or ".") and self.inside(path)):
            return "outside", ""
        found = contents_or_reason(path, MAX_BYTES + 1)
        return ("missing", found) if isinstance(found, str) else found

    def inside(self, path: str) -> bool:
        """Whether a path is in a project of the specs, links followed."""
        found = self.within.get(path)
        if found is None:
            real = os.path.realpath(path)
            roots = self.roots or ()
            found = any(real == root or real.startswith(root.rstrip(os.sep) + os.sep) for root in roots)
            self.within[path] = found
        return found

    def given(self) -> Iterator[tuple[str, bytes]]:
        """The specs that are looked at together."""
        return ((path, source.raw) for path, source in self.sources.items())

    def near(self, path: str) -> Iterator[tuple[str, bytes]]:
        """The specs in and below the folder of one."""
        for number, each in enumerate(sorted(yaml_files(os.path.dirname(path) or "."))):
            if number == MOST_NEAR:
                return
            shown = each.replace(os.sep, "/")
            found = self.known.get(shown)
            raw = self.read(shown) if found is None else found
            if isinstance(raw, bytes) and says_that_it_is_a_spec(raw):
                self.known[shown] = raw  # the others are too many to be kept
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
