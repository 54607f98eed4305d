"""Keys that the language had once: reported with what is written today, and read as that."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Edit, Fix, Place, Report
from wfc.compiler.rules import fixes
from wfc.compiler.rules import shape as problems
from wfc.compiler.yaml import Document

__all__ = ["as_written_today"]

Schema = Mapping[str, Any]
Entries = dict[str, Any]

RENAMED: Final[Mapping[str, str]] = {
    "args": "with",
    "prompts": "texts",
    "total_timeout": "within",
    "min_items": "min_length",
    "max_items": "max_length",
}
"""Keys that only have another name today; the new one tells in which maps."""
BESIDE: Final[Mapping[str, str]] = {
    "args": "tool",
    "prompts": "imports",
    "total_timeout": "max_attempts",
    "min_items": "one_of",
    "max_items": "one_of",
    "never_ran": "emitted",
    "top_p": "temperature",
    "seed": "temperature",
}
"""A key that the same map knows, by which it is the one that knew the former key."""
MOVED: Final[Mapping[str, str]] = {"never_ran": "ran", "top_p": "settings", "seed": "settings"}
"""Keys whose content stands inside another one today."""
REWRITTEN: Final[Mapping[str, tuple[tuple[object, ...], Entries]]] = {
    "on_item_error": ((None, "null"), {"give": None}),
}
"""Keys of which some values are written otherwise today: those values, and what they are now."""
FIELDS: Final = frozenset({"min_items", "max_items"})
"""Keys that may be names of fields as well, of a record that is written in place, unless they hold a number."""
PLAIN_NAME: Final = re.compile(r"[^\W\d]\w*")


def as_written_today(
    value: Entries, schema: Schema, address: Address, document: Document, report: Report
) -> Entries:
    """Return a map with the keys of today; report those of former times, each with a fix if there is a safe one."""
    properties = schema.get("properties", {})
    for key in [key for key in value if BESIDE.get(key, "") in properties and key not in properties]:
        if key in FIELDS and not isinstance(value[key], int):
            continue
        change = moved if key in MOVED else renamed
        value = change(value, key, address, document, report)
    for key in [key for key in REWRITTEN if key in value and key in properties]:
        former, now = REWRITTEN[key]
        if not isinstance(value[key], (dict, list)) and value[key] in former:
            shown, place = "{give: null}", Place((*address, key))
            fix = fixes.replace_value(place, shown, applicability="safe")
            report(problems.former_value(place, key, "null", shown, fix))
            value = {**value, key: now}
    return value


def renamed(value: Entries, key: str, address: Address, document: Document, report: Report) -> Entries:
    now, place = RENAMED[key], Place((*address, key), "key")
    if now in value:
        report(
            problems.former_key(place, key, f"`{now}`", f"it is written `{now}`, which stands here already")
        )
        return {name: each for name, each in value.items() if name != key}
    report(
        problems.former_key(place, key, f"`{now}`", fix=fixes.replace_text(place, now, applicability="safe"))
    )
    document.rename((*address, key), now)
    return {now if name == key else name: each for name, each in value.items()}


def moved(value: Entries, key: str, address: Address, document: Document, report: Report) -> Entries:
    """Put what a key holds into the map under another key, which may be there or not."""
    home = MOVED[key]
    entries, place = entries_of(key, value[key]), Place((*address, key), "key")
    there = value.get(home, {})
    rest = {name: each for name, each in value.items() if name != key}
    if entries is None or not isinstance(there, dict):
        report(problems.former_key(place, key, f"`{home}: {{{example(key)}}}`"))
        return rest
    if twice := [name for name in entries if name in there]:
        report(
            problems.former_key(place, key, "", f"`{home}` has `{twice[0]}` already: remove one of the two")
        )
        return rest
    shown = "{" + ", ".join(f"{name}: {each}" for name, each in entries.items()) + "}"
    fix = fix_for_move(place, home, there, entries) if all(map(PLAIN_NAME.fullmatch, entries)) else None
    report(problems.former_key(place, key, f"`{home}: {shown}`", fix=fix))
    if home not in value:
        document.rename((*address, key), home)
    return {**rest, home: {**there, **entries}}


def entries_of(key: str, content: object) -> Entries | None:
    """Return what a former key says, as entries of the map in which it stands today."""
    if key != "never_ran":
        return {key: content} if isinstance(content, (int, float)) and not isinstance(content, bool) else None
    listed = content if isinstance(content, list) else [content]
    names = [each for each in listed if isinstance(each, str)]
    return dict.fromkeys(names, 0) if names and len(names) == len(listed) else None


def example(key: str) -> str:
    return "name_of_a_step: 0" if key == "never_ran" else f"{key}: …"


def fix_for_move(place: Place, home: str, there: Entries, entries: Entries) -> Fix | None:
    """Return the fix that writes the entries where they stand today."""
    written = [f"{name}: {each}" for name, each in entries.items()]
    title = f"write `{home}: {{{', '.join(written)}}}`"
    above = Place((*place.address[:-1], home))
    if there:
        first = (above / next(iter(there))).key
        edits = [Edit(first, each, how="before") for each in written]
        return Fix(title, (*edits, Edit(Place(place.address), how="remove")), "safe")
    edits = [Edit(place, home), Edit(Place(place.address), "{" + ", ".join(written) + "}", how="rewrite")]
    return Fix(title, tuple(edits), "safe")
