"""Which of the passages that were considered are given: not too many, good enough, none twice."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from sqlite3 import Connection
from typing import Any, Final, NamedTuple

from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.found import Candidate
from wfc.runtime.calls.knowledge.wanted import Considered, WantedPassages

__all__ = ["Opened", "choose"]


class Opened(NamedTuple):
    """An index in a transaction that reads.

    Args:
        path: Where it is; ``None``: in memory, of what runs have written.
    """

    knowledge: Knowledge
    path: Path | None
    database: Connection


def choose(
    found: Sequence[Candidate], wanted: WantedPassages, indexes: Mapping[str, Opened]
) -> list[Considered]:
    """Return the passages that are given; of the others it is noted which rule left them out.

    Args:
        found: The best first.
        indexes: By the names of their collections; those that others search have none.
    """
    given: list[Considered] = []
    likeness = None if wanted.unlike is None else _Likeness(found, indexes, wanted.unlike)
    covered: set[tuple[str, str, int, int]] = set()
    is_widened = bool(wanted.neighbours or wanted.parent)
    for row, each in found:
        collection = each.collection
        if len(given) >= wanted.top:
            each.cut_by = "top"
        elif wanted.min_score is not None and (each.passage.score or 0.0) < wanted.min_score:
            each.cut_by = "min_score"
        elif row is not None and is_widened and (collection, *row.key(wanted)) in covered:
            each.cut_by = "expand"  # it stands in what was added to a better one
        elif likeness is not None and likeness.is_like_one((row, each)):
            each.cut_by = "unlike"
        else:
            given.append(each)
            if row is not None and is_widened:
                covered.update((collection, *around) for around in row.around(wanted))
                each.passage = row.widened(indexes[collection].database, each.passage, wanted)
    return given


_WORD: Final = re.compile(r"\w+")


class _Said(NamedTuple):
    """What a passage is compared by.

    Args:
        runs: Its runs of three words.
        embedder: What has turned it into numbers; empty: nothing has.
        vector: Those numbers, of length one.
    """

    runs: frozenset[tuple[str, ...]]
    embedder: str
    vector: Any


class _Likeness:
    """Tells which passages are nearly the same as a better one.

    By meaning, if both are embedded by the same model, as the cosine of their vectors; else by their words: how many of
    the runs of three words they share.
    """

    def __init__(self, found: Sequence[Candidate], indexes: Mapping[str, Opened], unlike: float) -> None:
        self.unlike = unlike
        self.kept: list[_Said] = []
        self.vectors = {name: _vectors(found, index) for name, index in indexes.items()}
        self.embedders = {name: index.knowledge.embedder() for name, index in indexes.items()}

    def is_like_one(self, candidate: Candidate) -> bool:
        """Return whether a passage is like one that is kept; else keep it."""
        row, each = candidate
        words = _WORD.findall(each.passage.text.lower())
        runs = frozenset(zip(words, words[1:], words[2:], strict=False)) or frozenset({tuple(words)})
        vector = None if row is None else self.vectors[each.collection].get(row.id)
        said = _Said(runs, "" if vector is None else self.embedders[each.collection], vector)
        if any(_likeness(said, other) >= self.unlike for other in self.kept):
            return True
        self.kept.append(said)
        return False


def _likeness(one: _Said, other: _Said) -> float:
    if one.embedder and one.embedder == other.embedder and len(one.vector) == len(other.vector):
        return float(one.vector @ other.vector) + _ROUNDING
    return len(one.runs & other.runs) / len(one.runs | other.runs)


_ROUNDING: Final = 1e-5
"""What products of vectors of length one may lack of one."""


def _vectors(found: Sequence[Candidate], index: Opened) -> dict[int, Any]:
    """Return the vectors of an index's passages that were found, by their numbers."""
    if not index.knowledge.has_vectors:
        return {}
    numbers = [row.id for row, each in found if row is not None and each.collection == index.knowledge.name]
    if index.path is None:
        from wfc.runtime.calls.knowledge.remembered import vectors_of as of_entries

        return of_entries(index.database, numbers)
    from wfc.runtime.calls.knowledge.vector_index import vectors_of

    return vectors_of(index.database, index.knowledge, index.path, numbers)
