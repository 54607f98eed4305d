"""Sections without the line that begins them: their declarations belong to the section above, or stand under a key that
nobody knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise, takewhile
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.recovery.bare_keys import DEEPEST, keys_of
from wfc.compiler.recovery.suspicion import Data, Suspicion, renamed
from wfc.compiler.rules import shape as problems
from wfc.compiler.rules.phrases import joined
from wfc.compiler.schema.expansion import schema
from wfc.compiler.schema.words import owner
from wfc.compiler.slotted import replace

__all__ = ["lost_sections"]

SECTIONS: Final = ("models", "tools", "agents", "knowledge", "threads", "retries", "resources", "triggers")
"""Those whose declarations have keys of the language alone, so that they can be told by them."""
CAPITAL: Final = frozenset({"events", "types"})
OPEN: Final = frozenset({"config", "state", *CAPITAL})
"""Sections of fields, whose names the author chooses."""


def lost_sections(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect that the line above some declarations is missing, stands elsewhere, or has another key than is meant."""
    yield from low_lines(data)
    top = schema()["$defs"]["spec"]
    absent = [each for each in SECTIONS if data.get(each) is None]
    found = {each.place.address[0] for each in findings if each.place.address}
    for above in [each for each in data if each in found]:
        entries = data[above]
        for section in absent if isinstance(entries, dict) else ():
            if section in entries:
                continue  # its line is there, indented too far: see `moved_blocks`
            is_there = section in data  # with nothing below it
            names = (
                [key for key in entries if fits(entries[key], section)]
                if is_there
                else last_that_fit(entries, section)
            )
            if not is_there and above not in top["properties"] and len(names) == len(entries) > 0:
                hint = f"write `{section}`"
                finding = problems.unknown_key(Place((above,), "key"), above, owner((), top), hint)
                yield Suspicion(finding, renamed(data, (above,), section), (((above,), (section,)),), 2)
            elif names and above in top["properties"] and above != "steps":
                yield without_line(data, above, section, names)


def low_lines(data: Data) -> Iterator[Suspicion]:
    """Suspect that the line of a section stands too low, below what is declared there: events and types are told from
    other fields by their capital letters.
    """
    for above, section in pairwise(data):
        entries = data[above]
        if (
            data[section] is not None
            or section not in OPEN
            or above not in OPEN
            or not isinstance(entries, dict)
        ):
            continue
        capital = section in CAPITAL
        names = last_in_style(entries, capital=capital)
        if names and (above in CAPITAL) != capital:
            found = without_line(data, above, section, names)
            hint = f"move the line `{section}:` above `{names[0]}`"
            yield replace(found, finding=replace(found.finding, hint=hint))


def last_in_style(entries: Data, *, capital: bool) -> list[str]:
    """Return the last names that begin with a capital letter, or without one."""
    return list(takewhile(lambda key: key[:1].isupper() == capital, reversed(entries)))[::-1]


def last_that_fit(entries: Data, section: str) -> list[str]:
    """Return the names of the last declarations that may be those of a section."""
    return list(takewhile(lambda key: fits(entries[key], section), reversed(entries)))[::-1]


def fits(content: object, section: str) -> bool:
    """Return whether a declaration has only keys that those of a section have."""
    return isinstance(content, dict) and bool(content) and content.keys() <= keys(section)


@cache
def keys(section: str) -> frozenset[str]:
    """Return the keys of the declarations of a section."""
    definitions = schema()["$defs"]
    content = definitions["spec"]["properties"][section]
    while "$ref" in content:
        content = definitions[content["$ref"].removeprefix("#/$defs/")]
    return frozenset(keys_of(content["additionalProperties"], definitions, DEEPEST))


def without_line(data: Data, above: str, section: str, names: Sequence[str]) -> Suspicion:
    """Return the suspicion that the last declarations of one section are those of another one."""
    several = len(names) > 1
    finding = problems.misplaced_key(
        Place((above, names[0]), "key"),
        f"{joined(names)} {'stand' if several else 'stands'} under `{above}`, and "
        f"{'seem' if several else 'seems'} to belong under `{section}`",
        f"move {'them' if several else 'it'} there"
        if section in data
        else f"write `{section}:` above `{names[0]}`",
    )
    left = {key: each for key, each in data[above].items() if key not in names}
    changed = {**data, above: left, section: {key: data[above][key] for key in names}}
    return Suspicion(finding, changed, tuple(((above, key), (section, key)) for key in names), 2)
