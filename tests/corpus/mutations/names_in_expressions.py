"""Names in expressions that are misspelt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from sources import Site, Source

from mutations.mutant import Mutant, mutation, slips


@mutation()
def misspelt_name_in_an_expression(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.within(r"(?<![\w.])(event|events|result|state|inputs|config|error|response)(?=\.)"):
        yield from slips(source, chance, site, ("unknown-name",), {"event", "events"})


@mutation()
def misspelt_field_in_an_expression(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.within(r"\b(?:event|result|state|inputs|config|error)\.(\w+)"):
        known = {key for address, _ in source.everything for key in address if isinstance(key, str)}
        yield from slips(source, chance, site, ("unknown-field",), known)


@mutation()
def misspelt_key_of_a_record_in_an_expression(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.within(r"[{,] *(\w+): "):
        known = {key for address, _ in source.everything for key in address if isinstance(key, str)}
        yield from slips(source, chance, site, ("unknown-entry", "unknown-field"), known)


@mutation()
def misspelt_filter(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.within(r"\| *(\w+)"):
        yield from slips(source, chance, site, ("unknown-filter",), {"sort", "sum"})


@mutation()
def misspelt_test_of_an_expression(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.within(r"\bis (?:not )?(\w+)"):
        yield from slips(
            source, chance, site, ("unknown-test", "unknown-event", "unexpected-token"), {"note"}
        )


@mutation()
def misspelt_word_of_an_enumeration(source: Source, chance: Random) -> Iterator[Mutant]:
    words = {
        word
        for address, value in source.everything
        if address[-1] == "enum" and isinstance(value, list)
        for word in value
    }
    for site in source.expressions():
        for found in re.finditer(r"== (['\"])(\w+)\1", site.value):
            if found[2] in words:
                yield from (
                    Mutant(each.name, each.text, each.codes, each.start - 1, each.end + 1, each.meant)
                    for each in slips(
                        source, chance,
                        Site(site.address, found[2], site.start + found.start(2), site.start + found.end(2)),
                        ("no-such-value",), words,
                    )
                )  # fmt: skip
    for site in source.scalars():
        given = {"with", "start", "default", "mock"} & set(map(str, site.address))
        if site.value in words and given and not {"enum", "form"} & set(site.address):
            yield from slips(
                source, chance, site, ("bad-enum-value", "wrong-value", "default-does-not-fit"), words
            )
