"""A spec with one mistake, and what is expected to be said of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from sources import Site, Source

__all__ = ["HARMLESS", "MOST", "MUTATIONS", "Mutant", "changed", "misspelt", "mutants", "mutation", "slips"]

MOST = 48
"""How many of each class."""
DRAWN = 5
"""How many times as many are made of a class of which many are harmless."""


@dataclass(frozen=True)
class Mutant:
    """A spec with one mistake.

    Args:
        name: Of the class, the spec and the place.
        text: The spec.
        codes: Any of them is right; none if any may be.
        start: Where the finding is expected, and ``end``. If ``loose``, anywhere that touches it.
        meant: What a suggestion must be, for misspellings; empty for other mistakes.
        anywhere: Codes that say what is wrong as well at any other place, such as where an event is emitted that now
            no step accepts.
        other: Of an exchange, where the other of the two values is: it must be named too, wherever the finding is.
    """

    name: str
    text: str
    codes: tuple[str, ...]
    start: int
    end: int
    meant: str = ""
    loose: bool = False
    anywhere: tuple[str, ...] = ()
    other: tuple[int, int] | None = None


Mutation = Callable[[Source, Random], Iterator[Mutant]]
MUTATIONS: dict[str, Mutation] = {}
HARMLESS: set[str] = set()
"""The classes of which many change nothing that anybody could notice: only those with findings are counted."""


def mutation(*, often_harmless: bool = False) -> Callable[[Mutation], Mutation]:
    """Enter a class of mutations under its name in words."""

    def enter(function: Mutation) -> Mutation:
        name = function.__name__.replace("_", " ")
        MUTATIONS[name] = function
        if often_harmless:
            HARMLESS.add(name)
        return function

    return enter


def mutants(of: list[Source]) -> dict[str, list[Mutant]]:
    """Some of each class, the same on every machine, from as many specs as there can be."""
    found = {}
    for name, make in MUTATIONS.items():
        ranked = []
        for source in of:
            chance = Random(f"{name} {source.name}")  # noqa: S311 - a reproducible choice
            every = list(make(source, chance))
            chance.shuffle(every)
            # the first of each spec before the second of any; a new spec displaces few
            ranked += [(place, chance.random(), mutant) for place, mutant in enumerate(every)]
        most = MOST * DRAWN if name in HARMLESS else MOST
        found[name] = [mutant for *_, mutant in sorted(ranked, key=lambda each: each[:2])[:most]]
    return found


def misspelt(chance: Random, name: str, edits: int = 1) -> str:
    """A name with a slip or two of the keyboard: a letter too many, too few, wrong, or two in the wrong order."""
    letters = list(name)
    for _ in range(edits):
        place = chance.randrange(1, len(letters) - 1)
        slip = chance.randrange(4)
        if slip == 0:
            letters.insert(place, letters[place])
        elif slip == 1:
            del letters[place]
        elif slip == 2:
            letters[place] = chance.choice("aeiourstln")
        else:
            letters[place : place + 2] = reversed(letters[place : place + 2])
    return "".join(letters)


def slips(
    source: Source, chance: Random, site: Site, codes: tuple[str, ...], known: set[str]
) -> Iterator[Mutant]:
    """A misspelling of what stands at a site."""
    name = source.text[site.start : site.end]
    if len(name) < 4:
        return
    wrong = misspelt(chance, name, 2 if len(name) > 7 and chance.random() < 0.4 else 1)
    if wrong != name and wrong not in known:
        yield changed(source, site, wrong, codes, meant=name)


def changed(
    source: Source,
    site: Site,
    new: str,
    codes: tuple[str, ...],
    *,
    meant: str = "",
    what: str = "",
    loose: bool = False,
) -> Mutant:
    """A spec with something else at a site, where the finding is expected too."""
    path = ".".join(map(str, site.address))
    name = f"{source.name}: {path}: {what or source.text[site.start : site.end] + ' → ' + new}"
    return Mutant(
        name,
        source.with_text(site.start, site.end, new),
        codes,
        site.start,
        site.start + len(new),
        meant,
        loose,
    )
