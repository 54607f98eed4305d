"""The two sides of a comparison: specs on disk, or as a commit of a repository has them."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha1, sha256
from typing import Protocol

from wfc.compiler.cli.reviewing.git import Repository, TreeEntry
from wfc.compiler.limits import MAX_BYTES
from wfc.compiler.resolve import Refused
from wfc.compiler.workspace.detection import looks_like_spec
from wfc.compiler.workspace.disk import Disk
from wfc.compiler.workspace.lookups import Files
from wfc.compiler.workspace.reading import read_or_reason
from wfc.compiler.workspace.sources import PathError, Source, quoted_path, yaml_files

__all__ = ["CommitSide", "DiskSide", "GivenSide", "Side"]

_SUFFIXES = (".yaml", ".yml")


class Side(Protocol):
    """One side of a comparison. Paths are as findings show them."""

    title: str
    files: Files

    @property
    def modules(self) -> list[str]:
        """The submodules, which are not looked into."""

    def specs(self) -> dict[str, bytes]:
        """Return the files that look like specs, with their contents."""

    def has(self, path: str) -> bool:
        """Return whether there is such a file or folder."""

    def digest(self, path: str) -> str:
        """Return what a file's content is known by; empty if it cannot be read."""


class DiskSide:
    """Files and folders as they are on disk.

    Args:
        title: What they are called where the two sides are told apart.
        paths: What is compared of them.
        as_blobs: Whether contents are to be known by the ids that git has for them, and of which length.
        missing_ok: Whether a path may be missing, as one that a change has added or deleted.

    Raises:
        PathError: A path cannot be read.
    """

    def __init__(
        self, title: str, paths: Sequence[str], as_blobs: int = 0, *, missing_ok: bool = False
    ) -> None:
        self.title = title
        self.as_blobs = as_blobs
        self._specs: dict[str, bytes] = {}
        for path in paths:
            self._specs |= dict(_specs_at(path, missing_ok=missing_ok))
        self.files: Files = Disk([Source(path, raw) for path, raw in self._specs.items()])
        self._digests: dict[str, str] = {}
        self._names: dict[str, frozenset[str]] = {}

    @property
    def modules(self) -> list[str]:
        """The submodules: files on disk are looked at, wherever they come from."""
        return []

    def specs(self) -> dict[str, bytes]:
        """Return the files that look like specs, with their contents."""
        return self._specs

    def has(self, path: str) -> bool:
        """Return whether there is such a file or folder."""
        return os.path.lexists(path)

    def digest(self, path: str) -> str:
        """Return what a file's content is known by; empty if it cannot be read."""
        if path not in self._digests:
            self._digests[path] = self.digest_now(path)
        return self._digests[path]

    def digest_now(self, path: str) -> str:
        raw = self._specs.get(path)
        if raw is not None:
            return _digest(raw, self.as_blobs)
        folder, name = posixpath.split(path)
        if folder not in self._names:
            self._names[folder] = _names_in(folder or ".")
        found = self.files.read(path) if name in self._names[folder] else b""
        return _digest(found, self.as_blobs) if isinstance(found, bytes) and found else ""


def _specs_at(path: str, *, missing_ok: bool) -> Iterator[tuple[str, bytes]]:
    if missing_ok and not os.path.lexists(path):
        return
    if not os.path.isdir(path):
        yield path.replace(os.sep, "/"), _read(path)
        return
    for each in sorted(yaml_files(path)):
        raw = read_or_reason(each, MAX_BYTES + 1)
        if isinstance(raw, bytes) and looks_like_spec(raw):
            yield each.replace(os.sep, "/"), raw


def _read(path: str) -> bytes:
    raw = read_or_reason(path, MAX_BYTES + 1)
    if isinstance(raw, str):
        raise PathError(f"cannot read {quoted_path(path)}: {raw}")
    return raw


def _names_in(folder: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(folder))
    except (OSError, ValueError):
        return frozenset()


def _digest(raw: bytes, as_blobs: int) -> str:
    """Return the digest of a content; of the length of git's ids, what git would call it."""
    if as_blobs == 40:
        return sha1(b"blob %d\0" % len(raw) + raw, usedforsecurity=False).hexdigest()
    if as_blobs:
        return sha256(b"blob %d\0" % len(raw) + raw).hexdigest()
    return sha256(raw).hexdigest()


