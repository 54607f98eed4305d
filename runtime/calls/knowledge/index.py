"""The index of a collection: its passages and their words, in a file that SQLite keeps.

What a file of the collection says is read again only if its size, its time or its number on the disk has changed, and
cut again only if its bytes have. All of an update is one transaction: who searches meanwhile, or after a process was
killed in the midst of it, sees the index as it was.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from wfc.runtime.calls.knowledge.contained import end_reader
from wfc.runtime.calls.knowledge.definition import Knowledge, UnreadableError
from wfc.runtime.calls.knowledge.finding import FoundFile
from wfc.runtime.calls.knowledge.helpers import Helpers, Told, alone
from wfc.runtime.calls.knowledge.loading import documents
from wfc.runtime.calls.knowledge.sources import ALWAYS_READ, LOADED_SIZE, Content, Sources
from wfc.runtime.calls.knowledge.typed_about import refuse_misfits
from wfc.runtime.calls.knowledge.vector_stores import store_key
from wfc.runtime.calls.knowledge.words import indexed_words
from wfc.runtime.errors import StepError

__all__ = ["Updated", "is_current", "is_made", "is_searched_so", "opened", "update"]

_FORMAT: Final = "4"
_WAIT: Final = 60.0
"""How many seconds another process may need that brings the same index up to date."""

_TABLES: Final = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE files (
    path TEXT PRIMARY KEY, size INTEGER, changed INTEGER, inode INTEGER, digest BLOB, why_not TEXT
) WITHOUT ROWID;
CREATE TABLE passages (
    id INTEGER PRIMARY KEY, path TEXT, number INTEGER, document INTEGER, parent INTEGER, start INTEGER,
    is_source INTEGER, text TEXT, heading TEXT, about TEXT, head TEXT
);
CREATE UNIQUE INDEX passages_of_file ON passages (path, number);
CREATE VIRTUAL TABLE words USING fts5(text, heading, content='', tokenize='porter unicode61 remove_diacritics 2');
"""


@dataclass(slots=True)
class Updated:
    """What an update has done.

    Args:
        passages: How many there are now.
        taken: The files that were read and cut.
        same: How many had not changed.
        gone: The files whose passages were taken out.
        left_out: The files that cannot be read, each with the reason.
        embedded: How many texts were turned into numbers.
        calls: How often the model was called that builds the index.
    """

    passages: int = 0
    taken: list[str] = field(default_factory=list)
    same: int = 0
    gone: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    embedded: int = 0
    calls: int = 0


@contextmanager
def opened(path: Path, wait: float = _WAIT) -> Iterator[sqlite3.Connection]:
    """Open an index; its folder is made if it is not there.

    Args:
        wait: How many seconds another process may need that writes it.

    Raises:
        StepError: ``knowledge.index``: It cannot be opened, or it is damaged.
    """
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            (path.parent / ".gitignore").write_text("*\n", encoding="utf-8")  # an index is made anew anywhere
        with closing(sqlite3.connect(path, timeout=wait, isolation_level=None)) as database:
            yield database
    except (sqlite3.Error, OSError) as error:
        raise StepError(
            "knowledge.index",
            f"the index {path} cannot be used: {error}; it may be deleted, and is made anew",
        ) from error


def update(
    knowledge: Knowledge,
    path: Path,
    told: Told = lambda _what, _done, _all: None,
    helpers: Helpers | None = None,
    wait: float = _WAIT,
) -> Updated:
    """Bring an index up to date.

    Args:
        path: The index.
        helpers: What embeds texts and asks servers; ``None``: nothing of a run is at hand.
        wait: How many seconds another process may need that brings it up to date.

    Raises:
        StepError: ``knowledge.empty``: No file fits. ``knowledge.loader``. ``knowledge.index``.
            ``knowledge.too_many_files``. ``knowledge.embedding`` and what a model's service raises.
    """
    helpers = helpers or alone()
    sources = Sources.of(knowledge, helpers)
    found = sources.found()
    with opened(path, wait) as database:
        database.execute("PRAGMA journal_mode=WAL")  # who searches meanwhile sees the index as it was
        database.execute("PRAGMA synchronous=NORMAL")
        database.execute("BEGIN IMMEDIATE")
        done = _take_all(database, sources, found, told)
        if knowledge.has_vectors:
            from wfc.runtime.calls.knowledge.vector_index import embed_passages

            has_changed = bool(done.taken or done.gone)
            done.embedded = embed_passages(database, knowledge, path, has_changed, told, helpers)
        elif knowledge.is_written:
            from wfc.runtime.calls.knowledge.written_index import build

            has_changed = bool(done.taken or done.gone)
            done.calls = build(database, knowledge, path, has_changed, told, helpers)
        database.execute("REPLACE INTO about VALUES ('searched', ?)", (_searched_by(knowledge),))
        database.execute("COMMIT")
    return done


