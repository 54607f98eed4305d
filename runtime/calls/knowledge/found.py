"""Passages of one index that fit a question, by words and by meaning, the best first."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.helpers import Helpers
from wfc.runtime.calls.knowledge.typed_about import typed
from wfc.runtime.calls.knowledge.wanted import Considered, SeenPassage, WantedPassages
from wfc.runtime.calls.knowledge.weighing import Usual, beside_each_other, likely_by_meaning, likely_by_words
from wfc.runtime.calls.knowledge.words import query_of
from wfc.runtime.records import Passage

__all__ = ["Row", "found_in", "fused"]

_MOST_CANDIDATES: Final = 10_000
"""How many passages that fit are looked at for those that count."""

_MOST_TOLD: Final = 200
"""Of how many passages that do not count it is noted."""

_RANK_CONSTANT: Final = 60
"""Of reciprocal rank fusion: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and
individual Rank Learning Methods", SIGIR 2009."""

_COLUMNS: Final = "passages.id, path, number, document, parent, start, is_source, text, about, head"

_BY_WORDS: Final = f"""
SELECT {_COLUMNS}, -found.score
FROM (
    SELECT rowid, rank AS score FROM words
    WHERE words MATCH ? AND rank MATCH 'bm25(1.0, 2.0)' ORDER BY rank, rowid LIMIT ?
) AS found JOIN passages ON passages.id = found.rowid ORDER BY found.score, passages.id
"""  # noqa: S608 - nothing of it comes from outside

_BY_NUMBER: Final = f"SELECT {_COLUMNS} FROM passages WHERE id = ?"  # noqa: S608

_BESIDE: Final = f"SELECT {_COLUMNS} FROM passages WHERE path = ? AND number = ? AND document = ?"  # noqa: S608


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the index."""

    id: int
    path: str
    number: int
    document: int
    parent: int
    start: int
    is_source: int
    text: str
    about: str
    head: str
    score: float | None

    def passage(self) -> Passage:
        """Return it as searches give it."""
        return Passage(
            text=self.head + self.text,
            source=self.path,
            score=self.score,
            id=f"{self.path}#{self.number}",
            start=self.start if self.is_source else None,
            end=self.start + len(self.text) if self.is_source else None,
            about=json.loads(self.about),
        )

    def widened(self, database: sqlite3.Connection, passage: Passage, wanted: WantedPassages) -> Passage:
        """Return a passage together with those around it in the same text."""
        if wanted.parent:
            return self._joined(self._part(database), passage)
        bounds = (self.number - wanted.neighbours, self.number + wanted.neighbours)
        rows = database.execute(
            "SELECT start, text, head FROM passages WHERE path = ? AND document = ? AND number BETWEEN ? AND ?"
            " ORDER BY number",
            (self.path, self.document, *bounds),
        )
        return self._joined(rows, passage)

    def _part(self, database: sqlite3.Connection) -> list[tuple[int, str, str]]:
        """Return what the part that it is cut from is made of, which stands side by side."""

        def until_another(order: str) -> Iterator[tuple[int, str, str]]:
            rows = database.execute(
                f"SELECT document, parent, start, text, head FROM passages WHERE path = ? AND number {order}",  # noqa: S608
                (self.path, self.number),
            )
            for document, parent, *piece in rows:
                if (document, parent) != (self.document, self.parent):
                    return
                yield tuple(piece)

        before = [*until_another("< ? ORDER BY number DESC")]
        return [*reversed(before), *until_another(">= ? ORDER BY number")]

    def _joined(self, rows: Iterable[tuple[int, str, str]], passage: Passage) -> Passage:
        """Return passages that stand side by side as one."""
        start, text, above = -1, "", ""
        for at, piece, head in rows:
            if start < 0:
                start, above = at, head
            gap = at - start - len(text)  # white space that no passage has, or, below zero, what both have
            between = "" if gap <= 0 or not text else " " if gap == 1 and not head else "\n" * gap
            text += between + piece[max(-gap, 0) :]
        place = {"start": start, "end": start + len(text)} if self.is_source else {}
        return passage.model_copy(update={"text": above + text, **place})

    def around(self, wanted: WantedPassages) -> Iterator[tuple[str, int, int]]:
        """Yield what stands in a passage that was widened: each by its path, its text and its number there."""
        if wanted.parent:
            yield self.path, self.document, -1 - self.parent
            return
        for number in range(self.number - wanted.neighbours, self.number + wanted.neighbours + 1):
            yield self.path, self.document, number

    def key(self, wanted: WantedPassages) -> tuple[str, int, int]:
        """Return what tells whether it stands in another one that was widened."""
        return self.path, self.document, -1 - self.parent if wanted.parent else self.number


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands around a passage in its index."""

    row: Row
    database: sqlite3.Connection
    has_parts: bool

    def beside(self, step: int) -> Passage | None:
        row = self.database.execute(
            _BESIDE, (self.row.path, self.row.number + step, self.row.document)
        ).fetchone()
        return None if row is None else Row(*(*row, None)).passage()

    def whole(self) -> Passage | None:
        if not self.has_parts:
            return None
        return self.row._joined(self.row._part(self.database), self.row.passage())


