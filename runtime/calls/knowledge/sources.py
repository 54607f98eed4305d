"""What collections are made of beside files: addresses and rows of SQLite files, as if they were files.

Each is read whenever the collection is brought up to date; only what its digest tells to be new is cut again.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from wfc.runtime.calls.knowledge.definition import Knowledge, UnreadableError
from wfc.runtime.calls.knowledge.finding import FoundFile
from wfc.runtime.errors import WorkflowError

if TYPE_CHECKING:
    from wfc.runtime.calls.knowledge.helpers import Helpers

__all__ = ["LARGEST", "fetched", "others", "rows"]

LARGEST: Final = 50_000_000
"""How many bytes a text may have."""

_MOST_ROWS: Final = 200_000
_LONGEST_QUERY: Final = 60.0
"""How many seconds a query may take."""

_ALWAYS_READ: Final = -1
"""The size of what cannot be told to be unchanged without reading it."""

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


def others(knowledge: Knowledge) -> list[FoundFile]:
    """Return the addresses, and the queries, of a collection."""
    queries = (f"{file}?{query}" for file, query in knowledge.sql)
    return [FoundFile(path, _ALWAYS_READ, 0, 0) for path in (*knowledge.urls, *queries)]


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


def rows(knowledge: Knowledge, path: str, query: str) -> bytes:
    """Return the rows of a query as lines of JSON; the file is only read.

    Raises:
        UnreadableError: There is no such file, the query is wrong, or it takes too long.
    """
    folder = knowledge.folder
    file = Path(os.path.realpath(folder / path))
    if not file.is_relative_to(os.path.realpath(folder)):
        raise UnreadableError("a link that leads out of the folder")
    if not file.is_file():
        raise UnreadableError("there is no such file")
    deadline = time.monotonic() + _LONGEST_QUERY
    lines: list[str] = []
    size = 0
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as database:
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)  # of one value, however it is worked out
            database.set_progress_handler(lambda: time.monotonic() > deadline, 100_000)
            database.set_authorizer(_only_reading)
            found = database.execute(query)
            names = [each[0] for each in found.description or ()]
            for row in found:
                told = {
                    name: _plain(value) for name, value in zip(names, row, strict=True) if value is not None
                }
                lines.append(json.dumps(told, ensure_ascii=False))
                size += len(lines[-1])
                if len(lines) > _MOST_ROWS or size > LARGEST:
                    raise UnreadableError(
                        f"the query gives more than {_MOST_ROWS:,} rows or {LARGEST // 1_000_000} MB"
                    )
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise UnreadableError(f"the query cannot be answered: {error}") from None
    return "\n".join(lines).encode("utf-8", "replace")


_READING: Final = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}


def _only_reading(action: int, *_named: Any) -> int:
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY


def _plain(value: object) -> object:
    return f"{len(value)} bytes" if isinstance(value, bytes) else value
