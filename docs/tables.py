"""The tables of `reference.md`, from the schema and the compiler's own tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from computing import filter_tables, operators
from excerpts import excerpt
from rows import table
from words import ERROR_WORDS, SCALAR_WORDS, SECTIONS, UNIT_WORDS

from wfc.compiler.expressions.conditions.narrowing import KINDS
from wfc.compiler.expressions.filters.moments import DATE_DIRECTIVES, TIME_DIRECTIVES
from wfc.compiler.model.kinds import ABOUT_ACTIONS
from wfc.compiler.resolve.declarations.retries import DEFAULTS
from wfc.compiler.resolve.values.error_names import KNOWN, UNCAUGHT
from wfc.compiler.schema.expansion import schema
from wfc.compiler.schema.keywords import NOT_YET
from wfc.compiler.types import (
    BUILT_IN,
    show,
)
from wfc.compiler.types.constraints import FORMATS
from wfc.compiler.types.durations import UNITS
from wfc.compiler.types.parse import SCALARS
from wfc.runtime.values.moments import formatted

__all__ = ["reference"]

Schema = Mapping[str, Any]

DOCS: Final = Path(__file__).parent
SHAPES: Final[Mapping[str, Schema]] = schema()["$defs"]
BLOCK: Final = re.compile(r"<!-- generated: (?P<what>[^>]*?) -->\n.*?<!-- end -->", re.DOTALL)


# --- keys


def resolved(schema: Schema) -> tuple[Schema, str]:
    """What stands at a key, its own words first, and the name of its shape."""
    name = schema.get("$ref", "").rpartition("/")[2]
    return ({**SHAPES[name], **schema} if name else schema), name


def later(schema: Schema) -> bool:
    return schema.get("$comment") == NOT_YET


def chosen(*names: str) -> tuple[tuple[str, ...], dict[str, tuple[str, str, Schema]]]:
    """Shapes, and those of their keys that are supported: all, `only` those named after it, or all `without` them.

    Each key comes once, with the name of its shape and what the schema says of it.
    """
    word = next((each for each in names if each in {"only", "without"}), "")
    at = names.index(word) if word else len(names)
    names, named_keys = names[:at], names[at + 1 :]
    found: dict[str, tuple[str, str, Schema]] = {}
    for name in names:
        shape, _ = resolved({"$ref": f"#/$defs/{name}"})
        for key, each in shape["properties"].items():
            if later(each) or (key == "kind" and name.endswith("_action")):
                continue
            if not word or (key in named_keys) == (word == "only"):
                found.setdefault(key, (name, key, each))
    assert set(named_keys) <= set(found) or word != "only", named_keys
    ordered = named_keys if word == "only" else tuple(found)
    return names, {key: found[key] for key in ordered}


def keys(*names: str) -> str:
    """The keys of shapes as a table."""
    shapes, found = chosen(*names)
    rows = [
        key_row(name, key, each, required=len(shapes) == 1 and key in SHAPES[name].get("required", ()))
        for name, key, each in found.values()
    ]
    return table(("key", "holds", "meaning"), rows)


def key_row(owner: str, key: str, schema: Schema, *, required: bool) -> tuple[str, str, str]:
    whole, name = resolved(schema)
    title = whole.get("title", "")
    holds = f"[{title}](#{SECTIONS[name]})" if name in SECTIONS else title
    if not title and "const" in whole:
        holds = f"`{whole['const']}`"
    words = ["**Required.**"] if required else []
    words += [whole.get("description", "")]
    words += [f"Not given: {default(key)}."] if owner == "retry_policy" and not required else []
    if owner.endswith("_step") and key in ABOUT_ACTIONS:
        words.append("Not for `transform`, `human` and `wait`.")
    elif owner.endswith("_step") and key == "require":
        words.append("Not for `transform`, `wait` and `send`.")
    words += [f"`{each}` is not supported yet." for each in values_later(schema)]
    return f"`{key}`", holds, " ".join(filter(None, words))


def values_later(schema: Schema) -> list[str]:
    """Values of a key of which the schema knows that they are to come."""
    return [schema["then"]["const"]] if later(schema.get("then", {})) and "const" in schema["then"] else []


def default(key: str) -> str:
    """What a retry policy is where it says nothing."""
    value = getattr(DEFAULTS, key)
    if value is None:
        return "no bound"
    if value == ():
        return "any error" if key == "retry_on" else "none"
    return f"`{value:g}s`" if key in {"delay", "max_delay", "jitter"} else f"`{value:g}`"


def kinds() -> str:
    found = SHAPES["step"]["properties"]["kind"]["enum"]
    rows = []
    for kind in found:
        shape = SHAPES[f"{kind}_step"]["properties"]
        own = own_keys(kind)
        if not later(shape["kind"]):
            listed = ", ".join(f"`{key}`" for key in own) or "none"
            rows.append((f"[`{kind}`](#{kind})", shape["kind"]["description"], listed))
    return table(("kind", "what it does", "keys of its own"), rows)


def own_keys(kind: str) -> list[str]:
    """The keys that a kind of step has for itself."""
    usual, shape = SHAPES["transform_step"]["properties"], SHAPES[f"{kind}_step"]["properties"]
    return [key for key, each in shape.items() if key not in usual and not later(each)]


def own(kind: str) -> str:
    """The same, as a table."""
    shape = SHAPES[f"{kind}_step"]
    rows = [
        key_row("", key, shape["properties"][key], required=key in shape["required"])
        for key in own_keys(kind)
    ]
    return table(("key", "holds", "meaning"), rows)


# --- small tables


def scalar_types() -> str:
    rows = [(f"`{name}`", *SCALAR_WORDS[name]) for name in SCALARS]
    return table(("type", "a value is a", "such as"), rows)


def built_in() -> str:
    rows = []
    for record in BUILT_IN.values():
        fields = "; ".join(f"`{name}`: {show(field.type)}" for name, field in record.fields.items())
        rows.append((f"`{record.name}`", record.description, fields))
    return table(("type", "a value is", "fields"), rows)


def units() -> str:
    assert set(UNITS.values()) == {UNITS[name] for name in UNIT_WORDS}
    rows = []
    for name, (words, example) in UNIT_WORDS.items():
        alike = ", ".join(f"`{each}`" for each, size in UNITS.items() if size == UNITS[name] and each != name)
        rows.append((f"`{name}`", alike, words, f"`{example}`"))
    return table(("unit", "also", "means", "such as"), rows)


def errors() -> str:
    assert set(KNOWN) == set(ERROR_WORDS)
    return table(("error", "what happened"), [(f"`{name}`", ERROR_WORDS[name]) for name in KNOWN])


def uncaught() -> str:
    return table(("error", "why it cannot be caught"), [(f"`{name}`", why) for name, why in UNCAUGHT.items()])


def directives() -> str:
    rows = [
        (f"`{name}`", words, formatted(datetime(2026, 3, 9, 14, 5, 7, 250, tzinfo=UTC), name))
        for name, words in {**DATE_DIRECTIVES, **TIME_DIRECTIVES}.items()
    ]
    return table(
        ("directive", "stands for", "such as"), [(name, words, f"`{eg}`") for name, words, eg in rows]
    )


def named(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names) + "."


TABLES: Final = {
    "keys": keys,
    "kinds": kinds,
    "operators": operators,
    "filters": filter_tables,
    "scalars": scalar_types,
    "built in": built_in,
    "units": units,
    "errors": errors,
    "uncaught errors": uncaught,
    "directives": directives,
    "formats": lambda: named(FORMATS),
    "kinds of value": lambda: named(KINDS),
}


def generated(what: str) -> str:
    """The text of a block: a table by its name, or `own`, `shown` or `keys` and of what."""
    first, *rest = what.split()
    if what in TABLES:
        return TABLES[what]()
    return {"own": own, "shown": excerpt, "keys": keys}[first](*rest)


def reference(page: str) -> str:
    """The page with its blocks as they are now."""

    def block(match: re.Match[str]) -> str:
        what = match["what"]
        text = index(page) if what == "index" else generated(what)
        return f"<!-- generated: {what} -->\n\n{text}\n\n<!-- end -->"

    return BLOCK.sub(block, page)


def index(page: str) -> str:
    """Every key that has a table on the page, with the headings under which it is told."""
    places: dict[str, dict[str, None]] = {}
    heading = ""
    for match in re.finditer(
        r"^#{2,} (?P<heading>.*)$|<!-- generated: (?P<what>[^>]*?) -->", page, re.MULTILINE
    ):
        if match["heading"]:
            heading = match["heading"].replace("`", "")
        elif match["what"].split()[0] in {"keys", "own"}:
            for key in keys_of(match["what"]):
                places.setdefault(key, {})[heading] = None
    rows = [
        (f"`{key}`", ", ".join(f"[{each}](#{anchor(each)})" for each in found))
        for key, found in sorted(places.items())
    ]
    return table(("key", "told under"), rows)


def keys_of(what: str) -> list[str]:
    """The keys in the table of a block."""
    first, *rest = what.split()
    return own_keys(rest[0]) if first == "own" else list(chosen(*rest)[1])


def anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
