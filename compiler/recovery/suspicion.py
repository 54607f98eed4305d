"""Suspicions: changes of a spec's data that may each explain several findings; and their construction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wfc.compiler.diagnostics import Address, Finding
from wfc.compiler.slotted import dataclass

__all__ = ["Suspicion", "at", "renamed", "walk", "with_value"]

Data = dict[str, Any]
DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A possible single mistake behind several findings.

    Args:
        finding: The finding to report for it.
        data: The spec's data as they would be without it.
        moves: Moved values: the old address and the new one.
        explains: How many errors must disappear with it.
        rivals: Other changes that may explain as much: how they are written, and the data with each. The finding
            names those that do.
        smaller: Changes that are parts of this one: if one of them leaves no more errors, this was not the mistake.
        settled: Places below which nothing may be left: what stands there with it is written elsewhere.
    """

    finding: Finding
    data: Data
    moves: tuple[tuple[Address, Address], ...] = ()
    explains: int = 2
    rivals: tuple[tuple[str, Data], ...] = ()
    smaller: tuple[Data, ...] = ()
    settled: tuple[Address, ...] = ()


def at(data: Any, address: Address) -> Any:
    """Return the value at an address; ``None`` if there is none."""
    for step in address:
        if isinstance(data, dict) and isinstance(step, str):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and 0 <= step < len(data):
            data = data[step]
        else:
            return None
    return data


def with_value(data: Any, address: Address, value: Any) -> Any:
    """Return a copy of the data with another value at an address; the data itself where nothing stands there.

    A finding's address is that of what was read: a key that is misspelt is read as what it is meant to be.
    """
    if not address:
        return value
    step = address[0]
    if isinstance(data, list) and isinstance(step, int):
        return [
            with_value(each, address[1:], value) if index == step else each for index, each in enumerate(data)
        ]
    if isinstance(data, dict):
        return {k: with_value(v, address[1:], value) if k == step else v for k, v in data.items()}
    return data


def renamed(data: Data, address: Address, name: str) -> Data:
    """Return the data with a key renamed, in the same position among the others."""
    owner = at(data, address[:-1])
    again = {name if key == address[-1] else key: each for key, each in owner.items()}
    changed: Data = with_value(data, address[:-1], again)
    return changed


def walk(data: Any, address: Address = (), depth: int = DEEPEST) -> Iterator[tuple[Address, Any]]:
    """Generate all addresses below one, with their values, up to a limited depth."""
    if depth == 0:
        return
    below = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, each in below:
        yield (*address, step), each
        yield from walk(each, (*address, step), depth - 1)
