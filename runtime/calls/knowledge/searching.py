"""What of collections fits a question."""

from __future__ import annotations

import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Final, NamedTuple

from wfc.runtime.calls.knowledge.choosing import Opened, choose
from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.found import Candidate, found_in, fused
from wfc.runtime.calls.knowledge.helpers import Helpers, alone
from wfc.runtime.calls.knowledge.index import is_made, is_searched_so, opened, update
from wfc.runtime.calls.knowledge.remembered import opened as opened_memory
from wfc.runtime.calls.knowledge.wanted import Considered, SeenPassage, WantedPassages
from wfc.runtime.calls.settings import settings_near
from wfc.runtime.errors import StepError
from wfc.runtime.records import Passage
from wfc.runtime.tracing import span_inside

__all__ = ["consider", "index_of", "search"]

_SHORT_WAIT: Final = 2.0
"""How many seconds a search waits for another process that brings the index up to date, before it takes it as it is."""
_LONG_WAIT: Final = 600.0
"""How many it waits where there is none yet."""

_SECONDS: Final = 600.0
"""After how many seconds a search looks again whether the files have changed."""
_TIMES: Final = 20
"""How many times as long as such a look it waits at least, so that looks take a twentieth of the time at most."""

_TRIES: Final = 3


class _Looked(NamedTuple):
    """An index that this process has brought up to date.

    Args:
        again: When a search does so again, by the clock that only goes on.
    """

    path: Path
    again: float


_UP_TO_DATE: Final[dict[Hashable, _Looked]] = {}
"""The indexes that this process has brought up to date, by what their collections say."""

_UPDATING: Final[defaultdict[Hashable, threading.Lock]] = defaultdict(threading.Lock)


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
    top: int = 5,
    that: Callable[[SeenPassage], object] | None = None,
    neighbours: int = 0,
    *,
    wanted: WantedPassages | None = None,
    helpers: Helpers | None = None,
) -> list[Passage]:
    """Return the passages that fit best, the best first.

    The index of each collection is brought up to date by the first search of a process, and again by the first one ten
    minutes later. What other processes have indexed meanwhile, such as ``wfc index``, is found at once.
    What several orders give (collections, or words and meaning) is merged by reciprocal ranks, so that ``score`` is
    then no longer how well the words fit.

    Args:
        query: Words; nothing in it has a meaning of its own.
        top: How many at most.
        that: Which passages count.
        neighbours: How many passages before and after each are added to it.
        wanted: All of that, and more.
        helpers: What embeds and judges; ``None``: nothing of a run is at hand.

    Raises:
        StepError: ``knowledge.empty``, ``knowledge.index``, ``knowledge.too_many_files``, ``knowledge.embedding``,
            ``knowledge.rerank``, ``knowledge.retriever``, and what models raise.
        SettingsError: The settings cannot be read.
    """
    wanted = wanted or WantedPassages(top, that, neighbours=neighbours)
    return [each.passage for each in consider(collections, query, wanted, helpers) if not each.cut_by]


def consider(
    collections: Sequence[Knowledge], query: str, wanted: WantedPassages, helpers: Helpers | None = None
) -> list[Considered]:
    """Return all passages that were considered: those that are given, in their order, then those left out.

    Raises:
        StepError: As `search`.
    """
    helpers = helpers or alone()
    told: list[Considered] = []
    with ExitStack() as stack:
        indexes: dict[str, Opened] = {}
        orders = [
            _found(each, query, wanted, helpers, indexes, told, stack, collections) for each in collections
        ]
        found = orders[0] if len(orders) == 1 else fused(orders)
        if wanted.rerank is not None:
            with span_inside("own", "rerank", lambda: {"passages": len(found)}):
                found = _judged(found, query, wanted, helpers)
        with span_inside("own", "choose", lambda: {"passages": len(found), "top": wanted.top}):
            given = choose(found, wanted, indexes)
    left_out = [each for _, each in found if each.cut_by]
    return [*given, *left_out, *told]


