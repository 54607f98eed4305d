"""A step's searches of collections, and what it remembers in those that runs write."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from wfc.runtime.calls.bindings import PythonTool
from wfc.runtime.calls.llm import Model
from wfc.runtime.calls.threads import in_thread
from wfc.runtime.core.ticks import SearchMade
from wfc.runtime.driver.context.limited_calls import LimitedCalls
from wfc.runtime.events.internal import Searched
from wfc.runtime.tracing import span_inside

if TYPE_CHECKING:
    from wfc.runtime.calls.knowledge.definition import Knowledge
    from wfc.runtime.calls.knowledge.wanted import Considered, SeenPassage
    from wfc.runtime.calls.memories import KeptMemories
    from wfc.runtime.records import Passage  # whose class pydantic takes a while to build

__all__ = ["Searches"]

_LONGEST_QUERY_SHOWN = 2_000
_MOST_KEPT = 100
"""Of how many passages a stored run keeps what became of them."""


class Searches(LimitedCalls):
    """A context's calls of collections."""

    __slots__ = ()

    async def retrieve(
        self,
        knowledge: Knowledge | Sequence[Knowledge],
        query: str,
        *,
        top: int = 5,
        that: Callable[[SeenPassage], object] | None = None,
        fetch: int | None = None,
        min_score: float | None = None,
        unlike: float | None = None,
        rerank: Model | PythonTool[list[float]] | None = None,
        neighbours: int = 0,
        parent: bool = False,
    ) -> list[Passage]:
        """Search collections of texts; return the passages that fit best, the best first.

        Args:
            top: How many at most.
            that: Which passages count.
            fetch: How many are taken into account for the order; by itself four times as many as are wanted.
            min_score: What a passage's score is at least.
            unlike: How like a better one a passage may be, from 0 to 1: by the cosine of their vectors, or by words.
            rerank: A model, or a function, that puts them in order.
            neighbours: How many passages before and after each are added to it.
            parent: Whether each is replaced by the larger part that it is cut from.

        Raises:
            StepError: The search failed; see ``search``.
        """
        from wfc.runtime.calls.knowledge.definition import Knowledge
        from wfc.runtime.calls.knowledge.helpers import in_loop
        from wfc.runtime.calls.knowledge.searching import consider
        from wfc.runtime.calls.knowledge.wanted import WantedPassages

        self._inside("retrieve").called = True
        collections = [knowledge] if isinstance(knowledge, Knowledge) else list(knowledge)
        wanted = WantedPassages(top, that, fetch, min_score, unlike, rerank, neighbours, parent)
        with span_inside("own", "retrieve", lambda: {"collections": [each.name for each in collections]}):
            found = await in_thread(consider, collections, query, wanted, in_loop(self))
        self._tell_of_search(query, collections, found)
        return [each.passage for each in found if not each.cut_by]

    async def remember(
        self, knowledge: Knowledge, text: str, *, about: Mapping[str, object] = MappingProxyType({})
    ) -> str:
        """Keep a text under the key of a collection; return the id that its passage has.

        In whatever attempt a step run remembers the same text, it is kept once.

        Args:
            knowledge: A collection that runs write, for one key: ``COLLECTION.of(key)``.
            about: What is said about it, of the types that the collection declares.

        Raises:
            StepError: ``knowledge.text``, ``knowledge.key``, ``knowledge.embedding``, and what models raise.
        """
        from wfc.runtime.calls.knowledge.embedding import embed
        from wfc.runtime.calls.knowledge.remembered import entry_of, remember, shelf_of

        self._inside("remember").called = True
        shelf_of(knowledge)  # refused before a model is paid
        entry = entry_of(knowledge, text, about, self.idempotency_key)
        vector = None
        if knowledge.model is not None:
            (vector,) = await embed(self, knowledge.embedding(), [text], is_query=False)
        return await remember(self.memories(), knowledge, entry, vector)

    async def forget(self, knowledge: Knowledge, passage: str | None = None) -> int:
        """Drop what is kept under the key of a collection: one passage by its id, or all; return how many there were.

        Raises:
            StepError: ``knowledge.key``.
        """
        from wfc.runtime.calls.knowledge.remembered import forget

        self._inside("forget").called = True
        return await forget(self.memories(), knowledge, passage)

    def _tell_of_search(
        self, query: str, collections: Sequence[Knowledge], found: Sequence[Considered]
    ) -> None:
        """Record, and tell the watchers, what a search has considered, and what became of it."""
        run, step_run = self._started("retrieve"), self._inside("retrieve")
        if run.port is None and not run.execution.observed:
            return
        told: dict[str, Any] = {
            "query": query[:_LONGEST_QUERY_SHOWN],
            "collections": [each.name for each in collections],
            "considered": [each.told() for each in found],
        }
        if run.port is not None:
            kept = {**told, "considered": [_printable(each) for each in told["considered"][:_MOST_KEPT]]}
            run.take(SearchMade(step_run.number, {**kept, "query": _whole(told["query"])}))
        if run.execution.observed:
            head: dict[str, Any] = {"step_name": step_run.step.name, "worker_id": str(step_run.number)}
            run.watchers.note(Searched(**head, attempt=step_run.attempt, **told))

    def memories(self) -> KeptMemories:
        """Return the place where this run, and those after it, keep what they remember."""
        return self._started("memories").engine.memories


def _printable(told: dict[str, Any]) -> dict[str, Any]:
    """Return what is told of a passage without what a store cannot keep."""
    return {name: _storable(value) for name, value in told.items()}


def _storable(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return _whole(value) if isinstance(value, str) else value


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
