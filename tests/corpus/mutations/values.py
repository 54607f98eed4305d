"""Values of another type than what is wanted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from sources import Site, Source

from mutations.mutant import Mutant, changed, mutation
from wfc.compiler.diagnostics import Place

WRONG = {
    "max_runs": ["many", "[3]", "true"],
    "timeout": ["soon", "[1s]", "30"],
    "within": ["soon", "30", "{}"],
    "deadline": ["tomorrow", "90"],
    "accepts": ["5", "true"],
    "end": ["5", "{}"],
    "start": ["[A]", "5"],
    "temperature": ["hot", "[0]"],
    "concurrency": ["many", "1.5"],
    "prompt": ["5", "[a]"],
    "max_attempts": ["many", "2.5"],
    "quorum": ["two", "[2]"],
    "secrets": ["KEY", "5"],
    "description": ["[a]", "{a: b}"],
    "emit": ["5", "true"],
    "count": ["many", "[2]"],
}


@mutation()
def wrong_type_of_value(source: Source, chance: Random) -> Iterator[Mutant]:
    codes = ("wrong-type", "bad-duration", "unknown-event", "unknown-name", "nothing-in-it", "unknown-type")
    for site in source.language_keys():
        lines = source.lines_of(site.address)
        if site.address[-1] in WRONG and site.address[0] != "tests" and lines is not None:
            start, end = source.document.stretch(Place(site.address))
            if "\n" not in source.text[start:end]:
                for wrong in WRONG[str(site.address[-1])]:
                    yield changed(source, Site(site.address, site.value, start, end), wrong, codes)


@mutation()
def wrong_duration(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.scalars():
        if site.address[-1] in {
            "timeout",
            "within",
            "deadline",
            "delay",
            "max_delay",
            "for",
        } and re.fullmatch(r"\d+ ?\w+", site.value):
            for wrong in ("2m", "5 minuts", "-3s", "3 d ays", "1 month", "h4"):
                yield changed(source, site, wrong, ("bad-duration",))


@mutation()
def wrong_value_in_a_test(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, value in source.everything:
        if address[0] == "tests" and len(address) == 4 and address[2] == "start":
            start, end = source.document.stretch(Place(address))
            if (
                isinstance(value, (int, str))
                and not isinstance(value, bool)
                and "\n" not in source.text[start:end]
            ):
                yield changed(source, Site(address, value, start, end), "[[x]]", ("wrong-value",))
