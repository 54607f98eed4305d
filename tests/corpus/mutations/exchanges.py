"""Two values that have changed places: of two keys of one map, or of two steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from random import Random

from sources import Source

from mutations.mutant import Mutant, mutation
from wfc.compiler.diagnostics import Address, Place

MOST_OF_A_SPEC = 6
TYPES = {"events", "types", "state", "config"}


def exchanges(source: Source, chance: Random, wanted: Callable[[Address], bool]) -> Iterator[Mutant]:
    """Some pairs of keys of one map, each with the other's value."""
    maps = [((), source.data), *source.everything]
    pairs = [
        ((*address, one), (*address, other))
        for address, value in maps
        if isinstance(value, dict) and wanted(address)
        for one, other in combinations(value, 2)
        if value[one] != value[other]
    ]
    for one, other in chance.sample(pairs, min(MOST_OF_A_SPEC, len(pairs))):
        made = exchanged(source, one, other)
        if made is not None:
            yield made


def exchanged(source: Source, one: Address, other: Address) -> Mutant | None:
    """The spec with what stands after one key after the other one, and the other way round."""
    first, second = after_key(source, one), after_key(source, other)
    if first is None or second is None or first[1] > second[0]:
        return None
    (a, b), (c, d) = first, second
    text = source.text
    swapped = text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]
    shift = (d - c) - (b - a)
    return Mutant(
        f"{source.name}: {'.'.join(map(str, one))} and {other[-1]} exchanged",
        swapped,
        (),
        a - len(str(one[-1])) - 1,
        a + (d - c),
        loose=True,
        other=(c + shift - len(str(other[-1])) - 1, d),
    )


def after_key(source: Source, address: Address) -> tuple[int, int] | None:
    """What stands after the colon of a key, lines of its own included; none for aliases and the like."""
    _, key_end = source.document.stretch(Place(address, "key"))
    start, end = source.document.stretch(Place(address))
    between = source.text[key_end:start]
    if between[:1] != ":" or start < key_end or between.count(":") > 1 or "#" in between:
        return None
    return key_end + 1, end


def is_of_a_test(address: Address) -> bool:
    return address[:1] == ("tests",)


def is_of_types(address: Address) -> bool:
    """Whether the fields of something are declared in a map."""
    return len(address) > 1 and (address[0] in TYPES or address[-1] in {"output", "form", "args"})


@mutation(often_harmless=True)
def exchanged_values_of_a_step(source: Source, chance: Random) -> Iterator[Mutant]:
    yield from exchanges(source, chance, lambda each: len(each) == 2 and each[0] == "steps")


@mutation(often_harmless=True)
def exchanged_values_at_the_top(source: Source, chance: Random) -> Iterator[Mutant]:
    yield from exchanges(source, chance, lambda each: each == ())


@mutation(often_harmless=True)
def exchanged_types(source: Source, chance: Random) -> Iterator[Mutant]:
    yield from exchanges(source, chance, lambda each: not is_of_a_test(each) and is_of_types(each))


@mutation(often_harmless=True)
def exchanged_values_of_a_test(source: Source, chance: Random) -> Iterator[Mutant]:
    yield from exchanges(source, chance, is_of_a_test)


@mutation(often_harmless=True)
def exchanged_values_elsewhere(source: Source, chance: Random) -> Iterator[Mutant]:
    yield from exchanges(
        source,
        chance,
        lambda each: (
            len(each) > 1
            and not is_of_a_test(each)
            and not is_of_types(each)
            and not (each[0] == "steps" and len(each) == 2)
        ),
    )


@mutation(often_harmless=True)
def exchanged_declarations(source: Source, chance: Random) -> Iterator[Mutant]:
    """Two events, types, models … with the body of the other."""
    yield from exchanges(source, chance, lambda each: len(each) == 1 and each[0] not in {"steps", "tests"})


@mutation(often_harmless=True)
def exchanged_steps(source: Source, chance: Random) -> Iterator[Mutant]:
    """Two steps, each with the body of the other."""
    yield from exchanges(source, chance, lambda each: each == ("steps",))
