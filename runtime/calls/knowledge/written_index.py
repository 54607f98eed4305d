"""Indexes that a model builds: a table of keywords, and a tree of summaries.

What a model has written is kept by what it was written about, as soon as it has come: who goes on after a crash asks
only for the rest, and what has not changed is never asked again. How many calls that takes is known before the first.
"""

from __future__ import annotations

import hashlib
import math
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final

from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.grouping import Group, groups
from wfc.runtime.calls.knowledge.helpers import Helpers, Planned, Told
from wfc.runtime.calls.knowledge.words import indexed_words
from wfc.runtime.calls.knowledge.writing import BATCH, LONGEST_SHOWN
from wfc.runtime.errors import StepError

__all__ = ["build"]

_AT_ONCE: Final = 4
"""How many calls are under way at the same time."""

_TREE: Final = """
CREATE TABLE tree (node INTEGER PRIMARY KEY, above INTEGER, level INTEGER, passage INTEGER, text TEXT);
CREATE INDEX tree_by_above ON tree (above)
"""


class _KeptTexts:
    """What was written, by what it was written about and by what wrote it."""

    def __init__(self, path: Path, writer: str) -> None:
        self._writer = writer.encode()
        self.database = sqlite3.connect(path, timeout=60, isolation_level=None)
        self.database.execute("PRAGMA journal_mode=WAL")
        self.database.execute("PRAGMA synchronous=NORMAL")
        self.database.execute(
            "CREATE TABLE IF NOT EXISTS written (digest BLOB PRIMARY KEY, said TEXT) WITHOUT ROWID"
        )

    def digest(self, kind: str, about: bytes) -> bytes:
        said = b"\0".join((self._writer, kind.encode(), about))
        return hashlib.blake2b(said, digest_size=16).digest()

    def get(self, digest: bytes) -> str | None:
        row = self.database.execute("SELECT said FROM written WHERE digest = ?", (digest,)).fetchone()
        return row[0] if row is not None else None

    def keep(self, rows: Sequence[tuple[bytes, str]]) -> None:
        self.database.execute("BEGIN IMMEDIATE")
        self.database.executemany("REPLACE INTO written VALUES (?, ?)", rows)
        self.database.execute("COMMIT")

    def forget_all_but(self, digests: set[bytes]) -> None:
        gone = [row for row in self.database.execute("SELECT digest FROM written") if row[0] not in digests]
        self.database.executemany("DELETE FROM written WHERE digest = ?", gone)


def _opened(knowledge: Knowledge, path: Path) -> _KeptTexts:
    return _KeptTexts(path.with_suffix(".written.db"), knowledge.embedder())


def _planned(database: sqlite3.Connection, knowledge: Knowledge, kept: _KeptTexts) -> Planned:
    """Return what an index asks its model for when it is brought up to date now."""
    if knowledge.index == "keyword_table":
        missing = _without_keywords(database, kept)
        return Planned(0, math.ceil(len(missing) / BATCH), sum(map(_shown, missing.values())))
    sizes = {digest: _shown(text) for _, text, digest in _leaves(database, kept)}
    missing_groups = [
        each for level in _levels(database, kept) for each in level if kept.get(each.digest) is None
    ]
    shown = sum(sizes.get(digest, 700) for each in missing_groups for digest in each.of)
    return Planned(0, len(missing_groups), shown)


def _shown(text: str) -> int:
    return len(text[:LONGEST_SHOWN].encode("utf-8", "replace"))


def build(
    database: sqlite3.Connection,
    knowledge: Knowledge,
    path: Path,
    has_changed: bool,
    told: Told,
    helpers: Helpers,
) -> int:
    """Have a model write what an index lacks; return how many calls that took.

    Args:
        database: The index, within whose transaction this happens.
        path: Where it is.
        has_changed: Whether its passages have.

    Raises:
        StepError: ``knowledge.too_many_calls``, ``knowledge.written``, or what the model raises.
    """
    is_built = database.execute("SELECT 1 FROM about WHERE name = 'written'").fetchone() is not None
    if is_built and not has_changed:
        return 0
    kept = _opened(knowledge, path)
    with closing(kept.database):
        planned = _planned(database, knowledge, kept)
        calls = planned.calls
        if calls > knowledge.max_calls:
            raise StepError(
                "knowledge.too_many_calls",
                f"the index of `{knowledge.name}` needs {calls:,} calls of its model, and may make "
                f"{knowledge.max_calls:,} (`max_calls`); none was made, and the index stands as it was",
            )
        if calls:
            helpers.allow(planned)
        write = _write_keywords if knowledge.index == "keyword_table" else _write_tree
        used = write(database, knowledge, kept, told, helpers, calls)
        database.execute("REPLACE INTO about VALUES ('written', '')")
        if is_built:  # else it goes on from what a process has left that was ended
            kept.forget_all_but(used)
    return calls


