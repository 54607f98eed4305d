"""Collections that runs write: what is remembered in one, and how it is searched."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary, finalize

from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.words import indexed_words
from wfc.runtime.calls.memories import KeptMemories, NewEntry, Shelf, ShelfBounds, StoredEntry
from wfc.runtime.errors import StepError
from wfc.runtime.values.outside_names import json_outside

if TYPE_CHECKING:
    from wfc.runtime.calls.knowledge.helpers import Helpers
    from wfc.runtime.calls.knowledge.vectors import Nearest

__all__ = [
    "LONGEST_TEXT",
    "MOST_ENTRIES",
    "entry_of",
    "forget",
    "nearest",
    "opened",
    "remember",
    "shelf_of",
    "vectors_of",
]

LONGEST_TEXT: Final = 32_000
"""How many characters an entry has at most."""

MOST_ENTRIES: Final = 10_000
"""How many entries a key has at most where the collection does not bound them."""

_LONGEST_KEY: Final = 4_000_000
"""How many characters a key has at most."""

_TABLES: Final = """
CREATE TABLE passages (
    id INTEGER PRIMARY KEY, path TEXT, number INTEGER, document INTEGER, parent INTEGER, start INTEGER,
    is_source INTEGER, text TEXT, heading TEXT, about TEXT, head TEXT
);
CREATE TABLE vectors (id INTEGER PRIMARY KEY, vector BLOB);
CREATE VIRTUAL TABLE words USING fts5(text, heading, content='', tokenize='porter unicode61 remove_diacritics 2');
"""


def shelf_of(knowledge: Knowledge) -> Shelf:
    """Return the part of a collection that belongs to its key.

    Raises:
        StepError: ``knowledge.key``: It has none, or one that is too long.
    """
    if knowledge.key is None:
        raise StepError("knowledge.key", f"`{knowledge.name}` is of many keys, and none was given")
    if len(knowledge.key) > _LONGEST_KEY:
        raise StepError(
            "knowledge.key", f"the key of `{knowledge.name}` has {len(knowledge.key):,} characters"
        )
    return Shelf.of(knowledge.kept_as, knowledge.key)


def bounds_of(knowledge: Knowledge) -> ShelfBounds:
    """Return what a key has at most."""
    return ShelfBounds(knowledge.entries or MOST_ENTRIES, knowledge.seconds)


def entry_of(knowledge: Knowledge, text: str, about: Mapping[str, Any], name: str) -> NewEntry:
    """Return what is to be remembered, as it is kept.

    Args:
        name: What tells the step run from all others; what else it remembers is another entry.

    Raises:
        StepError: ``knowledge.text``: There is nothing to remember, or too much.
    """
    if not text.strip():
        raise StepError("knowledge.text", f"nothing was given that `{knowledge.name}` could remember")
    if len(text) > LONGEST_TEXT:
        raise StepError(
            "knowledge.text",
            f"`{knowledge.name}` was given {len(text):,} characters to remember; at most {LONGEST_TEXT:,} are taken",
        )
    told = {key: _as_text(value) for key, value in about.items() if value is not None}
    if sum(map(len, told.values())) > LONGEST_TEXT:
        raise StepError("knowledge.text", f"`about` has more than {LONGEST_TEXT:,} characters")
    body = json.dumps({"text": text, "about": told}, sort_keys=True)
    digest = hashlib.sha256(f"{name}\0{body}".encode("utf-8", "surrogatepass")).hexdigest()
    return NewEntry(digest, body)


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json_outside(value).decode().strip('"')


async def remember(
    kept: KeptMemories, knowledge: Knowledge, entry: NewEntry, vector: Sequence[float] | None
) -> str:
    """Keep an entry; return the id that its passage has."""
    if vector is not None:
        from wfc.runtime.calls.knowledge.vectors import of_length_one

        (found,) = of_length_one([vector], 1, None)
        entry = entry._replace(vector=found.tobytes(), embedder=knowledge.embedder())
    number = await kept.add(shelf_of(knowledge), entry, bounds_of(knowledge))
    return f"{knowledge.name}#{number}"


async def forget(kept: KeptMemories, knowledge: Knowledge, passage: str | None) -> int:
    """Drop one entry of a key by the id of its passage, or all; return how many there were."""
    shelf = shelf_of(knowledge)
    if passage is None:
        return await kept.forget(shelf)
    name, _, number = passage.rpartition("#")
    if name != knowledge.name or not (number.isascii() and number.isdigit() and len(number) < 19):
        return 0
    return await kept.forget(shelf, int(number))


class _Index:
    """An index in memory of what a key has; as many threads use it as there are, one after another.

    Args:
        size: How many bytes it has.
    """

    def __init__(self) -> None:
        self.numbers: set[int] = set()
        self.size = 0
        self.database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self.database.executescript(_TABLES)
        # not by `__del__`: in a circle of garbage the connection may be ended before it
        finalize(self, self.database.close)

    def measure(self) -> None:
        """Note how large it is."""
        (pages,), (size,) = (
            self.database.execute(f"PRAGMA {each}").fetchone() for each in ("page_count", "page_size")
        )
        self.size = pages * size


_MOST_BYTES: Final = 64_000_000
"""How large the indexes of one store are together that are kept for the next search."""

_IDLE: Final[WeakKeyDictionary[KeptMemories, dict[Hashable, _Index]]] = WeakKeyDictionary()
"""The indexes that nobody uses just now, those that were used last at the end."""
_IDLE_LOCK: Final = threading.Lock()


@contextmanager
def opened(knowledge: Knowledge, helpers: Helpers) -> Iterator[sqlite3.Connection]:
    """Give an index in memory of what a key has: one that an earlier search has made, with what has changed since.

    Entries that something else has embedded, or nothing, are embedded now, and their vectors are kept.

    Raises:
        StepError: ``knowledge.key``, ``knowledge.embedding``, and what models raise.
    """
    kept, shelf = helpers.memories(), shelf_of(knowledge)
    name = (shelf, knowledge.name, knowledge.searched_by())
    with _IDLE_LOCK:
        index = _IDLE.setdefault(kept, {}).pop(name, None) or _Index()
    try:
        _follow(index, knowledge, helpers)
        yield index.database
    except BaseException:
        index.database.close()  # nobody knows what it has now, and the error may keep it for long
        raise
    if index.database.in_transaction:
        index.database.execute("COMMIT")
    index.measure()
    with _IDLE_LOCK:
        idle = _IDLE.setdefault(kept, {})
        idle.pop(name, None)
        idle[name] = index
        while sum(each.size for each in idle.values()) > _MOST_BYTES:
            idle.pop(next(iter(idle)))


def _follow(index: _Index, knowledge: Knowledge, helpers: Helpers) -> None:
    """Bring an index up to what the store has; one that fails meanwhile is used no more."""
    new, gone = helpers.wait_for(
        helpers.memories().changes(shelf_of(knowledge), bounds_of(knowledge), index.numbers)
    )
    database = index.database
    database.execute("BEGIN")
    for number in gone:
        _drop(database, knowledge, number)
    _insert(database, knowledge, new, helpers)
    database.execute("COMMIT")
    index.numbers -= gone
    index.numbers.update(each.number for each in new)


def _insert(
    database: sqlite3.Connection, knowledge: Knowledge, entries: Sequence[StoredEntry], helpers: Helpers
) -> None:
    said = [json.loads(each.body) for each in entries]
    rows = [
        (
            each.number,
            knowledge.name,
            each.number,
            each.number,
            0,
            0,
            0,
            one["text"],
            "",
            json.dumps(one["about"]),
            "",
        )
        for each, one in zip(entries, said, strict=True)
    ]
    database.executemany("INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", _printable(rows))
    if knowledge.has_words:
        words = ((row[0], indexed_words(_unbroken(str(row[7]))), "") for row in rows)
        database.executemany("INSERT INTO words (rowid, text, heading) VALUES (?, ?, ?)", words)
    if knowledge.has_vectors:
        texts = [str(one["text"]) for one in said]
        known = database.execute("SELECT length(vector) / 4 FROM vectors LIMIT 1").fetchone()
        vectors = _vectors(knowledge, entries, texts, known[0] if known else None, helpers)
        database.executemany("INSERT INTO vectors VALUES (?, ?)", vectors)


def _drop(database: sqlite3.Connection, knowledge: Knowledge, number: int) -> None:
    if knowledge.has_words:
        (text,) = database.execute("SELECT text FROM passages WHERE id = ?", (number,)).fetchone()
        database.execute(
            "INSERT INTO words (words, rowid, text, heading) VALUES ('delete', ?, ?, '')",
            (number, indexed_words(text)),
        )
    database.execute("DELETE FROM passages WHERE id = ?", (number,))
    database.execute("DELETE FROM vectors WHERE id = ?", (number,))


def _printable(rows: list[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    return (tuple(_unbroken(each) if isinstance(each, str) else each for each in row) for row in rows)


def _unbroken(text: str) -> str:
    """Return a text that SQLite takes: halves of characters stand for nothing."""
    return text.encode("utf-8", "replace").decode()


def _vectors(
    knowledge: Knowledge,
    entries: Sequence[StoredEntry],
    texts: Sequence[str],
    size: int | None,
    helpers: Helpers,
) -> list[tuple[int, bytes]]:
    """Return the vector of each entry.

    Args:
        size: How many numbers a vector has; ``None``: none is known yet.
    """
    from wfc.runtime.calls.knowledge.vectors import BATCH, of_length_one

    embedder = knowledge.embedder()
    found = {each.number: each.vector for each in entries if each.vector and each.embedder == embedder}
    size = len(next(iter(found.values()))) // 4 if found and size is None else size
    missing = [
        (each.number, text) for each, text in zip(entries, texts, strict=True) if each.number not in found
    ]
    for at in range(0, len(missing), BATCH):
        batch = missing[at : at + BATCH]
        given = of_length_one(helpers.embed(knowledge, [text for _, text in batch]), len(batch), size)
        size = given.shape[1]
        new = [(number, vector.tobytes()) for (number, _), vector in zip(batch, given, strict=True)]
        helpers.wait_for(helpers.memories().embedded(shelf_of(knowledge), new, embedder))
        found.update(new)
    return list(found.items())


def vectors_of(database: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, Any]:
    """Return the vectors of some entries, by their numbers."""
    from wfc.runtime.calls.knowledge.vectors import matrix

    some = ", ".join(map(str, numbers))
    rows = database.execute(f"SELECT id, vector FROM vectors WHERE id IN ({some}) ORDER BY id")  # noqa: S608
    ids, found = matrix(rows.fetchall())
    return dict(zip(ids.tolist(), found, strict=True))


def nearest(database: sqlite3.Connection, asked: Sequence[float], most: int) -> Nearest:
    """Return the entries that are nearest to a question.

    Raises:
        StepError: ``knowledge.embedding``.
    """
    from wfc.runtime.calls.knowledge.vectors import best, matrix

    return best(
        matrix(database.execute("SELECT id, vector FROM vectors ORDER BY id").fetchall()), asked, most
    )
