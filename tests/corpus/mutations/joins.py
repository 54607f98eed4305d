"""Joins of another form than is meant."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from sources import Site, Source

from mutations.mutant import Mutant, mutation
from wfc.compiler.diagnostics import Address, Place

FLOW = (
    "no-join",
    "join-lacks-event",
    "other-join",
    "join-starves",
    "join-never-fires",
    "join-overfills",
    "each-outside-batch",
    "each-also-outside-batch",
    "batches-mixed",
    "batch-work-escapes",
    "join-feeds-itself",
    "run-without-end",
    "race-between-ends",
    "race-with-the-end",
    "unbounded-cycle",
    "of-is-missing",
    "unreachable-step",
    "may-be-null",
    "wrong-fill",
    "wrong-value",
    "never-null",
    "join-from-outside",
    "batch-not-collected",
    "batch-without-each",
)
"""What may rightly be said of a flow whose join is another one."""


def accepting(source: Source, *forms: str) -> Iterator[tuple[Address, Any, int, int]]:
    """What steps accept on one line: joins of these forms, lists (`[]`), or events by themselves (`A`)."""
    for step, content in source.data["steps"].items():
        value = content.get("accepts") if isinstance(content, dict) else None
        form = "A" if isinstance(value, str) else "[]" if isinstance(value, list) else ""
        form = form or next((each for each in ("all", "any", "each") if value and each in value), "")
        address: Address = ("steps", step, "accepts")
        start, end = source.document.stretch(Place(address)) if form in forms else (0, 0)
        if form in forms and "\n" not in source.text[start:end]:
            yield address, value, start, end


def rewritten(source: Source, site: Site, new: str, codes: tuple[str, ...] = FLOW) -> Mutant:
    """The spec with another join; the finding may be anywhere in the step, or where its event comes from."""
    begin, _ = source.document.stretch(Place(site.address[:2], "key"))
    _, end = source.document.stretch(Place(site.address[:2]))
    text = source.with_text(site.start, site.end, new)
    name = f"{source.name}: {'.'.join(map(str, site.address))}: {source.text[site.start : site.end]} → {new}"
    stop = end + len(new) - site.end + site.start
    return Mutant(
        name, text, codes, begin, stop, loose=True, anywhere=("event-never-accepted", "batch-without-each")
    )


def of_all(source: Source, other: str) -> Iterator[Mutant]:
    for address, value, start, end in accepting(source, "all"):
        if all(isinstance(each, str) for each in value["all"]) and set(value) <= {"all"}:
            listed = ", ".join(value["all"])
            first = value["all"][0]
            new = {"any": f"{{any: [{listed}]}}", "each": f"{{each: [{listed}]}}", "A": first}[other]
            yield rewritten(source, Site(address, value, start, end), new)


@mutation(often_harmless=True)
def any_for_all(source: Source, chance: Random) -> Iterator[Mutant]:
    yield from of_all(source, "any")


@mutation(often_harmless=True)
def each_for_all(source: Source, chance: Random) -> Iterator[Mutant]:
    yield from of_all(source, "each")


@mutation()
def one_event_for_all(source: Source, chance: Random) -> Iterator[Mutant]:
    yield from of_all(source, "A")


@mutation(often_harmless=True)
def all_for_any_or_a_list(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, value, start, end in accepting(source, "any", "[]"):
        events = value["any"] if isinstance(value, dict) else value
        yield rewritten(source, Site(address, value, start, end), f"{{all: [{', '.join(events)}]}}")


@mutation(often_harmless=True)
def one_event_for_a_batch(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, value, start, end in accepting(source, "each"):
        if isinstance(value["each"], str):
            yield rewritten(source, Site(address, value, start, end), value["each"])


@mutation(often_harmless=True)
def all_for_a_batch(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, value, start, end in accepting(source, "each"):
        names = [value["each"]] if isinstance(value["each"], str) else value["each"]
        yield rewritten(source, Site(address, value, start, end), f"{{all: [{', '.join(names)}]}}")


@mutation()
def batch_for_one_event(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, value, start, end in accepting(source, "A"):
        yield rewritten(source, Site(address, value, start, end), f"{{each: {value}}}")


@mutation(often_harmless=True)
def other_event_in_a_join(source: Source, chance: Random) -> Iterator[Mutant]:
    """An event of the spec in the place of another one that a join waits for."""
    events = sorted(source.declared("events"))
    for address, value, _, _ in accepting(source, "all", "each"):
        form = "all" if "all" in value else "each"
        joined = value[form] if isinstance(value[form], list) else [value[form]]
        for index, each in enumerate(joined):
            others = [name for name in events if name not in joined]
            if not isinstance(each, str) or not others:
                continue
            place = (*address, form, index) if isinstance(value[form], list) else (*address, form)
            begin, stop = source.document.stretch(Place(place))
            codes = (*FLOW, "unknown-field", "event-never-accepted", "end-event-accepted")
            yield rewritten(source, Site(place, each, begin, stop), chance.choice(others), codes)


WORDS = (
    "match_by: id",
    "on: id",
    "by: id",
    "timeout: 30s",
    "mode: all",
    "order: false",
    "group_by: id",
    "min: 2",
    "key: id",
)


@mutation()
def foreign_key_of_a_join(source: Source, chance: Random) -> Iterator[Mutant]:
    for address, _, _, end in accepting(source, "all", "any", "each"):
        if source.text[end - 1] == "}":
            new = chance.choice(WORDS)
            text = source.with_text(end - 1, end - 1, f", {new}")
            name = f"{source.name}: {'.'.join(map(str, address))}: {new}"
            codes = ("unknown-key", "former-key", "join-by-value")
            yield Mutant(name, text, codes, end + 1, end + 1 + new.index(":"), loose=True)


@mutation(often_harmless=True)
def join_as_a_list_of_maps(source: Source, chance: Random) -> Iterator[Mutant]:
    """`all: A, B`, `[{all: [A, B]}]` and a join under its own name."""
    for address, value, start, end in accepting(source, "all", "any"):
        form = next(iter(value))
        names = [each for each in value[form] if isinstance(each, str)]
        shapes = [
            f"[{{{form}: [{', '.join(names)}]}}]",
            f"{{{form}: {names[0]}}}",
            f"{{{form}_of: [{', '.join(names)}]}}",
        ]
        codes = (
            "wrong-type",
            "unknown-key",
            "too-few-alternatives",
            "unknown-event",
            "no-such-form",
            "nothing-in-it",
        )
        if len(names) == len(value[form]) and len(value) == 1:
            yield rewritten(source, Site(address, value, start, end), chance.choice(shapes), codes)


@mutation(often_harmless=True)
def event_for_a_batch(source: Source, chance: Random) -> Iterator[Mutant]:
    """`emit: Item` where `emit: {each: …}` is meant."""
    for address, value in source.everything:
        if address[-1] == "each" and isinstance(value, dict) and "emit" in address and len(address) == 4:
            start, end = source.document.stretch(Place(address[:-1]))
            if source.text[start : start + 1] == "{" and "\n" not in source.text[start:end]:
                codes = ("unfilled-field", *FLOW)
                yield rewritten(source, Site(address[:-1], value, start, end), value["event"], codes)
