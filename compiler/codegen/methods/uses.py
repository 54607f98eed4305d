"""Paths that emissions and values mention."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wfc.compiler.codegen.literals.functions import Path
from wfc.compiler.model import Emission, Emit, EmitAll, EmitEach, Entry, Fail, Restart, Value

__all__ = ["mentioned_paths", "paths_of_entry", "state_fields"]


def state_fields(uses: Iterable[Path]) -> Iterator[str]:
    return (path[1] for path in uses if path[0] == "state" and len(path) > 1)


def paths_of_entry(entry: Entry) -> Iterator[Path]:
    if entry.when is not None:
        yield from entry.when.uses
    yield from mentioned_paths(entry.emission)


def mentioned_paths(part: Emission | Value) -> Iterator[Path]:
    """Yield every path that an emission or a value mentions."""
    match part:
        case Emit():
            for fill in part.fills:
                yield from mentioned_paths(fill.value)
        case EmitEach():
            yield from part.items.uses
            yield from mentioned_paths(part.emit)
        case EmitAll():
            for entry in part.entries:
                yield from mentioned_paths(entry)
        case Restart():
            for fill in part.fills:
                yield from mentioned_paths(fill.value)
        case Fail():
            yield from part.text.uses
        case Value():
            for spelled in (part.expression, part.template):
                yield from spelled.uses if spelled is not None else ()
            for inner in (*(part.items or ()), *(value for _, value in part.entries or ())):
                yield from mentioned_paths(inner)
