"""What the JSON Schema says of keys: which there are below a path, and what each is for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from wfc.compiler.schema.expansion import schema

__all__ = ["beginning_at", "choices_at", "keys_at", "kind_in_words", "means", "needed_at", "said_of"]

Schema = Mapping[str, Any]

SHAPES: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
}

DEEPEST: Final = 20
"""So many schemas may stand for each other."""


def keys_at(path: Sequence[str], data: Any) -> dict[str, str]:
    """Return the keys that may stand below a path, each with what it is for.

    Args:
        data: Of the document, for what depends on other keys, such as the kind of a step.
    """
    found: dict[str, str] = {}
    for each in schemas_at(path, data):
        for key, value in each.get("properties", {}).items():
            found[key] = found.get(key) or description(value)
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


def beginning_at(path: Sequence[str], data: Any) -> str:
    """Return how the value of a new section begins, behind its colon: below it where only a block can be meant."""
    schemas = list(schemas_at(path, data))
    if constants := {str(each["const"]) for each in schemas if "const" in each}:
        return f" {constants.pop()}" if len(constants) == 1 else " "
    shapes = [each["type"] for each in schemas if "type" in each]
    is_list = shapes[:1] == ["array"]
    below = shapes[1:] if is_list else shapes
    if not below or any(each != "object" for each in below):
        return " "
    return "\n  - " if is_list else "\n  "


def means(path: Sequence[str], data: Any, *names: str) -> bool:
    """Return whether a value at a path may be one of those that the schema has definitions of, such as `type`."""
    wanted = [schema()["$defs"][name] for name in names]
    return any(each is one for each in schemas_at(path, data) for one in wanted)


def kind_in_words(kind: str) -> str:
    """Return what a kind of step does; empty if there is none of this name."""
    step = schema()["$defs"].get(f"{kind}_step", {})
    return str(step.get("properties", {}).get("kind", {}).get("description", ""))


def description(value: Any) -> str:
    for each in opened(value, None):
        if said := each.get("description") or each.get("title"):
            return str(said)
    return ""


def schemas_at(path: Sequence[str], data: Any) -> list[Schema]:
    now = list(opened(schema(), data))
    for key in path:
        if isinstance(data, list):
            data = data[0] if len(data) == 1 else None
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
    if not isinstance(one, dict) or depth > DEEPEST:
        return
    yield one
    if name := one.get("$ref", "").removeprefix("#/$defs/"):
        yield from opened(schema()["$defs"].get(name), data, depth + 1)
    for each in chosen(one, data) if "if" in one else ():
        yield from opened(each, data, depth + 1)
    for keyword in ("allOf", "anyOf", "oneOf"):
        for each in one.get(keyword, ()):
            yield from opened(each, data, depth + 1)
    if "items" in one:
        item = data[0] if isinstance(data, list) and len(data) == 1 else None
        yield from opened(one["items"], item, depth + 1)


def chosen(one: Schema, data: Any) -> list[Any]:
    """Return which of several alternatives data are, or all that they may still become."""
    ways: list[tuple[Schema, Any]] = []
    rest: Any = one
    while isinstance(rest, dict) and "if" in rest and (not ways or rest.keys() <= {"if", "then", "else"}):
        ways.append((rest["if"], rest.get("then")))
        rest = rest.get("else")
    decided = [then for condition, then in ways if holds(condition, data)]
    if decided:
        return decided[:1]
    is_another = isinstance(rest, dict) and "$ref" in rest  # and not what remains of the ways before
    opens = [then for condition, then in ways if is_open(condition, data) and not (is_another and data)]
    return [*opens, rest]


def is_open(condition: Schema, data: Any) -> bool:
    """Return whether data may come to meet a condition as they are written on: it asks for a shape, or for a key."""
    if condition.keys() == {"type"}:
        return data is None or isinstance(data, str)
    return condition.keys() == {"type", "required"} or "anyOf" in condition


def holds(condition: Schema, data: Any) -> bool:
    """Return whether data meet a condition of our schema, which asks for a shape, for keys and for constants."""
    if "allOf" in condition:
        return False  # a file of declarations: all of its keys are a spec's, too
    return meets(condition, data)


def meets(condition: Schema, data: Any) -> bool:
    """Return whether data meet a condition, of which each keyword is one that our schema uses in conditions."""
    shape = condition.get("type")
    shapes = shape if isinstance(shape, list) else [] if shape is None else [shape]
    if shapes and not any(isinstance(data, SHAPES[each]) for each in shapes):
        return False
    if not all(meets(each, data) for each in condition.get("allOf", ())):
        return False
    if "anyOf" in condition and not any(meets(each, data) for each in condition["anyOf"]):
        return False
    if "const" in condition and data != condition["const"]:
        return False
    if not isinstance(data, dict):
        return not {"required", "properties", "propertyNames"} & condition.keys() or shape is not None
    names = condition.get("propertyNames", {}).get("enum")
    if not all(key in data for key in condition.get("required", ())) or (
        names and not data.keys() <= set(names)
    ):
        return False
    wanted = condition.get("properties", {})
    return all(meets(each, data[key]) for key, each in wanted.items() if key in data)
