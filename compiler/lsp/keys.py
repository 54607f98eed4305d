"""What the JSON Schema says of keys: which there are below a path, and what each is for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wfc.compiler.schema.expansion import schema

__all__ = ["choices_at", "keys_at", "needed_at", "said_of"]

Schema = Mapping[str, Any]


def keys_at(path: Sequence[str], data: Any) -> dict[str, str]:
    """Return the keys that may stand below a path, each with what it is for.

    Args:
        data: Of the document, for what depends on other keys, such as the kind of a step.
    """
    found: dict[str, str] = {}
    for each in schemas_at(path, data):
        for key, value in each.get("properties", {}).items():
            found.setdefault(key, description(value))
    return found


def needed_at(path: Sequence[str], data: Any) -> list[str]:
    """Return the keys that must stand below a path."""
    return list(dict.fromkeys(key for each in schemas_at(path, data) for key in each.get("required", ())))


def said_of(path: Sequence[str], data: Any) -> str:
    """Return what the last key of a path is for; empty if the schema does not say."""
    return keys_at(path[:-1], data).get(path[-1], "") if path else ""


def choices_at(path: Sequence[str], data: Any) -> list[str]:
    """Return the texts among which a value must be chosen; empty if there is no such choice."""
    found: dict[str, None] = {}
    for each in schemas_at(path, data):
        values = [*each.get("enum", ()), *([each["const"]] if "const" in each else ())]
        found |= dict.fromkeys(
            str(value).lower() if isinstance(value, bool) else str(value) for value in values
        )
        if each.get("type") == "boolean":
            found |= {"true": None, "false": None}
    return list(found)


def description(value: Any) -> str:
    for each in opened(value, None):
        if said := each.get("description") or each.get("title"):
            return str(said)
    return ""


def schemas_at(path: Sequence[str], data: Any) -> list[Schema]:
    now = list(opened(schema(), data))
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
        below = [each for one in now for each in children(one, key)]
        now = [each for one in below for each in opened(one, data)]
    return now


def children(one: Schema, key: str) -> Iterator[Any]:
    """Yield the schemas of the values that a key may have; items of lists are passed through."""
    properties = one.get("properties", {})
    if key in properties:
        yield properties[key]
    else:
        yield from one.get("patternProperties", {}).values()
        if isinstance(more := one.get("additionalProperties"), dict):
            yield more


def opened(one: Any, data: Any, depth: int = 0) -> Iterator[Schema]:
    """Yield a schema and all that it may be made of: references, alternatives, and items of lists."""
    if not isinstance(one, dict) or depth > 12:
        return
    yield one
    if name := one.get("$ref", "").removeprefix("#/$defs/"):
        yield from opened(schema()["$defs"].get(name), data, depth + 1)
    if "if" in one:
        chosen = one.get("then") if holds(one["if"], data) else one.get("else")
        yield from opened(chosen, data, depth + 1)
    for keyword in ("allOf", "anyOf", "oneOf"):
        for each in one.get(keyword, ()):
            yield from opened(each, data, depth + 1)
    if "items" in one:
        yield from opened(one["items"], data[0] if isinstance(data, list) and data else None, depth + 1)


def holds(condition: Schema, data: Any) -> bool:
    """Return whether data meet a condition of our schema, which asks for keys and for constants."""
    if not isinstance(data, dict) or "allOf" in condition:
        return False  # a file of declarations: all of its keys are a spec's, too
    if "anyOf" in condition:
        return any(holds(each, data) for each in condition["anyOf"])
    if not all(key in data for key in condition.get("required", ())):
        return False
    wanted = condition.get("properties", {})
    return all(key in data and data[key] == each["const"] for key, each in wanted.items() if "const" in each)