def _found(
    knowledge: Knowledge,
    query: str,
    wanted: WantedPassages,
    helpers: Helpers,
    indexes: dict[str, Opened],
    told: list[Considered],
    stack: ExitStack,
    collections: Sequence[Knowledge],
) -> list[Candidate]:
    """Return what one collection has."""
    is_merged = len(collections) > 1 or knowledge.index == "hybrid"
    count = wanted.count(is_merged=is_merged)
    if knowledge.python:
        with _stage("find", knowledge):
            passages = helpers.found_by(knowledge, query, count)
        numbered = enumerate(passages, start=1)
        found: list[Candidate] = [
            (None, Considered(each, knowledge.name, {"retriever": rank})) for rank, each in numbered
        ]
        return [each for each in found if wanted.that is None or _counts(each[1], wanted, told)][:count]
    path = None if knowledge.kept_as else _current_index(knowledge, helpers)
    asked = None
    if knowledge.has_vectors and query.strip():
        with _stage("embed", knowledge):
            (asked,) = helpers.embed(knowledge, [query], is_query=True)
    for _ in range(_TRIES):
        index = opened_memory(knowledge, helpers) if path is None else opened(path)
        database = stack.enter_context(index)
        database.execute("BEGIN")  # all that follows sees the index at one moment
        if path is None or is_searched_so(knowledge, database):
            break
        _UP_TO_DATE.pop(_said(knowledge), None)  # another version of the spec has made it anew
        path = _current_index(knowledge, helpers)
    else:
        raise StepError(
            "knowledge.index",
            f"the index {path} is made by another version of `{knowledge.name}` again and again",
        )
    indexes[knowledge.name] = Opened(knowledge, path, database)
    names = frozenset(name for each in collections for name in each.about)
    with _stage("find", knowledge):
        return found_in(knowledge, database, path, query, asked, wanted, count, names, told, helpers)


def _stage(name: str, knowledge: Knowledge) -> AbstractContextManager[object]:
    """Return what shows a stage of a search of a collection as a span."""
    return span_inside("own", name, lambda: {"collection": knowledge.name, "index": knowledge.index})


def _counts(considered: Considered, wanted: WantedPassages, told: list[Considered]) -> bool:
    assert wanted.that is not None
    if wanted.that(SeenPassage.of(considered.passage, None)):
        return True
    considered.cut_by = "that"
    told.append(considered)
    return False


def _judged(found: list[Candidate], query: str, wanted: WantedPassages, helpers: Helpers) -> list[Candidate]:
    """Return the passages in the order in which something else puts them, with its scores."""
    assert wanted.rerank is not None
    scores = helpers.judge(wanted.rerank, query, [each.passage.text for _, each in found])
    for (_, considered), score in zip(found, scores, strict=True):
        considered.judged = score
        considered.passage = considered.passage.model_copy(update={"score": score})
    return sorted(found, key=lambda candidate: -(candidate[1].judged or 0.0))


def _said(knowledge: Knowledge) -> Hashable:
    """Return what tells a collection from others whose index is another, or is made otherwise."""
    return os.getcwd(), str(knowledge.beside), knowledge.cut(), knowledge.made_of()


def _current_index(knowledge: Knowledge, helpers: Helpers) -> Path:
    """Return a collection's index, which is brought up to date if this process has not done so lately."""
    said = _said(knowledge)
    looked = _UP_TO_DATE.get(said)
    path = index_of(knowledge) if looked is None else looked.path
    if looked is None or not path.exists():
        with _UPDATING[path]:
            if said not in _UP_TO_DATE or not path.exists():
                _bring_up_to_date(knowledge, path, said, helpers)
    elif looked.again <= time.monotonic() and _UPDATING[path].acquire(blocking=False):
        try:  # whoever searches meanwhile has the index as it is
            _look_again(knowledge, path, said, helpers)
        finally:
            _UPDATING[path].release()
    return path


def _bring_up_to_date(knowledge: Knowledge, path: Path, said: Hashable, helpers: Helpers) -> None:
    is_there = (knowledge.has_vectors or knowledge.is_written) and is_made(knowledge, path)
    begun = time.monotonic()
    try:
        with _stage("index", knowledge):
            update(knowledge, path, helpers=helpers, wait=_SHORT_WAIT if is_there else _LONG_WAIT)
    except StepError as error:
        if not is_there or "locked" not in error.message:
            raise
        return  # another process is at it, which may take long
    _note_look(path, said, begun)


def _note_look(path: Path, said: Hashable, begun: float) -> None:
    """Note that an index is up to date, by a look at its files that began at a moment and ends now."""
    ended = time.monotonic()
    _UP_TO_DATE[said] = _Looked(path, ended + max(_SECONDS, _TIMES * (ended - begun)))


def _look_again(knowledge: Knowledge, path: Path, said: Hashable, helpers: Helpers) -> None:
    """Bring an index up to date that has served already; if that fails, it goes on to serve as it is."""
    begun = time.monotonic()
    try:
        with _stage("index", knowledge):
            update(knowledge, path, helpers=helpers, wait=_SHORT_WAIT)
    except StepError as error:
        helpers.report(f"`{knowledge.name}` is searched as it was: {error}")
    _note_look(path, said, begun)
