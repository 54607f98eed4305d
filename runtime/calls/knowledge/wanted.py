"""What is wanted of a search beside its words, and what becomes of each passage that is considered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import PrivateAttr

from wfc.runtime.calls.knowledge.judging import Judge
from wfc.runtime.records import Passage

__all__ = ["Considered", "SeenPassage", "WantedPassages"]


_LONGEST_TOLD = 300
"""How much of a passage watchers are told."""


class Around(Protocol):
    """What stands around a passage; it is looked up when a condition asks."""

    def beside(self, step: int) -> Passage | None:
        """Return the passage so many places after it in the same text, or before it; ``None``: there is none."""

    def whole(self) -> Passage | None:
        """Return the larger part that it is cut from; ``None``: its collection has no such parts."""


class SeenPassage(Passage):
    """A passage as the condition of a search sees it."""

    _typed: Any = PrivateAttr(None)
    _around: Around | None = PrivateAttr(None)

    @property
    def previous(self) -> Passage | None:
        """The one before it in the same text."""
        return None if self._around is None else self._around.beside(-1)

    @property
    def next(self) -> Passage | None:
        """The one after it in the same text."""
        return None if self._around is None else self._around.beside(1)

    @property
    def parent(self) -> Passage | None:
        """The larger part that it is cut from."""
        return None if self._around is None else self._around.whole()

    def __eq__(self, other: object) -> bool:
        """Return whether it is the same passage, whatever else a condition sees of it."""
        if not isinstance(other, Passage):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in Passage.model_fields)

    __hash__ = None  # type: ignore[assignment]

    @property
    def typed(self) -> Any:
        """What is said about it, as values of the types that its collection declares."""
        return self._typed

    @classmethod
    def of(cls, passage: Passage, typed: Any, around: Around | None = None) -> SeenPassage:
        """Return a passage together with what is said about it, and what stands around it."""
        seen = cls.model_construct(**{name: getattr(passage, name) for name in Passage.model_fields})
        seen._typed, seen._around = typed, around
        return seen


@dataclass(frozen=True, slots=True)
class WantedPassages:
    """What is wanted of a search.

    Args:
        top: How many passages at most.
        that: Which passages count.
        fetch: How many are taken into account for the order; ``None``: four times as many as are wanted.
        min_score: What a passage's score is at least.
        unlike: How like a better one a passage may be, from 0 to 1: by the cosine of their vectors, or by shared words.
        rerank: What puts them in order.
        neighbours: How many passages before and after each are added to it.
        parent: Whether each is replaced by the larger part that it is cut from.
    """

    top: int = 5
    that: Callable[[SeenPassage], object] | None = None
    fetch: int | None = None
    min_score: float | None = None
    unlike: float | None = None
    rerank: Judge | None = None
    neighbours: int = 0
    parent: bool = False

    def count(self, *, is_merged: bool) -> int:
        """Return how many passages are taken into account.

        Args:
            is_merged: Whether several orders become one.
        """
        if self.fetch is not None:
            return max(self.fetch, self.top)
        is_plain = self.rerank is None and self.unlike is None and not self.neighbours and not self.parent
        return self.top if is_plain and not is_merged else 4 * self.top


@dataclass(slots=True)
class Considered:
    """A passage that was considered, and what became of it.

    Args:
        collection: The name of its collection.
        ranks: Its place in each order, from 1, by ``words``, ``meaning``, ``retriever``, or by the name of the
            index that has but one.
        judged: How well it fits by what reranks.
        cut_by: The rule that it was left out by; empty: it is among those that were given.
    """

    passage: Passage
    collection: str
    ranks: dict[str, int]
    judged: float | None = None
    cut_by: str = ""

    def told(self) -> dict[str, Any]:
        """Return what watchers are told of it."""
        passage = self.passage
        return {
            "collection": self.collection,
            "id": passage.id,
            "source": passage.source,
            "score": passage.score,
            "text": passage.text[:_LONGEST_TOLD],
            "ranks": dict(self.ranks),
            "judged": self.judged,
            "cut_by": self.cut_by,
        }