# --- a table of keywords


def _without_keywords(database: sqlite3.Connection, kept: _KeptTexts) -> dict[bytes, str]:
    """Return the texts that have no keywords yet, each once."""
    found: dict[bytes, str] = {}
    for _, text, _ in _leaves(database, kept):
        digest = kept.digest("keywords", text.encode("utf-8", "surrogatepass"))
        if digest not in found and kept.get(digest) is None:
            found[digest] = text
    return found


def _write_keywords(
    database: sqlite3.Connection,
    knowledge: Knowledge,
    kept: _KeptTexts,
    told: Told,
    helpers: Helpers,
    calls: int,
) -> set[bytes]:
    missing = [*_without_keywords(database, kept).items()]
    batches = [missing[at : at + BATCH] for at in range(0, len(missing), BATCH)]
    for at in range(0, len(batches), _AT_ONCE):
        told("calls made", at, calls)
        some = batches[at : at + _AT_ONCE]
        found = helpers.keywords(knowledge, [[text for _, text in batch] for batch in some])
        digests = (digest for batch in some for digest, _ in batch)
        said = (" / ".join(each) for batch in found for each in batch)
        kept.keep([*zip(digests, said, strict=True)])
    told("calls made", calls, calls)
    database.execute("INSERT INTO words (words) VALUES ('delete-all')")
    used = set()
    rows = []
    for number, text, _ in _leaves(database, kept):
        used.add(digest := kept.digest("keywords", text.encode("utf-8", "surrogatepass")))
        rows.append((number, indexed_words(kept.get(digest) or "")))
    database.executemany("INSERT INTO words (rowid, text, heading) VALUES (?, ?, '')", rows)
    return used


# --- a tree of summaries


def _leaves(database: sqlite3.Connection, kept: _KeptTexts) -> Iterator[tuple[int, str, bytes]]:
    """Yield each passage in reading order: its number, its text with the headings above it, and its digest."""
    for number, text, heading in database.execute(
        "SELECT id, head || text, heading FROM passages ORDER BY path, number"
    ):
        whole = f"{heading}\n{text}" if heading else text
        yield number, whole, kept.digest("leaf", whole.encode("utf-8", "surrogatepass"))


def _levels(database: sqlite3.Connection, kept: _KeptTexts) -> list[list[Group]]:
    """Return the groups of each level, from the lowest; none if all passages can be looked at at once."""
    digests = [digest for _, _, digest in _leaves(database, kept)]
    return groups(digests, lambda of: kept.digest("summary", b"".join(of)))


def _write_tree(
    database: sqlite3.Connection,
    knowledge: Knowledge,
    kept: _KeptTexts,
    told: Told,
    helpers: Helpers,
    calls: int,
) -> set[bytes]:
    database.execute("DROP TABLE IF EXISTS tree")
    for statement in _TREE.split(";\n"):
        database.execute(statement)
    leaves = [*_leaves(database, kept)]
    below = [(number, text) for number, text, _ in leaves]
    last = 0
    nodes = []
    for number, _ in below:
        last += 1
        nodes.append(last)
        database.execute("INSERT INTO tree VALUES (?, NULL, 0, ?, '')", (last, number))
    used: set[bytes] = set()
    texts = [text for _, text in below]
    done = 0
    for level, found in enumerate(_levels(database, kept), start=1):
        tell = partial(_tell_calls, told, calls, done)
        done += _summarize(found, texts, knowledge, kept, helpers, tell)
        above, said = [], []
        for each in found:
            last += 1
            above.append(last)
            used.add(each.digest)
            said.append(kept.get(each.digest) or "")
            database.execute("INSERT INTO tree VALUES (?, NULL, ?, NULL, ?)", (last, level, said[-1]))
            children = nodes[each.start : each.start + len(each.of)]
            database.executemany(
                "UPDATE tree SET above = ? WHERE node = ?", [(last, child) for child in children]
            )
        nodes, texts = above, said
    told("calls made", calls, calls)
    return used


def _tell_calls(told: Told, most: int, before: int, more: int) -> None:
    told("calls made", before + more, most)


def _summarize(
    found: list[Group],
    texts: list[str],
    knowledge: Knowledge,
    kept: _KeptTexts,
    helpers: Helpers,
    told: Callable[[int], None],
) -> int:
    """Have the groups of a level summed up that are not yet; return how many those were."""
    missing = {each.digest: each for each in found if kept.get(each.digest) is None}
    waiting = [*missing.values()]
    for at in range(0, len(waiting), _AT_ONCE):
        told(at)
        some = waiting[at : at + _AT_ONCE]
        said = helpers.summaries(knowledge, [texts[each.start : each.start + len(each.of)] for each in some])
        kept.keep([(each.digest, text) for each, text in zip(some, said, strict=True)])
    return len(waiting)
