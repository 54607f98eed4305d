"""Keys without the one under which they stand, such as `max_attempts` without `retry`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Finding, Place
from wfc.compiler.recovery.moved_blocks import spot
from wfc.compiler.recovery.suspicion import Data, Suspicion, at, with_value
from wfc.compiler.rules import shape as problems
from wfc.compiler.rules.phrases import joined
from wfc.compiler.schema.expansion import schema

__all__ = ["bare_keys"]

DEEPEST: Final = 4
MOST_OWNERS: Final = 4
OF_FAILED: Final = ", without `end`: a run that fails comes to none"
OF_ALL: Final = ", which bounds each attempt of a step; the time of the whole run is its `deadline`"


def bare_keys(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect that keys which nobody knows at their place belong under another key, which is not written."""
    owners: dict[Address, list[str]] = {}
    for each in findings:
        if each.code in {"unknown-key", "key-without-companion"} and each.place.part == "key":
            owners.setdefault(each.place.address[:-1], []).append(str(each.place.address[-1]))
    lacking = {key for each in findings if each.code == "missing-key" for key in each.about}
    for owner, strange in list(owners.items())[:MOST_OWNERS]:
        content = at(data, owner)
        if not lacking.isdisjoint(strange):
            continue  # something else lacks it, from which it may have been moved
        if not isinstance(content, dict) or not content.keys() >= set(strange):
            continue
        for wrapper, inner in wrappers().items():
            there = content.get(wrapper, {})
            if not inner.issuperset(strange) or not isinstance(there, dict):
                continue
            fuller = [key for key in content if key in inner]
            for under in [strange] if fuller == strange else [strange, fuller]:
                if not set(under) & there.keys() and not is_hardly_meant(content, wrapper, under, owner):
                    yield suspicion(data, owner, content, wrapper, under, len(strange))


def is_hardly_meant(content: dict[str, Any], wrapper: str, under: Sequence[str], owner: Address) -> bool:
    """Return whether a key that is not written is a guess without a ground, for a key which says something alone.

    A `for` may say how long to wait, an `event` what starts a run or a step, or what it sends.
    """
    if wrapper in content or len(under) > 1:
        return False
    return (wrapper == "cache" and under[0] == "for") or (
        wrapper.startswith("on_") and (not owner or under[0] == "event")
    )


def suspicion(
    data: Data, owner: Address, content: dict[str, Any], wrapper: str, under: Sequence[str], least: int
) -> Suspicion:
    """Return the suspicion that some keys of a map belong under another key."""
    there = {**content.get(wrapper, {}), **{key: content[key] for key in under}}
    left = {key: each for key, each in content.items() if key not in under}
    moves = tuple(((*owner, key), (*owner, wrapper, key)) for key in under)
    if wrapper == "expect" and "fails" in under:
        there = {key: each for key, each in there.items() if key not in {"end", "with"}}  # it comes to none
    written = ", ".join(f"{key}: …" for key in there)
    one = len(under) == 1
    finding = problems.misplaced_key(
        Place((*owner, under[0]), "key"),
        f"{joined(under)} {'stands' if one else 'stand'} {spot(owner)}, and {'seems' if one else 'seem'} to belong "
        f"under `{wrapper}`",
        f"write `{wrapper}: {{{written}}}`"
        + (OF_ALL if not owner and under == ["timeout"] else "")
        + (OF_FAILED if "fails" in there and "end" in content.get(wrapper, {}) else ""),
    )
    return Suspicion(finding, with_value(data, owner, {**left, wrapper: there}), moves, least)


@cache
def wrappers() -> dict[str, frozenset[str]]:
    """Return the keys of the language whose values are maps, each with the keys that may stand there."""
    definitions = schema()["$defs"]
    found: dict[str, set[str]] = {}
    for definition in definitions.values():
        for key, content in definition.get("properties", {}).items():
            inner = keys_of(content, definitions, DEEPEST)
            if inner:
                found.setdefault(key, set()).update(inner)
    return {key: frozenset(inner) for key, inner in sorted(found.items())}


def keys_of(content: Mapping[str, Any], definitions: Mapping[str, Any], depth: int) -> set[str]:
    """Return the keys of the maps that a schema allows, if it allows no others."""
    if depth == 0:
        return set()
    if "$ref" in content:
        return keys_of(definitions[content["$ref"].removeprefix("#/$defs/")], definitions, depth - 1)
    found = set(content.get("properties", ())) if content.get("additionalProperties") is False else set()
    branches = [content[word] for word in ("then", "else") if word in content]
    branches += [each["then"] for each in content.get("allOf", ())]
    for each in branches:
        found |= keys_of(each, definitions, depth)
    return found
