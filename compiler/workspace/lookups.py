"""Lookups of a check in the files around a spec; few imports, as an answer from the cache needs only this."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol

from wfc.compiler.workspace.detection import workflow_names

if TYPE_CHECKING:
    from wfc.compiler.resolve import Refused

__all__ = ["Files", "Lookup", "Lookups"]

Lookup = tuple[str, str, str]
"""Something that was looked up: the kind of lookup, what it is about, and what was found."""


class Files(Protocol):
    """A source of files. Paths are as findings show them, with ``/``."""

    def read(self, path: str) -> bytes | Refused:
        """Return a file's content; of a very large one, at least enough to detect that."""

    def given(self) -> Iterable[tuple[str, bytes]]:
        """Return the specs that are compiled together."""

    def near(self, path: str) -> Iterable[tuple[str, bytes]]:
        """Return the specs in the folder of one."""


class Lookups:
    """Looks up names and contents in files, each once.

    Which kinds of lookups there are:

    - ``content`` of a path: a digest, or why the file cannot be used;
    - ``given`` of a workflow's name: the path of that one of the given specs that bears it;
    - ``near`` of a folder and a name: the path of the spec in it that bears the name;
    - ``names`` of a folder: a digest of the names of all workflows in it and given.
    """

    def __init__(self, files: Files) -> None:
        self.files = files
        self.names_given: dict[str, str] | None = None
        self.names_near: dict[str, dict[str, str]] = {}
        self.results: dict[tuple[str, str], str] = {}

    def given(self) -> dict[str, str]:
        """Return the names of the workflows that are compiled together, with their paths."""
        if self.names_given is None:
            self.names_given = workflow_names(self.files.given())
        return self.names_given

    def near(self, folder: str) -> dict[str, str]:
        """Return the names of the workflows in a folder, with their paths."""
        if folder not in self.names_near:
            self.names_near[folder] = workflow_names(self.files.near(posixpath.join(folder, "spec")))
        return self.names_near[folder]

    def result(self, kind: str, about: str) -> str:
        """Return the result of a lookup."""
        found = self.results.get((kind, about))
        if found is None:
            found = self.results[kind, about] = self.look_up(kind, about)
        return found

    def look_up(self, kind: str, about: str) -> str:
        if kind == "content":
            found = self.files.read(about)
            return sha256(found).hexdigest() if isinstance(found, bytes) else f"{found.why}: {found.reason}"
        if kind == "given":
            return self.given().get(about, "")
        folder, _, name = about.partition("\n")
        if kind == "near":
            return self.near(folder).get(name, "")
        if kind == "names":
            names = sorted({**self.near(folder), **self.given()}.items())
            return sha256(repr(names).encode(errors="surrogatepass")).hexdigest()
        return f"a lookup of another version: {kind}"

    def still_holds(self, lookup: Lookup) -> bool:
        """Return whether a lookup still has the same result."""
        kind, about, found = lookup
        return self.result(kind, about) == found
