"""Two keys of one map, each with the other's value: settings of a step, types of two fields, whole sections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Finding, Place, Severity
from wfc.compiler.recovery.changes import Data, Suspicion, at, walk, with_value
from wfc.compiler.rules.shape import exchanged_values
from wfc.compiler.schema.expansion import validator
from wfc.compiler.slotted import dataclass, replace

__all__ = ["exchanged", "exchanged_pairs"]

WORD: Final = re.compile(r"\w+")
QUOTED: Final = re.compile(r"`([^`]*)`")
MOST_ERRORS: Final = 24
MOST_MAPS: Final = 400
MOST_KEYS: Final = 60
MOST_PAIRS: Final = 40
"""How many are looked at; fewer are tried out."""
DEEPEST: Final = 2
"""How far below a value an error may be that speaks against it."""
LONGEST: Final = 80
OF_THE_LANGUAGE: Final = frozenset({"event", "events", "result", "with"})
"""What is said in passing in many messages."""
NAMED, UNSUSPECTED = 3, 6
"""What it counts if errors only name a key or its value, and if nothing at all speaks against it."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks against the value of a key.

    Args:
        cost: How far off it is; the less, the more likely is the value wrong.
        errors: Which errors, by number.
    """

    cost: int
    errors: frozenset[int]


def exchanged_pairs(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Pairs of keys that errors speak against, the likeliest first."""
    errors = [each for each in findings if each.severity is Severity.ERROR][:MOST_ERRORS]
    if not errors:
        return
    words = [mentioned(data, each) for each in errors]
    maps = [((), data), *(each for each in walk(data) if isinstance(each[1], dict) and len(each[1]) > 1)]
    ranked: list[tuple[tuple[int, ...], int, Address, str, str]] = []
    for number, (address, owner) in enumerate(islice(maps, MOST_MAPS)):
        above = {each for each in address[-2:] if isinstance(each, str)}
        naming = sum(not above.isdisjoint(each) for each in words)  # errors that name what the map belongs to
        for one, other, found in suspected(address, owner, errors, words):
            rank = (-len(found.errors), found.cost, -naming, -number)
            ranked.append((rank, found.cost, address, one, other))
    ranked.sort(key=lambda each: each[0])
    fits = validator().fits
    shapely = fits(data)
    for _, cost, address, one, other in ranked[:MOST_PAIRS]:
        changed = exchanged(data, address, one, other)
        if fits(changed) or (not shapely and cost < UNSUSPECTED):
            yield from suspicion(changed, address, one, other, errors)


def mentioned(data: Data, error: Finding) -> frozenset[str]:
    """The names that an error is about: in its message, in what it marks, and on the way to it."""
    found = {word for quoted in QUOTED.findall(error.message) for word in WORD.findall(quoted)}
    place = error.place
    value = at(data, place.address) if place.part == "value" else None
    if isinstance(value, str) and (place.start is not None or len(value) <= LONGEST):
        found.update(WORD.findall(value[place.start : place.end]))
    found.update(each for each in place.address[-2:] if isinstance(each, str))
    return frozenset(found - OF_THE_LANGUAGE)


def suspected(
    address: Address, owner: dict[str, Any], errors: Sequence[Finding], words: Sequence[frozenset[str]]
) -> Iterator[tuple[str, str, Evidence]]:
    """The pairs of a map's keys of which at least one has something against it."""
    keys = list(owner)
    if len(keys) > MOST_KEYS:
        hot = {step for each in errors for step in each.place.address}.union(*words)
        keys = [key for key in keys if key in hot][:MOST_KEYS]
    against = {key: evidence(address, key, owner[key], errors, words) for key in keys}
    by_cost = sorted((key for key in keys if against[key].errors), key=lambda key: against[key].cost)
    for one, other in combinations(by_cost[:8], 2):
        if owner[one] != owner[other]:
            both = against[one].errors | against[other].errors
            yield one, other, Evidence(against[one].cost + against[other].cost, both)
    for key in by_cost[:3]:
        for other in keys if against[key].cost < DEEPEST else ():
            if not against[other].errors and owner[other] != owner[key]:
                yield key, other, Evidence(against[key].cost + UNSUSPECTED, against[key].errors)


def evidence(
    address: Address, key: str, value: Any, errors: Sequence[Finding], words: Sequence[frozenset[str]]
) -> Evidence:
    below = (*address, key)
    cost, found = UNSUSPECTED, set()
    names = {key} if len(address) == 1 else {key, *names_in(value)}
    for number, error in enumerate(errors):
        there = error.place.address
        inside = there[: len(below)] == below and (there != below or error.place.part != "key")
        if inside and len(there) <= len(below) + DEEPEST:
            cost = min(cost, len(there) - len(below))
            found.add(number)
        elif not names.isdisjoint(words[number]):
            cost = min(cost, NAMED)
            found.add(number)
    return Evidence(cost, frozenset(found))


def names_in(value: Any) -> Iterator[str]:
    """The names that a value is, or that stand in it."""
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else (value,)
    for each in islice(below, 4):
        if isinstance(each, str) and len(each) <= LONGEST and WORD.fullmatch(each):
            yield each


def exchanged(data: Data, address: Address, one: str, other: str) -> Data:
    """The data with the values of two keys of a map exchanged."""
    owner = at(data, address)
    again = {**owner, one: owner[other], other: owner[one]}
    changed: Data = with_value(data, address, again)
    return changed


def suspicion(
    data: Data, address: Address, one: str, other: str, errors: Sequence[Finding]
) -> Iterator[Suspicion]:
    first, second = Place((*address, one), "key"), Place((*address, other), "key")
    swaps = ((first.address, second.address),)
    if len(errors) > 1:
        yield Suspicion(exchanged_values(first, one, second, other), data, swaps=swaps, eager=False)
        return
    error = errors[0]
    if len(address) != 1 and is_about_a_value(
        error
    ):  # one error alone says nothing against a whole declaration
        for own, there in ((first, second), (second, first)):
            if is_at(error, own.address):
                yield Suspicion(noted(error, own, there), data, swaps=swaps, explains=1)


def is_about_a_value(error: Finding) -> bool:
    """Whether an error says that a whole value cannot be what is wanted, and not how it is misspelt."""
    misspelt = error.fix is not None and error.code != "wrong-type"
    return not misspelt and (error.place.start is None or error.code in {"unknown-type", "unexpected-token"})


def is_at(error: Finding, address: Address) -> bool:
    """Whether an error is about a value, or about a key or an item of it."""
    there = error.place.address
    return there[: len(address)] == address and len(there) <= len(address) + 1


def noted(error: Finding, own: Place, other: Place) -> Finding:
    """A finding with a note where the value may be that it asks for, both as they are after the exchange."""
    one, two = own.address[-1], other.address[-1]
    note = (other, f"exchanged with this one, the value of `{one}` is right, and nothing else is wrong")
    place = error.place
    if place.address != own.address or place.part != "key":
        place = replace(place, address=(*other.address, *place.address[len(own.address) :]))
    return replace(
        error,
        place=place,
        hint=f"the values of `{one}` and `{two}` seem to be exchanged",
        related=(*error.related, note),
        fix=None,
    )
