"""A spec that is given as a text, as one side of a comparison."""

from __future__ import annotations

from hashlib import sha256

from wfc.compiler.cli.drafting.below import BelowDisk
from wfc.compiler.workspace.lookups import Files
from wfc.compiler.workspace.sources import Source

__all__ = ["TextSide"]


class TextSide:
    """One spec, and the files of the current folder that it mentions; see ``Side``."""

    def __init__(self, title: str, source: Source) -> None:
        self.title = title
        self.source = source
        self.files: Files = BelowDisk([source])

    @property
    def modules(self) -> list[str]:
        """The submodules: none."""
        return []

    def specs(self) -> dict[str, bytes]:
        """Return the spec with its path."""
        return {self.source.path: self.source.raw}

    def has(self, path: str) -> bool:
        """Return whether it is this one."""
        return path == self.source.path

    def digest(self, path: str) -> str:
        """Return what a file's content is known by; empty if it cannot be read."""
        found = self.files.read(path)
        return sha256(found).hexdigest() if isinstance(found, bytes) else ""
