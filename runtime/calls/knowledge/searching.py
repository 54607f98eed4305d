"""What of a collection fits a question."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.index import opened, update
from wfc.runtime.calls.knowledge.words import query_of
from wfc.runtime.calls.settings import settings_near
from wfc.runtime.records import Passage

__all__ = ["index_of", "search"]

_MOST_CANDIDATES: Final = 10_000
"""How many passages that have one of the words are looked at for those that count."""

_RANK_CONSTANT: Final = 60
"""Of reciprocal rank fusion: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and
individual Rank Learning Methods", SIGIR 2009."""

_BEST_FIRST: Final = """
SELECT passages.id, path, number, document, start, is_source, text, about, -found.score
FROM (
    SELECT rowid, rank AS score FROM words
    WHERE words MATCH ? AND rank MATCH 'bm25(1.0, 2.0)' ORDER BY rank, rowid LIMIT ?
) AS found JOIN passages ON passages.id = found.rowid ORDER BY found.score, passages.id
"""

_AROUND: Final = """
SELECT start, text FROM passages WHERE path = ? AND document = ? AND number BETWEEN ? AND ? ORDER BY number
"""

_UP_TO_DATE: Final[dict[Hashable, Path]] = {}
"""The indexes that this process has brought up to date, by what their collections say."""

_UPDATING: Final = threading.Lock()


def index_of(knowledge: Knowledge) -> Path:
    """Return where the index of a collection is kept: in ``.wfc`` of the folder with the settings, or of its own."""
    settings = settings_near(knowledge.folder).path
    return (
        (settings.parent if settings is not None else knowledge.folder)
        / ".wfc"
        / "knowledge"
        / (knowledge.index_name())
    )


def search(
    collections: Sequence[Knowledge],
    query: str,
    top: int,
    that: Callable[[Passage], object] | None = None,
    neighbours: int = 0,
) -> list[Passage]:
    """Return the passages that fit best, the best first.

    The index of each collection is brought up to date once in a process; later changes of its files are seen when
    something else, such as ``wfc index``, has brought it up to date. Ranks of several collections are merged by
    reciprocal ranks, so that ``score`` is then no longer how well the words fit.

    Args:
        query: Words; nothing in it has a meaning of its own.
        top: How many at most.
        that: Which passages count.
        neighbours: How many passages before and after each are added to it.

    Raises:
        StepError: ``knowledge.empty``, ``knowledge.index``, ``knowledge.too_many_files``.
        SettingsError: The settings cannot be read.
    """
    ranked = [list(_search_one(each, query, top, that, neighbours)) for each in collections]
    if len(ranked) == 1:
        return ranked[0]
    merged = [
        passage.model_copy(update={"score": 1 / (_RANK_CONSTANT + rank)})
        for found in ranked
        for rank, passage in enumerate(found, start=1)
    ]
    return sorted(merged, key=lambda passage: -(passage.score or 0))[:top]


def _search_one(
    knowledge: Knowledge, query: str, top: int, that: Callable[[Passage], object] | None, neighbours: int
) -> Iterator[Passage]:
    words = query_of(query)
    path = _current_index(knowledge)
    if not words:
        return
    with opened(path) as database:
        taken: set[tuple[str, int, int]] = set()
        limit = top if that is None and not neighbours else _MOST_CANDIDATES
        for row in database.execute(_BEST_FIRST, (words, limit)):
            found = _Found(*row)
            if (found.path, found.document, found.number) in taken:
                continue  # it stands in what was added to a better one
            passage = found.passage()
            if that is not None and not that(passage):
                continue
            yield found.widened(database, passage, neighbours) if neighbours else passage
            around = range(found.number - neighbours, found.number + neighbours + 1)
            taken.update((found.path, found.document, number) for number in around)
            top -= 1
            if not top:
                return


def _current_index(knowledge: Knowledge) -> Path:
    """Return a collection's index, which is brought up to date if this process has not done so."""
    said = (os.getcwd(), str(knowledge.beside), knowledge.name, knowledge.cut(), *knowledge.files)
    with _UPDATING:
        path = _UP_TO_DATE.get(said)
        if path is None or not path.exists():
            path = index_of(knowledge)
            update(knowledge, path)
            _UP_TO_DATE[said] = path
        return path


@dataclass(frozen=True, slots=True)
class _Found:
    """A row of the index."""

    id: int
    path: str
    number: int
    document: int
    start: int
    is_source: int
    text: str
    about: str
    score: float

    def passage(self) -> Passage:
        return Passage(
            text=self.text,
            source=self.path,
            score=self.score,
            id=f"{self.path}#{self.number}",
            start=self.start if self.is_source else None,
            end=self.start + len(self.text) if self.is_source else None,
            about=json.loads(self.about),
        )

    def widened(self, database: sqlite3.Connection, passage: Passage, neighbours: int) -> Passage:
        """Return a passage together with those before and after it in the same text."""
        start, text = -1, ""
        bounds = (self.number - neighbours, self.number + neighbours)
        for at, piece in database.execute(_AROUND, (self.path, self.document, *bounds)):
            if start < 0:
                start = at
            gap = at - start - len(text)  # white space that no passage has, or, below zero, what both have
            between = "" if gap <= 0 or not text else " " if gap == 1 else "\n" * gap
            text += between + piece[max(-gap, 0) :]
        place = {"start": start, "end": start + len(text)} if self.is_source else {}
        return passage.model_copy(update={"text": text, **place})
