"""Values that stand at each other's place: of two keys of one map, or of two declarations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Finding, Place, Severity
from wfc.compiler.recovery.suspicion import Data, Suspicion, at, with_value
from wfc.compiler.rules import shape as problems
from wfc.compiler.yaml import BROKEN

__all__ = ["exchanged", "exchanged_declarations", "exchanged_values"]

SECTIONS: Final = ("events", "types", "steps", "tools", "models", "agents", "texts", "state", "config")
"""Sections in which two declarations may have each other's content."""
OF_FIELDS: Final = ("events", "types")
RECORDS: Final = {"agents": ("output",), "steps": ("form", "output"), "tools": ("args", "output")}
"""Keys of declarations under which fields stand with their types."""
KEPT: Final = ("config", "state")
"""Sections whose fields are asked for by the section's own name, so that each may stand under the other's."""
MENTIONED: Final = re.compile(r"`([^`]+)`")
WORD: Final = re.compile(r"[^\W\d]\w*")
OF_KEPT: Final = tuple(f"`{each}` has no field" for each in KEPT)
OF_ENDS: Final = frozenset({"end-event-accepted", "start-event-emitted"})
"""Findings at steps that may come of the start and the end being exchanged."""
NAMING: Final = frozenset({*SECTIONS, "tests", "triggers"})
DEEP: Final = 3
"""From how many keys on a place in a section says nothing of the section as a whole."""
DEPTH_OF_AREAS: Final = 3
"""How many keys down a place is the same, such as the mocks of one test."""
MOST_PAIRS: Final = 8
MOST_DECLARED: Final = 8
MOST_FIELDS: Final = 6
"""How many exchanges are tried, of declarations and of their fields."""
MOST_KEYS: Final = 16
MOST_SECTIONS: Final = 4
LONGEST: Final = 400
"""How much is read of a text in which declarations may be named."""