Candidate = tuple[Row | None, Considered]


@dataclass(frozen=True, slots=True)
class _Search:
    """A search of one index."""

    knowledge: Knowledge
    database: sqlite3.Connection
    wanted: WantedPassages
    names: frozenset[str]
    told: list[Considered]
    helpers: Helpers

    def by_writing(self, query: str, count: int) -> Iterator[Row]:
        """Yield what is found in what a model has built, or what a list has."""
        from wfc.runtime.calls.knowledge.written_search import in_order, in_tree

        limit = count if self.wanted.that is None else _MOST_CANDIDATES
        if self.knowledge.index == "keyword_table":
            ((keywords,),) = self.helpers.keywords(self.knowledge, [[query]])
            yield from self.by_words(" ".join(keywords) or query, count)
            return
        if self.knowledge.index == "list":
            found = ((number, None) for number in in_order(self.database, limit))
        else:
            judge: Any = self.knowledge.model
            found = iter(in_tree(self.database, lambda texts: self.helpers.judge(judge, query, texts)))  # type: ignore[assignment]
        yield from self._rows(found)

    def by_words(self, query: str, count: int) -> Iterator[Row]:
        words = query_of(query)
        if words:
            limit = count if self.wanted.that is None else _MOST_CANDIDATES
            for row in self.database.execute(_BY_WORDS, (words, limit)):
                yield Row(*row)

    def likely_by_words(self, query: str, found: Sequence[Candidate]) -> list[float]:
        """Return how likely each passage that was found by words is meant."""
        (count,) = self.database.execute("SELECT count(*) FROM passages").fetchone()
        having = "SELECT count(*) FROM words WHERE words MATCH ?"
        words = [each for each in query_of(query).split(" OR ") if each]
        counts = [self.database.execute(having, (word,)).fetchone()[0] for word in words]
        return likely_by_words(_scores(found), counts, count)

    def by_meaning(self, path: Path | None, asked: list[float], count: int) -> tuple[Iterator[Row], Usual]:
        """Return what is near to a question, and how near passages are by themselves."""
        from wfc.runtime.calls.knowledge.remembered import nearest as nearest_entries
        from wfc.runtime.calls.knowledge.vector_index import nearest

        limit = count if self.wanted.that is None else _MOST_CANDIDATES
        found, usual = (
            nearest_entries(self.database, asked, limit)
            if path is None
            else nearest(self.database, self.knowledge, path, asked, limit)
        )
        return self._rows(found), usual

    def _rows(self, found: Iterable[tuple[int, float | None]]) -> Iterator[Row]:
        """Yield the rows of passages with their scores."""
        for number, score in found:
            row = self.database.execute(_BY_NUMBER, (number,)).fetchone()
            if row is not None:
                yield Row(*(*row, score))

    def that_count(self, rows: Iterator[Row], order: str, count: int) -> list[Candidate]:
        """Return the first of the passages that count."""
        return list(islice(self._counting(rows, order), count))

    def _counting(self, rows: Iterator[Row], order: str) -> Iterator[Candidate]:
        for rank, row in enumerate(rows, start=1):
            considered = Considered(row.passage(), self.knowledge.name, {order: rank})
            if self.counts(row, considered.passage):
                yield row, considered
            elif len(self.told) < _MOST_TOLD:
                considered.cut_by = "that"
                self.told.append(considered)

    def counts(self, row: Row, passage: Passage) -> object:
        that = self.wanted.that
        if that is None:
            return True
        about = typed(self.knowledge.about, passage.about)
        for name in self.names - self.knowledge.about.keys():
            setattr(about, name, None)
        around = _Around(row, self.database, bool(self.knowledge.parent))
        return that(SeenPassage.of(passage, about, around))


