"""What an index needs of the world outside of its files: models that embed and judge.

Indexes are brought up to date and searched in threads, and models are called in event loops; what lies between is here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from wfc.runtime.calls.bindings import CallLimit
from wfc.runtime.calls.budget import cost_of_call
from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.judging import Judge
from wfc.runtime.calls.memories import KeptMemories, MemoryMemories
from wfc.runtime.errors import StepError

if TYPE_CHECKING:
    from wfc.runtime.calls.knowledge.loaders import Loaded

__all__ = ["Helpers", "Paid", "Planned", "Told", "alone", "in_loop"]

T = TypeVar("T")

Told = Callable[[str, int, int], None]
"""Is called with what is counted (``files``, ``texts embedded``, ``calls made``), the number done and that of all."""

_LOOK: Final = 1.0
"""After how many seconds a thread looks again whether the loop that works for it is still there."""


class Planned(NamedTuple):
    """What an update of an index is about to ask a model for.

    Args:
        texts: How many texts it embeds; 0: it calls a model that writes.
        calls: How many calls that takes.
        shown: How many bytes of text the model is shown, about.
    """

    texts: int
    calls: int
    shown: int


def _whatever(_planned: Planned) -> None:
    """Allow it."""


@dataclass(frozen=True, slots=True)
class Helpers:
    """Calls of models from a thread.

    Args:
        host: The step that calls; its run pays.
        wait_for: Runs what is to be awaited, and returns what comes of it.
        allow: Is told what an update is about to ask for, before its first call; what it raises ends the update.
    """

    host: Any
    wait_for: Callable[[Coroutine[Any, Any, Any]], Any]
    allow: Callable[[Planned], None] = _whatever

    def embed(self, knowledge: Knowledge, texts: list[str], *, is_query: bool = False) -> list[list[float]]:
        """Return a list of numbers for each text.

        Raises:
            StepError: ``knowledge.embedding``, or what the model's service raises.
        """
        from wfc.runtime.calls.knowledge.embedding import embed

        model = knowledge.embedding()
        found: list[list[float]] = self.wait_for(embed(self.host, model, texts, is_query=is_query))
        return found

    def report(self, text: str) -> None:
        """Tell the run's watchers."""

        async def report() -> None:
            self.host.report(text)

        self.wait_for(report())

    def memories(self) -> KeptMemories:
        """Return the place where runs keep what they remember."""
        found: KeptMemories = self.host.memories()
        return found

    def judge(self, judge: Judge, query: str, texts: Sequence[str]) -> list[float]:
        """Return how well each text fits a question, from 0 to 1 if a model says it.

        Raises:
            StepError: ``knowledge.rerank``, or what the model's service raises.
        """
        from wfc.runtime.calls.knowledge.judging import judge as ask

        found: list[float] = self.wait_for(ask(self.host, judge, query, list(texts)))
        return found

    def keywords(self, knowledge: Knowledge, batches: list[list[str]]) -> list[list[list[str]]]:
        """Return the keywords of each text of several batches, each of which is one call.

        Raises:
            StepError: ``knowledge.written``, or what the model's service raises.
        """
        from wfc.runtime.calls.knowledge.writing import keywords

        model: Any = knowledge.model
        found: list[list[list[str]]] = self.wait_for(
            _all(*(keywords(self.host, model, batch) for batch in batches))
        )
        return found

    def summaries(self, knowledge: Knowledge, groups: list[list[str]]) -> list[str]:
        """Return what each of several groups of texts says, in a few sentences.

        Raises:
            StepError: What the model's service raises.
        """
        from wfc.runtime.calls.knowledge.writing import summary

        model: Any = knowledge.model
        found: list[str] = self.wait_for(_all(*(summary(self.host, model, texts) for texts in groups)))
        return found

    def fetch(self, url: str) -> tuple[str, bytes]:
        """Return what kind of thing stands at an address that a spec names, and its bytes.

        Raises:
            StepError: ``http…``, ``timeout``, ``connection``.
        """
        from wfc.runtime.calls.knowledge.fetching import fetch

        found: tuple[str, bytes] = self.wait_for(fetch(self.host, url))
        return found

    def loaded(self, knowledge: Knowledge) -> Loaded:
        """Return what a loader gives that is not ours."""
        from wfc.runtime.calls.knowledge.loaders import load

        found: Loaded = self.wait_for(load(knowledge))
        return found

    def found_by(self, knowledge: Knowledge, query: str, top: int) -> list[Any]:
        """Return what a retriever finds that is not ours."""
        from wfc.runtime.calls.knowledge.foreign import retrieve

        found: list[Any] = self.wait_for(retrieve(knowledge, query, top))
        return found


async def _all(*works: Coroutine[Any, Any, T]) -> list[T]:
    """Return what several come to, which go on side by side; of the first that fails the error is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each) for each in works]
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return [each.result() for each in tasks]


def in_loop(host: Any) -> Helpers:
    """Return what calls models in the loop that is running now, on behalf of one of its steps.

    What it calls raises a StepError, ``knowledge.index``, if the loop ends meanwhile.
    """
    loop = asyncio.get_running_loop()

    def wait_for(work: Coroutine[Any, Any, T]) -> T:
        try:
            future = asyncio.run_coroutine_threadsafe(work, loop)
        except RuntimeError:
            work.close()
            raise StepError("knowledge.index", "the run has ended meanwhile") from None
        while True:
            try:
                return future.result(_LOOK)
            except TimeoutError:
                if future.done():
                    raise  # the work's own
                if loop.is_closed():
                    raise StepError("knowledge.index", "the run has ended meanwhile") from None
            except CancelledError:
                raise StepError("knowledge.index", "the run has ended meanwhile") from None

    return Helpers(host, wait_for)


@dataclass(slots=True)
class Paid:
    """What calls have cost that no run makes.

    Args:
        cost_usd: In US dollars, as far as prices are known.
        unpriced: Of how many calls nobody knows the price.
    """

    calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0


def alone(paid: Paid | None = None) -> Helpers:
    """Return what calls models outside of any run.

    Args:
        paid: Counts what they cost.
    """
    return Helpers(_Nobody(paid or Paid()), asyncio.run)


class _Nobody:
    """What calls belong to that no run makes: nothing is limited."""

    def __init__(self, paid: Paid) -> None:
        self.paid = paid

    def unmet(self, _result: object) -> Sequence[str]:
        return ()

    def memories(self) -> KeptMemories:
        return MemoryMemories()

    def choose_model(self, _count: int) -> int:
        return 0

    def in_turn(self, _limit: CallLimit | None, _url: str | None = None) -> AbstractAsyncContextManager[None]:
        return _at_once()

    def afford(self, _model: str, *, own_server: bool = False) -> None:
        pass

    def spent(
        self,
        model: str,
        tokens_in: int,
        tokens_out: int,
        *,
        price: Callable[[], float | None] | None = None,
        **_more: object,
    ) -> None:
        cost = cost_of_call(model, tokens_in, tokens_out, Path.cwd(), price)
        self.paid.calls += 1
        self.paid.tokens += tokens_in + tokens_out
        self.paid.cost_usd += cost or 0.0
        self.paid.unpriced += cost is None

    def report(self, text: str) -> None:
        pass

    def write_event_to_stream(self, ev: object) -> None:
        pass

    def state_now(self) -> None:
        return None


@asynccontextmanager
async def _at_once() -> AsyncIterator[None]:
    yield
