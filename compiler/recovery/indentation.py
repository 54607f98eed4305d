"""Keys that stand one level too deep, or not deep enough, because their lines are indented wrongly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

from wfc.compiler.diagnostics import Address, Finding, Place
from wfc.compiler.recovery.changes import Data, Suspicion, at, moved, walk
from wfc.compiler.rules.shape import misplaced_key

__all__ = ["misplaced_keys"]

STRANGE = frozenset({"unknown-entry", "unknown-key", "unknown-state-field", "unknown-step"})


def misplaced_keys(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Where a key that is strange at its place would be at home."""
    strange = {
        each.place.address
        for each in findings
        if each.place.part == "key"
        and each.code in STRANGE
        and each.fix is None  # with a fix it is misspelt
        and isinstance(at(data, each.place.address[:-1]), dict)
    }
    for address in sorted(strange, key=lambda each: (len(each), list(map(str, each)))):
        yield from too_deep(data, address, address[-1])
        yield from not_deep_enough(data, address, strange)
    for finding in findings:
        home = finding.place.address
        if finding.code != "missing-key" or not home:
            continue
        for address, _ in walk(at(data, home), home, 5):
            if address[-1] in finding.about and len(address) > len(home) + 1 and address not in strange:
                for key in (address[-1], *before(data, address)):
                    yield from too_deep(data, address, key)


def before(data: Data, address: Address) -> list[str]:
    """A few keys of a map before one of them, the nearest first."""
    keys = list(at(data, address[:-1]))
    place = keys.index(address[-1])
    return keys[max(0, place - 3) : place][::-1]


def too_deep(data: Data, address: Address, first: str | int) -> Iterator[Suspicion]:
    """A key of a map and those after it may belong to a map further out."""
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
                f"`{first}` stands inside of `{inside}`, and seems to belong to {words(home)}",
                f"indent it as far as `{beside}`" if isinstance(beside, str) else "indent it less",
            )


def not_deep_enough(data: Data, address: Address, strange: set[Address]) -> Iterator[Suspicion]:
    """A key and the strange ones after it may belong to what stands before it."""
    owner, key = address[:-1], address[-1]
    keys = tuple(at(data, owner))
    place = keys.index(key)
    if place == 0 or (*owner, keys[place - 1]) in strange:
        return
    moving = tuple(takewhile(lambda each: (*owner, each) in strange, keys[place:]))
    home: Address = (*owner, keys[place - 1])
    while True:
        there: Any = at(data, home)
        if there is None or (isinstance(there, dict) and not there.keys() & set(moving)):
            yield suspicion(
                data, owner, moving, home,
                f"`{key}` stands beside {words(home)}, and seems to belong into it",
                f"indent it further than {words(home)}",
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
    finding = misplaced_key(Place((*owner, keys[0]), "key"), message, hint, *begins(home))
    moves = tuple(((*owner, each), (*home, each)) for each in keys)
    return Suspicion(finding, moved(data, owner, keys, home), moves, explains=1)


def begins(home: Address) -> Iterator[tuple[Place, str]]:
    """Where a map begins, and that in words; nothing for the spec itself."""
    if home:
        yield Place(home, "key" if isinstance(home[-1], str) else "value"), f"{words(home)} begins here"


def words(address: Address) -> str:
    """A map by its key."""
    if not address:
        return "the spec itself"
    last = address[-1]
    if isinstance(last, str):
        return f"`{last}`"
    above = next((each for each in reversed(address) if isinstance(each, str)), "")
    return f"entry {last + 1} of `{above}`"
