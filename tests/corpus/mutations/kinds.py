"""Steps of another kind than is meant."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from sources import Site, Source

from mutations.mutant import Mutant, changed, mutation

KINDS = ("llm", "tool", "http", "command", "human", "workflow", "transform", "map", "wait", "send")


@mutation()
def wrong_kind(source: Source, chance: Random) -> Iterator[Mutant]:
    """A step that has keys of its kind, with another one."""
    for site in source.scalars():
        of_step = len(site.address) == 3 and site.address[0] == "steps" and site.address[-1] == "kind"
        if of_step and site.value != "transform":
            wrong = chance.choice([each for each in KINDS if each != site.value])
            yield changed(source, site, wrong, ("other-kind",))


@mutation()
def wrong_kind_of_a_transform(source: Source, chance: Random) -> Iterator[Mutant]:
    """A `transform` that is said to be something else: nothing of the other kind is there."""
    for site in source.scalars():
        if len(site.address) == 3 and site.address[0] == "steps" and site.value == "transform":
            wrong = chance.choice([each for each in KINDS if each != site.value])
            key, _ = source.document.stretch(key_of(site))
            mutant = changed(source, site, wrong, ("missing-key", "wait-for-what", "send-to-whom"))
            yield Mutant(mutant.name, mutant.text, mutant.codes, key, mutant.end, loose=True)


def key_of(site: Site) -> object:
    from wfc.compiler.diagnostics import Place

    return Place(site.address[:2], "key")
