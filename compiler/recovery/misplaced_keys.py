"""Keys that stand one level too deep, or not deep enough, because their lines are indented wrongly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

from wfc.compiler.diagnostics import Address, Finding, Place
from wfc.compiler.recovery.suspicion import Data, Suspicion, at, moved, walk
from wfc.compiler.rules.shape import misplaced_key

__all__ = ["misplaced_keys"]

UNKNOWN = frozenset({"unknown-entry", "unknown-key", "unknown-state-field", "unknown-step"})


def misplaced_keys(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect that a key which is unknown at its place belongs further out or further in."""
    unknown = {
        each.place.address
        for each in findings
        if each.place.part == "key"
        and each.code in UNKNOWN
        and each.fix is None  # with a fix it is misspelt
        and isinstance(at(data, each.place.address[:-1]), dict)
    }
    for address in sorted(unknown, key=lambda each: (len(each), list(map(str, each)))):
        yield from too_deep(data, address, address[-1])
        yield from not_deep_enough(data, address, unknown)
    for finding in findings:
        home = finding.place.address
        if finding.code != "missing-key" or not home:
            continue
        for address, _ in walk(at(data, home), home, 5):
            if address[-1] in finding.about and len(address) > len(home) + 1 and address not in unknown:
                for key in (address[-1], *keys_before(data, address)):
                    yield from too_deep(data, address, key)


def keys_before(data: Data, address: Address) -> list[str]:
    """Return a few keys of a map before one of them, the nearest first."""
    keys = list(at(data, address[:-1]))
    place = keys.index(address[-1])
    return keys[max(0, place - 3) : place][::-1]


def too_deep(data: Data, address: Address, first: str | int) -> Iterator[Suspicion]:
    """Suspect that a key of a map and those after it belong to a map further out."""
    owner = address[:-1]
    keys = tuple(at(data, owner))
    moving = keys[keys.index(first) :]
    for up in range(1, min(4, len(owner)) + 1):
        home = owner[:-up]
        there = at(data, home)
        if isinstance(there, dict) and not there.keys() & set(moving):
            inside = next((each for each in reversed(owner) if isinstance(each, str)), "")
            beside = owner[len(home)]
            yield suspicion(
                data,
                owner,
                moving,
                home,
                f"`{first}` stands inside of `{inside}`, and seems to belong to {name_of(home)}",
                f"indent it as far as `{beside}`" if isinstance(beside, str) else "indent it less",
            )


def not_deep_enough(data: Data, address: Address, unknown: set[Address]) -> Iterator[Suspicion]:
    """Suspect that a key and the unknown ones after it belong to what stands before it."""
    owner, key = address[:-1], address[-1]
    keys = tuple(at(data, owner))
    place = keys.index(key)
    if place == 0 or (*owner, keys[place - 1]) in unknown:
        return
    moving = tuple(takewhile(lambda each: (*owner, each) in unknown, keys[place:]))
    home: Address = (*owner, keys[place - 1])
    while True:
        there: Any = at(data, home)
        if there is None or (isinstance(there, dict) and not there.keys() & set(moving)):
            yield suspicion(
                data, owner, moving, home,
                f"`{key}` stands beside {name_of(home)}, and seems to belong into it",
                f"indent it further than {name_of(home)}",
            )  # fmt: skip
        if isinstance(there, dict) and there:
            home = (*home, list(there)[-1])
        elif isinstance(there, list) and there:
            home = (*home, len(there) - 1)
        else:
            return


def suspicion(
    data: Data, owner: Address, keys: tuple[Any, ...], home: Address, message: str, hint: str
) -> Suspicion:
    finding = misplaced_key(Place((*owner, keys[0]), "key"), message, hint, *start_of(home))
    moves = tuple(((*owner, each), (*home, each)) for each in keys)
    return Suspicion(finding, moved(data, owner, keys, home), moves, explains=1)


def start_of(home: Address) -> Iterator[tuple[Place, str]]:
    """Generate where a map begins, and that in words; nothing for the spec itself."""
    if home:
        yield Place(home, "key" if isinstance(home[-1], str) else "value"), f"{name_of(home)} begins here"


def name_of(address: Address) -> str:
    """Return how messages call a map: by its key."""
    if not address:
        return "the spec itself"
    last = address[-1]
    if isinstance(last, str):
        return f"`{last}`"
    above = next((each for each in reversed(address) if isinstance(each, str)), "")
    return f"entry {last + 1} of `{above}`"
