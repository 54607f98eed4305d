"""Loaders of one's own: a function yields documents, in whichever of the usual shapes."""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.foreign import told_of
from wfc.runtime.calls.python_functions import load_function
from wfc.runtime.calls.threads import in_thread
from wfc.runtime.errors import StepError, WorkflowError
from wfc.runtime.errors.raised import step_error

__all__ = ["Loaded", "load"]

MOST: Final = 200_000
"""How many documents a loader gives at most."""
MOST_BYTES: Final = 500_000_000
"""How much text a loader gives at most."""
_LONGEST: Final = 50_000_000
_LONGEST_SOURCE: Final = 1_000


@dataclass(slots=True)
class Loaded:
    """What a loader has given.

    Args:
        texts: The documents of each source, a line of JSON each.
        left_out: What is no document, by its place, with the reason.
        failed: Why it ended before its end; empty: it did not.
    """

    texts: dict[str, list[bytes]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    failed: str = ""
    size: int = 0
    count: int = 0


async def load(knowledge: Knowledge) -> Loaded:
    """Return what the loader of a collection gives.

    It is a function without arguments that returns or yields documents, at once or as they come: LlamaIndex's or
    LangChain's, maps with ``text`` (and ``source``, ``about``), or texts. What it raises ends it, and is told.

    Raises:
        SettingsError: There is no such module or function, or it may not be loaded.
    """
    function = load_function(knowledge.loader, knowledge.beside)
    loaded = Loaded()
    try:
        given = await in_thread(_listed, function, knowledge, loaded)
        if inspect.isawaitable(given):
            given = await given
        if isinstance(given, AsyncIterable):
            async for each in given:
                _take(each, knowledge, loaded)
        elif given is not None:
            await in_thread(_take_all, given, knowledge, loaded)
    except WorkflowError as error:
        loaded.failed = str(error)
    except Exception as error:
        loaded.failed = str(step_error(error))
    return loaded


def _listed(function: Any, knowledge: Knowledge, loaded: Loaded) -> Any:
    """Take what a plain function gives; return what is to be awaited."""
    given = function()
    if inspect.isawaitable(given) or isinstance(given, AsyncIterable):
        return given
    _take_all(given, knowledge, loaded)
    return None


def _take_all(given: Any, knowledge: Knowledge, loaded: Loaded) -> None:
    if not isinstance(given, Iterable) or isinstance(given, str | bytes | dict):
        raise StepError("knowledge.loader", f"it gave `{type(given).__name__}` where documents are wanted")
    for each in given:
        _take(each, knowledge, loaded)


def _take(given: Any, knowledge: Knowledge, loaded: Loaded) -> None:
    loaded.count += 1
    if loaded.count > MOST:
        raise StepError("knowledge.loader", f"it gives more than {MOST:,} documents")
    told = told_of(given)
    if isinstance(told, str):
        loaded.left_out[f"{knowledge.loader} (document {loaded.count})"] = told
        return
    source = (told.source or knowledge.loader)[:_LONGEST_SOURCE]
    if len(told.text) > _LONGEST:
        loaded.left_out[source] = (
            f"document {loaded.count} has more than {_LONGEST // 1_000_000} million characters"
        )
        return
    line = json.dumps({"text": told.text, "about": told.about}).encode()
    loaded.size += len(line)
    if loaded.size > MOST_BYTES:
        raise StepError("knowledge.loader", f"it gives more than {MOST_BYTES // 1_000_000} MB")
    loaded.texts.setdefault(source, []).append(line)
