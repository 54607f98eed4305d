"""Declarations that may have each other's type, where two values seem to stand at each other's place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from wfc.compiler.diagnostics import Address
from wfc.compiler.recovery.suspicion import Data, at, with_value

__all__ = ["are_named_alike", "declared_at", "exchanged_types", "in_words", "source_of"]

MENTION: Final = re.compile(r"(?:\s*\$\{\{)?\s*(config|event|inputs|state)\.(\w+)\s*(?:\}\}\s*)?")
"""A value that is a field of something that is declared in the spec."""


def exchanged_types(data: Data, values: tuple[Address, ...]) -> Iterator[tuple[str, Data]]:
    """Generate the declarations behind two values that may have each other's type: where the values come from, and
    what takes them. Each in words, with the data where they are exchanged.
    """
    for found in (
        [source_of(data, each) for each in values],
        [declared_at(data, each) for each in values],
    ):
        one, other = found
        if one is None or other is None or one == other or one[:-1] != other[:-1]:
            continue
        owner, fields = one[:-1], at(data, one[:-1])
        changed = {**fields, one[-1]: fields[other[-1]], other[-1]: fields[one[-1]]}
        words = f"`{one[-1]}` and `{other[-1]}` of {in_words(owner)}"
        yield words, with_value(data, owner, changed)


def are_named_alike(data: Data, values: tuple[Address, ...]) -> bool:
    """Return whether each of some values is a field with the name of its key: so they stand where they belong."""
    mentions = ((each[-1], at(data, each)) for each in values)
    return all(
        isinstance(text, str) and (found := MENTION.fullmatch(text)) is not None and found[2] == key
        for key, text in mentions
    )


def source_of(data: Data, address: Address) -> Address | None:
    """Return where the field is declared of which a value consists; ``None`` if it is not in this spec."""
    text = at(data, address)
    found = MENTION.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    event = {"event": at(data, (*address[:2], "accepts")), "inputs": data.get("start")}.get(found[1])
    owner: Address = ("events", event) if isinstance(event, str) else (found[1],)
    return declared(data, owner, found[2])


def declared_at(data: Data, address: Address) -> Address | None:
    """Return where the field is declared that takes a value under `with`; ``None`` if it is not in this spec."""
    beside: Any = at(data, address[:-2])
    if address[-2:-1] != ("with",) or not isinstance(beside, dict):
        return None
    event, tool = beside.get("event"), beside.get("tool")
    owner: Address = (
        ("events", event)
        if isinstance(event, str)
        else ("tools", tool, "args")
        if isinstance(tool, str)
        else ()
    )
    return declared(data, owner, address[-1])


def declared(data: Data, owner: Address, name: Any) -> Address | None:
    """Return the address of a field, if something declares it there."""
    fields = at(data, owner) if owner else None
    return (*owner, name) if isinstance(fields, dict) and name in fields else None


def in_words(owner: Address) -> str:
    """Return what declares some fields: a section, an event, or the arguments of a tool."""
    return f"the `args` of `{owner[1]}`" if owner[0] == "tools" else f"`{owner[-1]}`"
