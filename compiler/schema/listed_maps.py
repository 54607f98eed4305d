"""Maps from names that are written as lists, each entry with its name inside: how they are written as maps."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

__all__ = ["fields_of_list", "map_for_list", "record_for_list"]

NAMES: Final = ("name", "id", "event", "step")
"""Keys under which an entry of a list has its name elsewhere, the likeliest first."""
INSIDE: Final = frozenset({"attributes", "data", "fields", "params", "payload", "properties", "schema"})
"""Keys under which its fields stand elsewhere."""
TYPES: Final = ("type", "kind", "of")
WITHOUT_CONTENT: Final = {
    "events": "{}",
    "types": "{…}",
    "steps": "{…}",
    "state": "string",
    "config": "string",
}
"""What stands behind a name of which nothing is said."""
DECLARED: Final = frozenset(
    {"agents", "events", "knowledge", "models", "retries", "steps", "threads", "tools", "triggers", "types"}
)
"""Sections of things that have names, of which a list has one with its name inside each."""
PLAIN: Final = r"(?!(?:true|false|null|yes|no|on|off)\Z)[^\W\d][\w ]*"
"""A text that needs no quotes."""
LONGEST: Final = 20
MOST_SHOWN: Final = 4
INSTEAD: Final = "write a map instead of a list: "
IN_GENERAL: Final = f"{INSTEAD}begin each entry with its name and a colon, without `- ` and `[ ]`"


def map_for_list(value: Sequence[Any], key: str) -> str:
    """Return how a list is written that stands where a map from names is wanted.

    Args:
        key: Under which it stands.
    """
    if all(isinstance(each, str) and each.isidentifier() for each in value) and key in WITHOUT_CONTENT:
        entries = ", ".join(f"{each}: {WITHOUT_CONTENT[key]}" for each in value[:MOST_SHOWN])
        more = ", …" if len(value) > MOST_SHOWN else ""
        said = {"events": "its fields", "types": "its fields", "steps": "its keys"}.get(key, "its type")
        return f"{INSTEAD}`{key}: {{{entries}{more}}}`, each name with {said}"
    if key not in DECLARED and (single := single_entries(value)):
        return f"{INSTEAD}`{{{', '.join(single[:MOST_SHOWN])}{', …' if len(single) > MOST_SHOWN else ''}}}`"
    names = [found for each in value if (found := name_in(each)) is not None]
    if len(names) < len(value) or not names:
        return IN_GENERAL
    name_key, name = names[0]
    inside = next((each for each in value[0] if each in INSIDE), "")
    also = f", without `{inside}:`, for the fields stand directly under the name" if inside else ""
    return f"{INSTEAD}begin each entry with its name, `{name}:` in place of `- {name_key}: {name}`{also}"


def single_entries(value: Sequence[Any]) -> list[str]:
    """Return the entries of the map that is meant by a list of maps with one entry each, as `[size: 3]` makes it; none
    if a list of something else stands there.
    """
    if not all(isinstance(each, Mapping) and len(each) == 1 for each in value):
        return []
    entries = [next(iter(each.items())) for each in value]
    if len({str(name) for name, _ in entries}) < len(entries):
        return []
    return [f"{name}: {shown(content)}" for name, content in entries]


def shown(content: Any) -> str:
    """Return a value as it is written, if it is short and plain; else three dots."""
    if isinstance(content, bool):
        return str(content).lower()
    text = str(content)
    is_plain = isinstance(content, (int, float)) or (isinstance(content, str) and re.fullmatch(PLAIN, text))
    return text if is_plain and len(text) <= LONGEST else "…"


def name_in(entry: Any) -> tuple[str, str] | None:
    """Return the key under which an entry of a list has its name, and the name; ``None`` if it has none."""
    if not isinstance(entry, Mapping) or (
        len(entry) == 1 and isinstance(next(iter(entry.values())), (dict, list))
    ):
        return None
    for key in NAMES:
        name = entry.get(key)
        if isinstance(name, str) and name.isidentifier():
            return key, name
    return None


def fields_of_list(value: Sequence[Mapping[str, Any]]) -> str:
    """Return how fields are written of which each is a map, with its name or under its name."""
    fields = list[str]()
    for each in value:
        name = each.get("name")
        if isinstance(name, str) and name.isidentifier() and len(each) > 1:
            type = next((each[key] for key in TYPES if isinstance(each.get(key), str)), "…")
            fields.append(f"{name}: {type if len(each) == 2 else '…'}")
        else:
            fields += [f"{field}: …" for field in each]
    return f"write one map instead of a list, without `- ` and `[ ]`: `{{{', '.join(fields[:MOST_SHOWN])}}}`"


def record_for_list(value: Sequence[Any], *, is_type: bool) -> str:
    """Return how a record is written in whose place a list stands; empty if that is not clear.

    Args:
        is_type: Whether a choice of texts is wanted there as well.
    """
    if all(isinstance(each, Mapping) and each for each in value):
        return fields_of_list(value)
    if not all(isinstance(each, str) and each for each in value):
        return ""
    if not all(each.isidentifier() for each in value):
        return ""
    shown = [*value[:MOST_SHOWN], *["…"] * (len(value) > MOST_SHOWN)]
    fields = ", ".join(each if each == "…" else f"{each}: …" for each in shown)
    said = f"write `{{{fields}}}`, each field with its type"
    if not is_type or len(value) == 1:
        return said
    return f"{said}; if one of these texts is wanted, a field for it: `{{choice: {{enum: [{', '.join(shown)}]}}}}`"
