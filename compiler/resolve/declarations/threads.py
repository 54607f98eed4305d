"""Talks that are kept, under `threads`, and how steps use them."""

from __future__ import annotations

from collections.abc import Mapping

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Expression, Scope
from wfc.compiler.model import Thread, ThreadUse
from wfc.compiler.resolve.declarations.messages import read_key
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.durations import duration
from wfc.compiler.resolve.values.reader import ValueReader
from wfc.compiler.resolve.values.scopes import inputs, types_of

__all__ = ["declare_threads", "resolve_thread"]


def declare_threads(declared: Declarations) -> None:
    """Declare the threads under `threads`; models have been declared before."""
    for name, content, place in declared.new_entries("threads", declared.threads):
        if isinstance(content, Mapping):
            declared.threads.nodes[name] = thread(name, content, place, declared)
        else:
            declared.threads.broken.add(name)


def thread(name: str, data: Data, place: Place, declared: Declarations) -> Thread:
    keep = data.get("keep")
    kept: Data = keep if isinstance(keep, Mapping) else {}
    messages, tokens, model = kept.get("messages"), kept.get("tokens"), kept.get("summarize")
    summarize = None
    if isinstance(model, str):
        summarize = declared.models.find(model, place / "keep" / "summarize", declared.report)
    seconds = duration(data["for"], place / "for", declared.report) if "for" in data else None
    return Thread(
        name=name,
        key=key_of(data, place, declared),
        messages=messages if isinstance(messages, int) else None,
        tokens=tokens if isinstance(tokens, int) else None,
        summarize=summarize,
        seconds=seconds,
        address=place.address,
    )


def key_of(data: Data, place: Place, declared: Declarations) -> Expression | None:
    """Return what tells the talks of a thread from each other."""
    if "key" not in data:
        return None
    scope = Scope(names={"inputs": inputs(declared)}, classes=declared.classes, types=types_of(declared))
    return read_key(data["key"], place / "key", "key", scope, ValueReader(declared.report))


def resolve_thread(
    data: object, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> ThreadUse | None:
    """Return a thread as a step uses it; ``None`` if it is not known."""
    given: Data = data if isinstance(data, Mapping) else {"use": data}
    at = place / "use" if isinstance(data, Mapping) else place
    name = given.get("use")
    found = declared.threads.find(name, at, declared.report) if isinstance(name, str) else None
    say = reader.text(given["say"], place / "say", scope) if "say" in given else None
    return None if found is None else ThreadUse(found, say, given.get("read_only") is True)
