"""Names and words that are misspelt where they are used as a value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from sources import Site, Source

from mutations.mutant import Mutant, changed, mutation, slips
from wfc.compiler.diagnostics import Place


@mutation()
def misspelt_key(source: Source, chance: Random) -> Iterator[Mutant]:
    known = {site.address[-1] for site in source.language_keys()}
    for site in source.language_keys():
        yield from slips(source, chance, site, ("unknown-key",), {str(each) for each in known})


@mutation()
def misspelt_kind(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.scalars():
        if len(site.address) == 3 and site.address[0] == "steps" and site.address[-1] == "kind":
            yield from slips(source, chance, site, ("unknown-kind",), set())


def references(source: Source, names: set[str]) -> Iterator[Site]:
    for site in source.scalars():
        if (
            site.value in names
            and site.address[0]
            not in {
                "events",
                "types",
                "state",
                "config",
                "description",
            }
            and not any(each in {"with", "say", "title", "description"} for each in site.address)
        ):
            yield site


@mutation()
def misspelt_event(source: Source, chance: Random) -> Iterator[Mutant]:
    events = source.declared("events")
    for site in references(source, events):
        yield from slips(source, chance, site, ("unknown-event",), events)


@mutation()
def misspelt_binding(source: Source, chance: Random) -> Iterator[Mutant]:
    for key, section in (("model", "models"), ("tool", "tools"), ("retry", "retries")):
        for site in source.scalars():
            if (
                site.address[-1] == key
                and site.address[0] == "steps"
                and site.value in source.declared(section)
            ):
                yield from slips(source, chance, site, (f"unknown-{key}",), source.declared(section))


@mutation()
def misspelt_secret(source: Source, chance: Random) -> Iterator[Mutant]:
    secrets = source.declared("secrets")
    for site in source.scalars():
        if site.value in secrets and site.address[0] != "secrets":
            yield from slips(source, chance, site, ("unknown-secret",), secrets)


WORDS = {
    "string",
    "integer",
    "number",
    "decimal",
    "boolean",
    "date",
    "datetime",
    "duration",
    "list",
    "map",
    "optional",
    "of",
    "any",
}


@mutation()
def misspelt_type(source: Source, chance: Random) -> Iterator[Mutant]:
    for site in source.scalars():
        if (
            site.address[0] in {"events", "types", "state"}
            or "form" in site.address
            or "output" in site.address
        ):
            if "default" in site.address or "description" in site.address or "enum" in site.address:
                continue
            for found in re.finditer(r"\w+", site.value):
                if found[0] in WORDS - {"of", "list", "map", "optional"} or found[0] in source.declared(
                    "types"
                ):
                    start = site.start + found.start()
                    yield from slips(
                        source, chance, Site(site.address, found[0], start, start + len(found[0])),
                        ("unknown-type",), WORDS | source.declared("types"),
                    )  # fmt: skip


@mutation()
def misspelt_step_in_a_test(source: Source, chance: Random) -> Iterator[Mutant]:
    steps = source.declared("steps")
    for site in source.all_keys():
        if site.address[0] == "tests" and site.address[-1] in steps and site.address[-2] in {"mock", "ran"}:
            yield from slips(source, chance, site, ("unknown-step",), steps)
    for site in source.scalars():
        if site.address[0] == "tests" and site.value in steps and "real" in site.address:
            yield from slips(source, chance, site, ("unknown-step",), steps)


@mutation()
def misspelt_field_given(source: Source, chance: Random) -> Iterator[Mutant]:
    """A field of an event, where `with` or a test's `start` fills it."""
    for site in source.all_keys():
        if (
            len(site.address) > 2
            and site.address[-2] in {"with", "start"}
            and isinstance(site.address[-1], str)
        ):
            owner = source.data
            for step in site.address[:-1]:
                owner = owner[step]  # type: ignore[index]
            yield from slips(source, chance, site, ("unknown-entry",), set(owner))


@mutation()
@mutation()
def misspelt_state_field(source: Source, chance: Random) -> Iterator[Mutant]:
    state = source.declared("state")
    for site in source.all_keys():
        if site.address[-2:-1] == ("save",) and site.address[-1] in state:
            yield from slips(source, chance, site, ("unknown-state-field",), state)


@mutation()
def misspelt_word(source: Source, chance: Random) -> Iterator[Mutant]:
    """A word of a fixed set, and the name of an error."""
    for site in source.scalars():
        if site.address[-1] in {"when_running", "rest", "on_item_error", "method", "on_timeout"} and site.value in {
            "reject", "queue", "replace", "join", "parallel", "cancel", "finish", "skip", "null", "POST", "DELETE",
            "proceed",
        }:  # fmt: skip
            yield from slips(source, chance, site, ("unknown-value", "unknown-event"), {"finish"})
        if {"errors", "retry_on"} & set(site.address[-2:-1]) and "." not in site.value:
            yield from slips(source, chance, site, ("unknown-error",), set())


@mutation()
def wrong_case(source: Source, chance: Random) -> Iterator[Mutant]:
    events = source.declared("events")
    for site in references(source, events):
        wrong = chance.choice(
            [site.value.lower(), site.value.upper(), site.value[0].lower() + site.value[1:]]
        )
        if wrong != site.value and wrong not in events:
            yield changed(source, site, wrong, ("unknown-event",), meant=site.value)
    for site in source.scalars():
        if len(site.address) == 3 and site.address[0] == "steps" and site.address[-1] == "kind":
            wrong = chance.choice([site.value.upper(), site.value.capitalize()])
            yield changed(source, site, wrong, ("unknown-kind",), meant=site.value)
    for site in source.language_keys():
        yield changed(
            source, site, str(site.address[-1]).capitalize(), ("unknown-key",), meant=str(site.address[-1])
        )


@mutation()
def misspelt_declaration(source: Source, chance: Random) -> Iterator[Mutant]:
    """The name of an event, a type or a model where it is declared; it is used at least twice."""
    for site in source.all_keys():
        if len(site.address) == 2 and site.address[0] in {"events", "types", "models"}:
            names = source.declared(str(site.address[0]))
            if len(re.findall(rf"\b{re.escape(str(site.address[-1]))}\b", source.text)) > 2:
                codes = ("misspelt-declaration", "not-pascal-case", "not-snake-case")
                yield from slips(source, chance, site, codes, names)


@mutation()
def changed_join(source: Source, chance: Random) -> Iterator[Mutant]:
    """A step that uses `events` accepts its events one by one, or lacks one of them."""
    for address, value in source.everything:
        if address[-1] != "accepts" or not isinstance(value, dict) or list(value) != ["all"]:
            continue
        start, end = source.document.stretch(Place(address))
        step = source.data["steps"][address[1]]
        if "\n" in source.text[start:end] or source.text[start] != "{" or "events." not in str(step):
            continue
        if not all(isinstance(each, str) for each in value["all"]):
            continue  # slots with alternatives
        listed = f"[{', '.join(value['all'])}]"
        site = Site(address, value, start, end)
        yield changed(source, site, listed, ("no-join",))
