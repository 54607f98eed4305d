"""The specs of one folder as somebody from outside may read and write them, and no other file."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import threading
from pathlib import Path
from typing import Final, NamedTuple

from wfc.compiler.workspace.sources import yaml_files
from wfc.runtime.server.calls import Problem

__all__ = ["AuthoredFile", "SpecFolder", "etag_of"]

LARGEST: Final = 1_000_000
"""The bytes of a file that is read or written over HTTP."""

MOST: Final = 2000
_PART: Final = re.compile(r"[^\W_][\w. -]{0,99}")
"""A part of a path: it begins with a letter or a digit, so that nothing hidden is meant, and no way up."""

_RESERVED: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Names that mean devices on Windows."""


class AuthoredFile(NamedTuple):
    """A file: its path from the folder, its text, and what that is known by."""

    path: str
    text: str
    etag: str


def etag_of(raw: bytes) -> str:
    """Return what a content is known by."""
    return hashlib.sha256(raw).hexdigest()[:32]


class SpecFolder:
    """A folder of specs.

    Args:
        root: Its path; what links lead to outside of it is not in it.
    """

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)
        self._writing = threading.Lock()

    def paths(self) -> list[str]:
        """Return the paths of all files, from the folder."""
        found = (os.path.relpath(one, self.root).replace(os.sep, "/") for one in yaml_files(self.root))
        return sorted(one for one in found if self._is_plain(one))[:MOST]

    def place_of(self, path: str) -> str:
        """Return where a file is, or would be.

        Raises:
            Problem: No file here can have this path, or what is there is none, or a link.
        """
        if not self._is_plain(path):
            raise Problem(
                404,
                "file.unknown",
                f"there is no file `{path[:200]}`: files are YAML below the folder of specs",
            )
        place = self.root
        for part in path.split("/"):
            place = os.path.join(place, part)
            try:
                is_link = stat.S_ISLNK(os.lstat(place).st_mode)
            except FileNotFoundError:
                is_link = False
            except OSError as error:
                raise Problem(404, "file.unknown", f"there is no file `{path}`: {error.strerror}") from None
            if is_link:
                raise Problem(404, "file.unknown", f"there is no file `{path}`: links are not followed")
        return place

    def path_of(self, place: str) -> str | None:
        """Return the path of a file from the folder; ``None``: it is none that may be read here."""
        path = os.path.relpath(os.path.realpath(place), self.root).replace(os.sep, "/")
        return path if self._is_plain(path) else None

    def _is_plain(self, path: str) -> bool:
        parts = path.split("/")
        return (
            len(path) <= 300
            and len(parts) <= 10
            and all(
                _PART.fullmatch(one) and not _RESERVED.fullmatch(one) and one[-1] not in ". " for one in parts
            )
            and parts[-1].endswith((".yaml", ".yml"))
        )

    def read(self, path: str) -> AuthoredFile:
        """Return a file.

        Raises:
            Problem: It is not there, is too large, or is no text.
        """
        place = self.place_of(path)
        try:
            number = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
            with os.fdopen(number, "rb") as file:
                if not stat.S_ISREG(os.fstat(number).st_mode):
                    raise OSError
                raw = file.read(LARGEST + 1)
        except OSError:
            raise Problem(404, "file.unknown", f"there is no file `{path}`") from None
        if len(raw) > LARGEST:
            raise Problem(413, "file.large", f"`{path}` has more than {LARGEST} bytes")
        try:
            return AuthoredFile(path, raw.decode("utf-8"), etag_of(raw))
        except UnicodeDecodeError:
            raise Problem(422, "file.encoding", f"`{path}` is no text in UTF-8") from None

    def write(self, path: str, text: str, known: str | None) -> AuthoredFile:
        """Write a file at once and whole, unless it is another than whoever writes has seen.

        Args:
            known: What the file was known by when it was read; ``None``: there was none.

        Raises:
            Problem: It is another one now, with both texts; or it cannot be written.
        """
        raw = text.encode()
        if len(raw) > LARGEST:
            raise Problem(413, "file.large", f"a file has {LARGEST} bytes at most")
        with self._writing:
            self._write_seen(path, text, raw, known)
        return AuthoredFile(path, text, etag_of(raw))

    def _write_seen(self, path: str, text: str, raw: bytes, known: str | None) -> None:
        place = self.place_of(path)
        try:
            now: AuthoredFile | None = self.read(path)
        except Problem as problem:
            if problem.code != "file.unknown" or os.path.lexists(place):
                raise
            now = None
        if (None if now is None else now.etag) != known:
            theirs = {"theirs": None if now is None else now.text, "etag": None if now is None else now.etag}
            told = (
                "somebody else has changed the file"
                if now and known
                else "the file is there"
                if now
                else "the file is gone"
            )
            raise Problem(412, "file.changed", told, more={"path": path, "yours": text, **theirs})
        self._put(place, raw)

    def _put(self, place: str, raw: bytes) -> None:
        unfinished = Path(place).with_name(f".{os.path.basename(place)}.{os.getpid()}.new")
        try:
            os.makedirs(os.path.dirname(place), exist_ok=True)
            try:
                unfinished.write_bytes(raw)
                if os.path.exists(place):
                    os.chmod(unfinished, stat.S_IMODE(os.stat(place).st_mode))
                os.replace(unfinished, place)
            finally:
                unfinished.unlink(missing_ok=True)
        except OSError as error:
            raise Problem(409, "file.unwritable", f"the file cannot be written: {error.strerror}") from None