def _take_all(database: sqlite3.Connection, sources: Sources, found: list[FoundFile], told: Told) -> Updated:
    """Put what the files say now into the index, and take out what is gone."""
    knowledge = sources.knowledge
    kept = _kept(database, knowledge)
    stays = [path for path, row in kept.items() if sources.has_failed and row[0] == LOADED_SIZE]
    for path in stays:
        del kept[path]
    done = Updated(same=len(stays), left_out=sources.left_out(has_some=bool(stays)))
    try:
        for number, each in enumerate(found):
            told("files", number, len(found))
            _take(database, sources, each, kept.pop(each.path, None), done)
    finally:
        end_reader()
    for gone in kept:
        _drop(database, knowledge, gone)
        database.execute("DELETE FROM files WHERE path = ?", (gone,))
        done.gone.append(gone)
    (done.passages,) = database.execute("SELECT count(*) FROM passages").fetchone()
    told("files", len(found), len(found))
    return done


def is_made(knowledge: Knowledge, path: Path) -> bool:
    """Return whether there is an index that was made as the collection says, however old it is.

    Raises:
        StepError: ``knowledge.index``.
    """
    if not path.exists():
        return False
    with opened(path) as database:
        return bool(_kept(database, knowledge))


def is_searched_so(knowledge: Knowledge, database: sqlite3.Connection) -> bool:
    """Return whether an index can be searched as the collection says: others may have made it anew since.

    Raises:
        StepError: ``knowledge.index``.
    """
    row = database.execute("SELECT value FROM about WHERE name = 'searched'").fetchone()
    return bool(row == (_searched_by(knowledge),))


def _searched_by(knowledge: Knowledge) -> str:
    return f"{knowledge.searched_by()} {store_key(knowledge)}"


def is_current(knowledge: Knowledge, path: Path, helpers: Helpers | None = None) -> bool:
    """Return whether an index has all that the files say now; they are read, whatever their sizes and times are.

    Raises:
        StepError: As of `update`.
    """
    helpers = helpers or alone()
    sources = Sources.of(knowledge, helpers)
    found = sources.found()
    sources.left_out(has_some=False)
    if not path.exists():
        return False
    with opened(path) as database:
        kept = _kept(database, knowledge)
        if kept.keys() != {each.path for each in found}:
            return False
        return all(_says_the_same(kept[each.path], sources.read(each)) for each in found)


_Row = tuple[int, int, int, bytes, str]


def _says_the_same(kept: _Row, content: Content) -> bool:
    """Return whether a file has the bytes that the index knows, or cannot be read for the same reason."""
    return kept[3] == content.digest and (content.digest != b"" or kept[4] == content.why_not)


def _kept(database: sqlite3.Connection, knowledge: Knowledge) -> dict[str, _Row]:
    """Return what the index knows of files; nothing if it is new, or was made in another way and is begun anew."""
    made = f"{_FORMAT} {knowledge.cut()}"
    owner: list[tuple[str, str]] = []  # by which its vectors are found in a store
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "about" in tables:
        row = database.execute("SELECT value FROM about WHERE name = 'made'").fetchone()
        if row == (made,):
            return {each[0]: each[1:] for each in database.execute("SELECT * FROM files")}
        if not database.in_transaction:
            return {}
        owner = database.execute("SELECT name, value FROM about WHERE name = 'owner'").fetchall()
        for name in ("words", "passages", "files", "about"):
            database.execute(f"DROP TABLE {name}")
        database.execute("DROP TABLE IF EXISTS tree")
    if database.in_transaction:
        for statement in _TABLES.split(";\n"):
            database.execute(statement)
        said = [("made", made), *owner]
        database.executemany("INSERT INTO about VALUES (?, ?)", said)
    return {}


