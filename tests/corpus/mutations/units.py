"""Numbers as people write them: with units, per cent, and commas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from sources import Site, Source

from mutations.mutant import Mutant, changed, mutation
from wfc.compiler.diagnostics import Place

WRITTEN = (
    "20%",
    "1,000",
    "5 min",
    "10MB",
    "2 hours",
    "$5",
    "4k",
    "3 times",
    "0,5",
    "about 5",
    "5+",
    "~5",
    "5.000,00",
    "1'000",
    "5 €",
)
IN_EXPRESSIONS = ("20%", "1,000", "10MB", "5 min", "2 hours", "$5", "5 EUR", "4k", "10 %", "0,5", ".5", "5€")
OF_NUMBERS = (
    "wrong-value",
    "wrong-type",
    "out-of-range",
    "default-does-not-fit",
    "number-cut-by-comma",
    "unknown-field",
    "bad-bound",
    "bad-enum-value",
    "wrong-argument",
    "wrong-fill",
    "wrong-index",
    "syntax-error",
)


@mutation()
def number_with_a_unit(source: Source, chance: Random) -> Iterator[Mutant]:
    """A number of the language or of the author's data."""
    for address, value in source.everything:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or address == ("wfc",):
            continue
        if {"enum", "settings", "body"} & set(address) or isinstance(address[-1], int):
            continue
        start, end = source.document.stretch(Place(address))
        for wrong in chance.sample(WRITTEN, 3):
            mutant = changed(source, Site(address, value, start, end), wrong, OF_NUMBERS, loose=True)
            yield mutant


@mutation()
def number_with_a_unit_in_an_expression(source: Source, chance: Random) -> Iterator[Mutant]:
    codes = (
        "unexpected-token",
        "stray-character",
        "unknown-operator",
        "unknown-name",
        "no-arithmetic",
        "unfinished-expression",
        "not-ordered",
        "not-comparable",
        "number-cut-by-comma",
        "text-cut-by-comment",
        "number-out-of-range",
    )
    for site in source.expressions():
        for found in re.finditer(r"(?:==|!=|<=|>=|<|>|\+|-|\*) (\d+)\b(?!\.)", site.value):
            wrong = chance.choice(IN_EXPRESSIONS)
            value = site.value[: found.start(1)] + wrong + site.value[found.end(1) :]
            yield Mutant(
                f"{source.name}: {'.'.join(map(str, site.address))}: {site.value.strip()} → {value.strip()}",
                source.with_text(site.start, site.end, value),
                codes,
                site.start,
                site.start + len(value),
                loose=True,
            )


@mutation()
def duration_in_other_words(source: Source, chance: Random) -> Iterator[Mutant]:
    words = (
        "5 mins",
        "2 hrs",
        "PT5M",
        "1:30",
        "half an hour",
        "an hour",
        "1.5h",
        "24:00:00",
        "1 day and 2 h",
        "3 mo",
        "2 yrs",
        "1/2 h",
        "5'",
        "30 Sek",
        "P1D",
        "10%",
    )
    for site in source.scalars():
        if site.address[-1] in {
            "timeout",
            "within",
            "deadline",
            "delay",
            "max_delay",
            "for",
        } and re.fullmatch(r"\d+ ?\w+", site.value):
            for wrong in chance.sample(words, 3):
                yield changed(source, site, wrong, ("bad-duration", "wrong-type"), loose=True)