def exchanged(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect exchanges: first of declarations where errors are at several places, and else of what stands there."""
    areas = {each.place.address[:DEPTH_OF_AREAS] for each in errors(findings)}
    if len(areas) > 1:
        yield from exchanged_declarations(data, findings)
    yield from exchanged_values(data, findings)
    if len(areas) == 1 < len(errors(findings)):
        yield from exchanged_declarations(data, findings)


def exchanged_values(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect two keys of one map of having each other's value, one of which an error is about."""
    counts: dict[tuple[Address, str], int] = {}
    for each in errors(findings):
        for end, key in enumerate(each.place.address):
            if isinstance(key, str) and (end or len(each.place.address) < DEEP or key not in NAMING):
                found = (each.place.address[:end], key)
                counts[found] = counts.get(found, 0) + 1
    pairs: dict[tuple[Address, str, str], int] = {}
    for (owner, key), many in counts.items():
        values = at(data, owner)
        if not isinstance(values, dict) or key not in values:
            continue
        few = len(values) <= MOST_KEYS
        for other in values if few else [each for each in values if (owner, each) in counts]:
            is_named = looks_like_path(values[key]) or looks_like_path(
                values[other]
            )  # no guess is read as a file
            is_read = BROKEN not in (values[key], values[other])
            differ = other != key and values[other] != values[key]
            if differ and is_read and not is_declaration(owner) and not is_named:
                first, second = sorted((key, other), key=list(values).index)
                pair = (owner, first, second)
                also = counts.get((owner, other), 0)
                pairs[pair] = (many + also) * (2 if also else 1)  # both wrong is the likeliest
    if any(each.place.address[:1] != ("tests",) for each in errors(findings)):
        # what a test says shows what is wrong elsewhere, too
        pairs = {each: many for each, many in pairs.items() if each[0][:1] != ("tests",)}
    likely = sorted(pairs, key=lambda each: (-pairs[each], -len(each[0])))
    for owner, key, other in likely[: 2 * MOST_PAIRS]:
        yield exchange(data, owner, key, other, 1)


def exchanged_declarations(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect two declarations, or two fields of one, of having each other's content, one of which errors mention."""
    found = errors(findings)
    yield from exchanged_sections(data, found)
    if isinstance(data.get("start"), str) and isinstance(data.get("end"), str) and codes_of(found) & OF_ENDS:
        yield exchange(data, (), "start", "end", 2)
    if all(isinstance(data.get(each), dict) for each in KEPT) and any(
        each.message.startswith(OF_KEPT) for each in found
    ):
        first, second = sorted(KEPT, key=list(data).index)
        yield exchange(data, (), first, second, 2)
    yield from turned_steps(data, found)
    words = mentioned(data, found)
    tools = data.get("tools")
    for name, content in tools.items() if isinstance(tools, dict) else ():
        if name in words and size(content) > 1 and set(RECORDS["tools"]) <= content.keys():
            yield exchange(data, ("tools", name), "args", "output", 2)
    pairs = [
        (doubt, -words[key] - words[other], owner, key, other)
        for owner, values in declared(data)
        for doubt, key, other in doubts(values, words)
        if values[key] != values[other]
    ]
    pairs.sort(key=lambda each: (each[0], len(each[2]), each[1]))
    whole = [each for each in pairs if len(each[2]) == 1]
    fields = [each for each in pairs if len(each[2]) > 1]
    for *_, owner, key, other in [*whole[:MOST_DECLARED], *fields[:MOST_FIELDS]]:
        yield exchange(data, owner, key, other, 2)


def exchanged_sections(data: Data, found: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect two sections of having each other's declarations, where errors are in both."""
    wrong = {each.place.address[0] for each in found if len(each.place.address) > 1}
    named = [each for each in data if each in wrong and each in SECTIONS and isinstance(data[each], dict)]
    for first, second in combinations(named[:MOST_SECTIONS], 2):
        yield exchange(data, (), first, second, 2)


def mentioned(data: Data, found: Sequence[Finding]) -> Counter[str]:
    """Count the names that errors mention, those of their places and of the events used there, and the words there."""
    words = Counter(
        word for each in found for part in MENTIONED.findall(each.message) for word in set(WORD.findall(part))
    )
    words.update(step for each in found for step in each.place.address if isinstance(step, str))
    words.update(event for each in found for event in events_at(data, each.place.address))
    texts = (at(data, each.place.address) for each in found)
    words.update(
        word for each in texts if isinstance(each, str) for word in set(WORD.findall(each[:LONGEST]))
    )
    return words


def turned_steps(data: Data, found: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect steps of accepting what they are to emit, where nobody else emits that, or accepts what they emit."""
    lacking = {name for each in found if each.code == "event-never-emitted" for name in each.about}
    lost = {name for each in found if each.code == "event-never-accepted" for name in each.about}
    steps = data.get("steps") if lacking and lost else None
    for name, step in steps.items() if isinstance(steps, dict) else ():
        if not isinstance(step, dict):
            continue
        if lacking.intersection(names_in(step.get("accepts"))) and lost.intersection(
            names_in(step.get("emit"))
        ):
            yield exchange(data, ("steps", name), "accepts", "emit", 2)


def doubts(values: Mapping[str, Any], words: Container[str]) -> Iterator[tuple[int, str, str]]:
    """Generate the pairs of declarations that may be exchanged, each with how unlikely that is: by names which no error
    mentions, unless errors mention several of their fields.
    """
    fields = {
        key: {name for name in each if name in words} if isinstance(each, dict) else set()
        for key, each in islice(values.items(), MOST_KEYS)
    }
    likely = [key for key, names in fields.items() if key in words or names]
    for key, other in combinations(fields, 2) if likely else ():
        unlikely = (key not in words) + (other not in words) - (len(fields[key] | fields[other]) > 1)
        if unlikely < 2:
            yield unlikely, key, other


def events_at(data: Data, address: Address) -> list[str]:
    """Return the events whose fields are used at a place: those of a step, or, in a test, the start and the ends."""
    if address[:1] == ("tests",):
        used = [data.get("start")] if address[2:3] == ("start",) else []
        used += [data.get("end")] if address[2:3] == ("expect",) else []
        return [name for each in used for name in names_in(each)]
    step = at(data, address[:2]) if address[:1] == ("steps",) else None
    used = [step.get("accepts"), step.get("emit")] if isinstance(step, dict) else []
    return [name for each in used for name in names_in(each)]


def names_in(value: Any) -> list[str]:
    """Return the name, or the names, that stand somewhere."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [name for each in value for name in names_in(each)]
    return names_in(value.get("event")) if isinstance(value, dict) else []


def declared(data: Data) -> Iterator[tuple[Address, dict[str, Any]]]:
    """Generate the sections of declarations, and what in a declaration consists of fields with types."""
    for section in SECTIONS:
        names = data.get(section)
        if not isinstance(names, dict):
            continue
        yield (section,), names
        for name, content in names.items() if section in OF_FIELDS or section in RECORDS else ():
            if not isinstance(content, dict):
                continue
            if section in OF_FIELDS:
                yield (section, name), content
                continue
            for way in ((), ("do",)):  # the action of a `map` has them, too
                for key in RECORDS[section]:
                    address = (section, name, *way, key)
                    if isinstance(fields := at(data, address), dict):
                        yield address, fields


def codes_of(findings: Sequence[Finding]) -> set[str]:
    return {each.code for each in findings}


def errors(findings: Sequence[Finding]) -> list[Finding]:
    return [each for each in findings if each.severity is Severity.ERROR]


def is_declaration(owner: Address) -> bool:
    return len(owner) == 1 and owner[0] in SECTIONS


def size(value: object) -> int:
    """Return how many entries a map has; none of what is no map."""
    return len(value) if isinstance(value, dict) else 0


def looks_like_path(value: object) -> bool:
    return isinstance(value, str) and value.startswith(("./", "../"))


def exchange(data: Data, owner: Address, key: str, other: str, least: int) -> Suspicion:
    """Return the suspicion that two keys have each other's value. It holds only if neither could have the right
    value alone: where it is enough to change one of the two, nothing was exchanged.
    """
    values: dict[str, Any] = at(data, owner)
    finding = problems.exchanged_values(
        Place((*owner, key), "key"), key, other, Place((*owner, other), "key")
    )
    swapped = {**values, key: values[other], other: values[key]}
    halves = [{**values, key: values[other]}, {**values, other: values[key]}]
    if not is_declaration(owner) and min(map(size, (values[key], values[other]))) > 1:
        halves = []  # nobody means the same map twice, under two keys
    return Suspicion(
        finding,
        with_value(data, owner, swapped),
        explains=least,
        settled=((*owner, key), (*owner, other)),
        smaller=tuple(with_value(data, owner, each) for each in halves),
    )
