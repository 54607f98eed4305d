"""What collections are made of: files, and addresses, rows of databases and what loaders give as if they were files.

Each of these is read whenever the collection is brought up to date; only what its digest tells to be new is cut again.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wfc.runtime.calls.knowledge.definition import LOADED, Knowledge, UnreadableError
from wfc.runtime.calls.knowledge.finding import FoundFile, find_files
from wfc.runtime.calls.secrets import Secret
from wfc.runtime.errors import StepError, WorkflowError

if TYPE_CHECKING:
    from wfc.runtime.calls.knowledge.helpers import Helpers
    from wfc.runtime.calls.knowledge.loaders import Loaded

__all__ = ["ALWAYS_READ", "LOADED_SIZE", "Content", "Sources"]

LARGEST: Final = 50_000_000
"""How many bytes a text may have."""

_MOST_ROWS: Final = 200_000
_LONGEST_QUERY: Final = 60.0
"""How many seconds a query may take."""

ALWAYS_READ: Final = -1
"""The size of what cannot be told to be unchanged without reading it."""
LOADED_SIZE: Final = -2
"""The size of what a loader has given."""

_ENDINGS: Final = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/markdown": "md",
    "text/csv": "csv",
    "application/json": "json",
    "application/x-ndjson": "jsonl",
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "text/plain": "txt",
}
"""What kind of file a reply is."""


def path_of(where: str | Secret, query: str) -> str:
    """Return what citations call the rows of a query; of a server it has the name of the secret with its address."""
    return f"{where.name if isinstance(where, Secret) else where}?{query}"


class Content(NamedTuple):
    """What was read of a file.

    Args:
        digest: Of its bytes.
        why_not: Why it is left out, or empty.
        ending: What its name ends with, where that says its kind.
    """

    raw: bytes
    digest: bytes
    why_not: str = ""
    ending: str = ""


@dataclass(frozen=True, slots=True)
class Sources:
    """What a collection is made of: files, and what is read as if it were some.

    Args:
        helpers: What fetches addresses.
        loaded: What its loader has given, if it has one.
        folder: The folder that the paths of files are relative to.
    """

    knowledge: Knowledge
    helpers: Helpers
    loaded: Loaded | None
    folder: str

    @classmethod
    def of(cls, knowledge: Knowledge, helpers: Helpers) -> Sources:
        """Return the sources of a collection; its loader is called."""
        loaded = helpers.loaded(knowledge) if knowledge.loader else None
        return cls(knowledge, helpers, loaded, str(knowledge.folder))

    @property
    def has_failed(self) -> bool:
        """Whether the loader has ended before its end, so that nobody knows what is gone."""
        return self.loaded is not None and bool(self.loaded.failed)

    def found(self) -> list[FoundFile]:
        """Return all of them, each by a path of its own.

        Raises:
            StepError: ``knowledge.empty``: There are none. ``knowledge.too_many_files``.
        """
        knowledge = self.knowledge
        found = find_files(knowledge.folder, tuple(knowledge.files))
        queries = (path_of(*each) for each in knowledge.sql)
        found += [FoundFile(path, ALWAYS_READ, 0, 0) for path in (*knowledge.urls, *queries)]
        if self.loaded is not None and not self.has_failed:
            taken = {each.path for each in found}
            for path in taken & self.loaded.texts.keys():
                del self.loaded.texts[path]
                self.loaded.left_out[f"{path} ({knowledge.loader})"] = (
                    "a file of the collection has this name"
                )
            found += [FoundFile(path, LOADED_SIZE, 0, 0) for path in self.loaded.texts]
        if not found and not self.has_failed:
            wanted = [f"no file fits {', '.join(f'`{each}`' for each in knowledge.files)}"] * bool(
                knowledge.files
            )
            wanted += [f"`{knowledge.loader}` gave none"] * bool(knowledge.loader)
            raise StepError("knowledge.empty", f"`{knowledge.name}` has no texts: {', and '.join(wanted)}")
        return found

    def left_out(self, *, has_some: bool) -> dict[str, str]:
        """Return what a loader has given that is no document, with the reasons.

        Args:
            has_some: Whether there is something that it has given before, which stays if it failed.

        Raises:
            StepError: ``knowledge.loader``: It failed, and there is nothing.
        """
        if self.loaded is None:
            return {}
        if not self.loaded.failed:
            return dict(self.loaded.left_out)
        if not has_some:
            raise StepError("knowledge.loader", f"`{self.knowledge.loader}` failed: {self.loaded.failed}")
        return {self.knowledge.loader: f"{self.loaded.failed}; what it gave before stays"}

    def read(self, file: FoundFile) -> Content:
        """Return what a file says, or an address, or a query."""
        if file.why_not:
            return Content(b"", b"", file.why_not)
        try:
            ending, raw = self._raw(file)
        except UnreadableError as error:
            return Content(b"", b"", str(error))
        except OSError as error:
            return Content(b"", b"", f"it cannot be read: {error.strerror}")
        return Content(raw, hashlib.blake2b(raw, digest_size=16).digest(), "", ending)

    def _raw(self, file: FoundFile) -> tuple[str, bytes]:
        knowledge = self.knowledge
        if file.size == LOADED_SIZE:
            assert self.loaded is not None
            return LOADED, b"\n".join(self.loaded.texts[file.path])
        for where, query in knowledge.sql:
            if file.path == path_of(where, query):
                return "jsonl", rows(knowledge, where, query)
        if file.path in knowledge.urls:
            return fetched(knowledge, file.path, self.helpers)
        if file.size <= LARGEST:
            raw = _bytes_of(f"{self.folder}/{file.path}", file.size)
            if len(raw) <= LARGEST:
                return file.path.rpartition("/")[2].rpartition(".")[2].lower(), raw
        raise UnreadableError(f"it is larger than {LARGEST // 1_000_000} MB")


def _bytes_of(path: str, size: int) -> bytes:
    """Return what a file says, up to one byte more than it may have.

    Args:
        size: How many bytes it had lately: for as many the memory is taken at first, since most files are small.
    """
    with open(path, "rb", buffering=0) as file:
        raw = file.read(size + 1)
        if len(raw) == size:
            return raw
        file.seek(0)
        with open(file.fileno(), "rb", closefd=False) as again:
            return again.read(LARGEST + 1)


def fetched(knowledge: Knowledge, url: str, helpers: Helpers) -> tuple[str, bytes]:
    """Return the ending that a file with what stands at an address would have, and its bytes.

    Raises:
        UnreadableError: It cannot be fetched, or is too large.
    """
    try:
        kind, raw = helpers.fetch(url)
    except WorkflowError as error:
        raise UnreadableError(str(error)) from None
    if len(raw) > LARGEST:
        raise UnreadableError(f"it is larger than {LARGEST // 1_000_000} MB")
    by_address = os.path.basename(url.partition("?")[0].partition("#")[0]).rpartition(".")[2].lower()
    return _ENDINGS.get(kind.partition(";")[0].strip().lower(), by_address), raw


def rows(knowledge: Knowledge, where: str | Secret, query: str) -> bytes:
    """Return the rows of a query as lines of JSON; the database is only read.

    Args:
        where: The path of an SQLite file, or the secret that has the address of a PostgreSQL database.

    Raises:
        UnreadableError: There is no such database, the query is wrong, or it takes too long.
        SettingsError: The secret is missing.
    """
    deadline = time.monotonic() + _LONGEST_QUERY
    lines: list[str] = []
    size = 0
    with closing(
        _rows_of_server(where, query) if isinstance(where, Secret) else _rows_of_file(knowledge, where, query)
    ) as found:
        for row in found:
            told = {name: _plain(value) for name, value in row.items() if value is not None}
            lines.append(json.dumps(told, ensure_ascii=False, default=str))
            size += len(lines[-1])
            if len(lines) > _MOST_ROWS or size > LARGEST:
                raise UnreadableError(
                    f"the query gives more than {_MOST_ROWS:,} rows or {LARGEST // 1_000_000} MB"
                )
            if time.monotonic() > deadline:
                raise UnreadableError(f"the query takes more than {_LONGEST_QUERY:g} seconds")
    return "\n".join(lines).encode("utf-8", "replace")


def _rows_of_server(secret: Secret, query: str) -> Generator[dict[str, Any]]:
    from wfc.runtime.calls.knowledge.postgresql import rows_of

    return rows_of(secret.reveal(), query, _LONGEST_QUERY)


def _rows_of_file(knowledge: Knowledge, path: str, query: str) -> Generator[dict[str, Any]]:
    folder = knowledge.folder
    file = Path(os.path.realpath(folder / path))
    if not file.is_relative_to(os.path.realpath(folder)):
        raise UnreadableError("a link that leads out of the folder")
    if not file.is_file():
        raise UnreadableError("there is no such file")
    deadline = time.monotonic() + _LONGEST_QUERY
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as database:
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)  # of one value, however it is worked out
            database.set_progress_handler(lambda: time.monotonic() > deadline, 100_000)
            database.set_authorizer(_only_reading)
            found = database.execute(query)
            names = [each[0] for each in found.description or ()]
            for row in found:
                yield dict(zip(names, row, strict=True))
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise UnreadableError(f"the query cannot be answered: {error}") from None


_READING: Final = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}


def _only_reading(action: int, *_named: Any) -> int:
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY


def _plain(value: object) -> object:
    return f"{len(value)} bytes" if isinstance(value, bytes | memoryview) else value