def _take(
    database: sqlite3.Connection, sources: Sources, file: FoundFile, kept: _Row | None, done: Updated
) -> None:
    """Put what a file says into the index, unless it is there already."""
    looks = (file.size, file.changed, file.inode)
    if (
        kept is not None
        and kept[:3] == looks
        and file.size >= 0
        and (not file.why_not or file.why_not == kept[4])
    ):
        if kept[4]:
            done.left_out[file.path] = kept[4]
        done.same += not kept[4]
        return
    knowledge = sources.knowledge
    content = sources.read(file)
    why_not = content.why_not
    if why_not and kept is not None and not kept[4] and file.size == ALWAYS_READ:
        done.left_out[file.path] = f"{why_not}; what it said before stays"
        return
    if kept is not None and _says_the_same(kept, content):
        why_not = kept[4]
        done.same += not why_not
    else:
        if kept is not None:
            _drop(database, knowledge, file.path)
        why_not = why_not or _insert(database, knowledge, file, content)
        if not why_not:
            done.taken.append(file.path)
    if why_not:
        done.left_out[file.path] = why_not
    database.execute(
        "REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)", (file.path, *looks, content.digest, why_not)
    )


def _insert(database: sqlite3.Connection, knowledge: Knowledge, file: FoundFile, content: Content) -> str:
    """Put the passages of a file into the index, as they come; return why there are none, if there are none.

    Of a file that proves unreadable none stay. A savepoint lets FTS5 write all that it has gathered, so there is one
    for those files alone that are written in parts.
    """
    written = _Written(database)
    try:
        has_some = _insert_all(written, knowledge, file, content)
    except UnreadableError as error:
        written.take_back()
        return str(error)
    written.write(is_all=True)
    return "" if has_some else "it says nothing"


_AT_ONCE: Final = 1000
"""How many passages are written at once."""


class _Written:
    """What is written of a file."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database
        self.rows: list[tuple[object, ...]] = []
        self.words: list[tuple[int, str, str]] = []
        self._is_in_parts = False

    def write(self, *, is_all: bool = False) -> None:
        """Write what there is."""
        if not (self._is_in_parts or is_all):
            self._is_in_parts = True
            self.database.execute("SAVEPOINT file")
        places = ", ".join("?" * 11)
        self.database.executemany(f"INSERT INTO passages VALUES ({places})", self.rows)  # noqa: S608 - of a constant
        self.database.executemany("INSERT INTO words (rowid, text, heading) VALUES (?, ?, ?)", self.words)
        self.rows.clear()
        self.words.clear()
        if is_all:
            self._release()

    def take_back(self) -> None:
        """Take back what was written."""
        if self._is_in_parts:
            self.database.execute("ROLLBACK TO file")
        self._release()

    def _release(self) -> None:
        if self._is_in_parts:
            self.database.execute("RELEASE file")
            self._is_in_parts = False


def _insert_all(written: _Written, knowledge: Knowledge, file: FoundFile, content: Content) -> bool:
    from wfc.runtime.calls.knowledge.splitting import cut  # whose package may not be installed

    (last,) = written.database.execute("SELECT coalesce(max(id), 0) FROM passages").fetchone()
    at, first = -1, last
    for at, plain in enumerate(documents(content.ending, content.raw)):
        document = plain.with_about(dict(file.about))
        refuse_misfits(knowledge.about, document.about)
        told = _about_by_heading(document.about)
        for piece in cut(document, knowledge):
            last += 1
            place = (file.path, last - first, at, piece.parent, piece.start, document.is_source)
            written.rows.append((last, *place, piece.text, piece.heading, told(piece.heading), piece.head))
            if knowledge.has_words:
                said = indexed_words(piece.head + piece.text)
                written.words.append((last, said, indexed_words(piece.heading)))
            if len(written.rows) >= _AT_ONCE:
                written.write()
    return at >= 0


def _about_by_heading(about: Mapping[str, str]) -> Callable[[str], str]:
    """Return what writes down what is said about the passages under a heading; most share one."""

    @lru_cache(maxsize=1)
    def told(heading: str) -> str:
        return json.dumps({**about, "heading": heading} if heading else about, ensure_ascii=False)

    return told


def _drop(database: sqlite3.Connection, knowledge: Knowledge, path: str) -> None:
    """Take the passages of a file out of the index."""
    if knowledge.has_words:
        rows = database.execute(
            "SELECT id, head || text, heading FROM passages WHERE path = ?", (path,)
        ).fetchall()
        database.executemany(
            "INSERT INTO words (words, rowid, text, heading) VALUES ('delete', ?, ?, ?)",
            ((row, indexed_words(text), indexed_words(heading)) for row, text, heading in rows),
        )
    database.execute("DELETE FROM passages WHERE path = ?", (path,))