def found_in(
    knowledge: Knowledge,
    database: sqlite3.Connection,
    path: Path | None,
    query: str,
    asked: list[float] | None,
    wanted: WantedPassages,
    count: int,
    names: frozenset[str],
    told: list[Considered],
    helpers: Helpers,
) -> list[Candidate]:
    """Return the passages of an index that fit a question, the best first.

    Args:
        database: The index, in a transaction that reads.
        path: Where it is; ``None``: in memory, of what runs have written.
        asked: The question as numbers, where the collection is searched by meaning.
        count: How many at most.
        names: All that is declared to be said about texts, of all collections that are searched.
        told: Gets those that do not count.
        helpers: What asks models.
    """
    here = _Search(knowledge, database, wanted, names, told, helpers)
    by_words: list[Candidate] | None = None
    if not knowledge.has_words and not knowledge.has_vectors:
        asks = query.strip() or knowledge.index == "list"
        return here.that_count(here.by_writing(query, count), knowledge.index, count) if asks else []
    if knowledge.has_words:
        by_words = here.that_count(here.by_words(query, count), "words", count)
    if asked is None:
        return by_words or []
    near, usual = here.by_meaning(path, asked, count)
    by_meaning = here.that_count(near, "meaning", count)
    if by_words is None:
        return by_meaning
    likely = [here.likely_by_words(query, by_words), likely_by_meaning(_scores(by_meaning), usual)]
    return fused([by_words, by_meaning], beside_each_other(likely))


def _scores(found: Sequence[Candidate]) -> list[float]:
    return [row.score or 0.0 for row, _ in found if row is not None]


def fused(orders: Sequence[Sequence[Candidate]], weights: Sequence[Sequence[float]] = ()) -> list[Candidate]:
    """Return one order of several: by the sum of their reciprocal ranks, which become the scores.

    Args:
        weights: How much each place counts in each order, from 0 to 1; by itself all count alike.
    """
    found: dict[Any, Candidate] = {}
    scores: dict[Any, float] = {}
    weights = weights or [[1.0] * len(each) for each in orders]
    for candidates, counts in zip(orders, weights, strict=True):
        for rank, ((row, considered), weight) in enumerate(zip(candidates, counts, strict=True), start=1):
            key = (considered.collection, considered.passage.id)
            if key in found:
                found[key][1].ranks.update(considered.ranks)
            else:
                found[key] = (row, considered)
            scores[key] = scores.get(key, 0.0) + weight / (_RANK_CONSTANT + rank)
    for key, (_, considered) in found.items():
        considered.passage = considered.passage.model_copy(update={"score": scores[key]})
    return sorted(found.values(), key=by_score)


def by_score(candidate: Candidate) -> float:
    """Return a key that puts the best first."""
    return -(candidate[1].passage.score or 0.0)