class GivenSide:
    """One file with a content that it need not have on disk; what it mentions is read from there.

    Args:
        raw: The content; ``None``: it is not there.
    """

    def __init__(self, title: str, path: str, raw: bytes | None) -> None:
        self.title = title
        self.modules: list[str] = []
        self._specs = {} if raw is None else {path.replace(os.sep, "/"): raw}
        self.files: Files = Disk([Source(each, content) for each, content in self._specs.items()])

    def specs(self) -> dict[str, bytes]:
        """Return the file, if it is there."""
        return self._specs

    def has(self, path: str) -> bool:
        """Return whether there is such a file."""
        return path in self._specs

    def digest(self, path: str) -> str:
        """Return what a file's content is known by; empty if it cannot be read."""
        found = self.files.read(path)
        return _digest(found, 0) if isinstance(found, bytes) else ""


class CommitSide:
    """Files as a commit has them; also a source of files, see ``Files``.

    Args:
        title: The revision, as the user has named it.
        repository: Where the commit is.
        commit: Its id.
        paths: What is compared of it; what is not there is no spec.
    """

    def __init__(self, title: str, commit: str, repository: Repository, paths: Sequence[str]) -> None:
        self.title = title
        self.repository = repository
        self.tree: dict[str, TreeEntry] = repository.files(commit)
        self.chosen: list[str] = []
        for path in paths:
            found = [each for each in self.tree if self._is_in(each, path)]
            self.chosen += [each for each in found if each.endswith(_SUFFIXES) or each == _normal(path)]
        self.files: Files = self
        self._specs: dict[str, bytes] | None = None

    def has(self, path: str) -> bool:
        """Return whether there is such a file or folder."""
        return any(self._is_in(each, path) for each in self.tree)

    def _is_in(self, path: str, folder: str) -> bool:
        """Return whether a file is a path, or lies below it and not in a hidden folder there."""
        top = _normal(f"{self.repository.prefix}{folder}")
        full = _normal(f"{self.repository.prefix}{path}")
        if full == top:
            return True
        if top != "." and not full.startswith(f"{top}/"):
            return False
        rest = full if top == "." else full[len(top) + 1 :]
        return not any(each.startswith(".") or each == "node_modules" for each in rest.split("/"))

    @property
    def modules(self) -> list[str]:
        """The submodules, which are not looked into."""
        return [path for path, entry in self.tree.items() if entry.is_module]

    def specs(self) -> dict[str, bytes]:
        """Return the files that look like specs, with their contents."""
        if self._specs is None:
            found = dict(self.several(dict.fromkeys(self.chosen)))
            self._specs = {path: raw for path, raw in found.items() if looks_like_spec(raw)}
        return self._specs

    def several(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Yield files with their contents, which are all read at once; no links."""
        wanted = [path for path in paths if self.tree[path].blob]
        contents = self.repository.contents(self.tree[path].blob for path in wanted)
        return ((path, contents[self.tree[path].blob]) for path in wanted)

    def digest(self, path: str) -> str:
        """Return what a file's content is known by; empty if it cannot be read."""
        entry = self.tree.get(path)
        return "" if entry is None else entry.blob

    def read(self, path: str) -> bytes | Refused:
        """Return a file's content, if the commit has it."""
        entry = self.tree.get(path)
        if entry is None:
            return Refused("missing", f"{self.title} has no such file")
        if not entry.blob:
            return Refused("missing", "it is a link or a submodule, which is not followed in a revision")
        return self.repository.contents([entry.blob])[entry.blob]

    def given(self) -> Iterable[tuple[str, bytes]]:
        """Return the specs that are compared."""
        return self.specs().items()

    def near(self, path: str) -> Iterable[tuple[str, bytes]]:
        """Return the specs in the folder of one and below."""
        folder = posixpath.dirname(path)
        inside = [each for each in self.tree if each.endswith(_SUFFIXES) and self._is_in(each, folder or ".")]
        return [(each, raw) for each, raw in self.several(sorted(inside)) if looks_like_spec(raw)]


def _normal(path: str) -> str:
    return posixpath.normpath(path.replace(os.sep, "/"))
