"""A collection of texts, as plain data: which files it is made of, and how they are cut into passages."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

__all__ = ["Knowledge", "UnreadableError"]


class UnreadableError(Exception):
    """A file of a collection is left out; the message says why."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A collection of texts that can be searched by their words.

    Args:
        name: What it is called in the spec.
        files: Paths with wildcards, relative to the folder of ``beside``: ``*`` and ``?`` within a name, ``**`` for
            folders.
        beside: A file in the folder that holds them, or the folder.
        by: How texts are cut: everywhere by ``size``, or along headings as in ``markdown``; ``None``: as a file's
            ending says.
        size: How many characters a passage has at most.
        overlap: How many of them it shares with the one before.
    """

    name: str
    files: Sequence[str]
    beside: str | Path = "."
    by: Literal["size", "markdown"] | None = None
    size: int = 800
    overlap: int = 0

    @property
    def folder(self) -> Path:
        """The folder that the paths are relative to."""
        path = Path(self.beside).resolve()
        return path if path.is_dir() else path.parent

    def cut(self) -> str:
        """Return a text that differs where passages would: texts that were cut otherwise are cut anew."""
        return f"{self.by or ''} {self.size} {self.overlap}"

    def index_name(self) -> str:
        """Return the name of the file with the index, the same for the same collection of the same folder."""
        told = "\n".join((str(self.folder), self.name, *self.files))
        return f"{self.name}-{hashlib.sha256(told.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}.db"
