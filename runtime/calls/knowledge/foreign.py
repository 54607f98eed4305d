"""Retrievers that others wrote, told by their methods: LlamaIndex's, LangChain's, and plain functions."""

from __future__ import annotations

import hashlib
import inspect
import json
import math
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.python_functions import load_attribute
from wfc.runtime.calls.threads import in_thread
from wfc.runtime.errors import StepError, WorkflowError
from wfc.runtime.errors.raised import step_error
from wfc.runtime.records import Passage

__all__ = ["Told", "retrieve", "told_of"]

_LONGEST: Final = 100_000
_MOST: Final = 1_000
_SOURCES: Final = ("source", "file_path", "file_name", "url", "title")
"""What the metadata of others call the place of a text, the likeliest first."""


async def retrieve(knowledge: Knowledge, query: str, top: int) -> list[Passage]:
    """Return what a retriever finds.

    It is an object with `aretrieve` or `retrieve` (LlamaIndex) or with `ainvoke` or `invoke` (LangChain), or a function
    that takes the question and how many passages are wanted.

    Raises:
        StepError: ``python.<Class>``: It raised that. ``knowledge.retriever``: It gives what are no passages.
        SettingsError: There is no such module or object, or it may not be loaded.
    """
    retriever = load_attribute(knowledge.python, knowledge.beside)
    try:
        found = await _found(retriever, query, top)
        listed = list(found)[:_MOST] if isinstance(found, Iterable) else None
    except WorkflowError:
        raise
    except Exception as error:
        raise step_error(error) from error
    if listed is None:
        raise _unfit(knowledge, found)
    return [_passage(knowledge, each) for each in listed]


async def _found(retriever: Any, query: str, top: int) -> Any:
    for name in ("aretrieve", "ainvoke"):
        if callable(method := getattr(retriever, name, None)):
            return await method(query)
    for name in ("retrieve", "invoke"):
        if callable(method := getattr(retriever, name, None)):
            return await in_thread(method, query)
    if inspect.iscoroutinefunction(retriever):
        return await retriever(query, top)
    found = await in_thread(retriever, query, top)
    return await found if inspect.isawaitable(found) else found


class Told(NamedTuple):
    """What an object of others says, whose shape is one of those that are known.

    Args:
        source: Where the text stands; empty: that is not said.
        id: What tells it from others; empty: that is not said.
    """

    text: str
    source: str
    about: dict[str, str]
    score: float | None
    id: str


def told_of(found: Any) -> Told | str:
    """Return what a node with its score says, a document, a map or a text; or why it is none of these."""
    if isinstance(found, str):
        found = {"text": found}
    if isinstance(found, dict):
        about, text = found.get("about", {}), found.get("text")
        source, score, own_id = found.get("source"), found.get("score"), found.get("id")
    else:
        node = getattr(found, "node", found)
        about = getattr(node, "metadata", {})
        text = node.get_content() if hasattr(node, "get_content") else getattr(node, "page_content", None)
        source, score = getattr(node, "ref_doc_id", None), getattr(found, "score", None)
        own_id = getattr(node, "node_id", None) or getattr(node, "id", None)
    if not isinstance(text, str):
        return f"it is `{type(found).__name__}`, and has no text" if text is None else "its text is no text"
    if not isinstance(about, dict):
        return f"what is said about it is `{type(about).__name__}`, and no map"
    told = {str(name)[:100]: _text(value)[:500] for name, value in list(about.items())[:50]}
    named = next((told[name] for name in _SOURCES if told.get(name)), None)
    value = float(score) if isinstance(score, int | float) and math.isfinite(score) else None
    return Told(text, named or str(source or ""), told, value, str(own_id or ""))


def _passage(knowledge: Knowledge, found: Any) -> Passage:
    """Return a passage of ours."""
    if isinstance(found, Passage):
        return found
    told = told_of(found)
    if isinstance(told, str):
        raise _unfit(knowledge, found)
    digest = hashlib.blake2b(told.text.encode("utf-8", "replace"), digest_size=8)
    return Passage(
        text=told.text[:_LONGEST],
        source=told.source or knowledge.name,
        score=told.score,
        id=told.id or digest.hexdigest(),
        about=told.about,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _unfit(knowledge: Knowledge, found: object) -> StepError:
    return StepError(
        "knowledge.retriever",
        f"`{knowledge.python}` gave `{type(found).__name__}` where a passage is wanted: nodes with their scores, "
        "documents, maps with `text`, or texts",
    )
