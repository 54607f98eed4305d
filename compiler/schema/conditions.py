"""Schemas of the simpler keywords → Python expressions that say whether a value fits."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

__all__ = ["ANNOTATIONS", "condition", "only", "quoted", "rules_of", "unless"]

Schema = Mapping[str, Any]

ANNOTATIONS: Final = frozenset({"title", "description", "$schema", "$defs"})

TYPES: Final = {
    "object": "isinstance({v}, dict)",
    "array": "isinstance({v}, list)",
    "string": "isinstance({v}, str)",
    "integer": "integer({v})",
    "number": "number({v})",
    "boolean": "isinstance({v}, bool)",
}

SIMPLE: Final = frozenset(
    {"type", "const", "enum", "required", "propertyNames", "properties", "anyOf", "allOf"}
)
"""The keywords of conditions."""


def rules_of(schema: Schema) -> str:
    """What two schemas that allow the same have in common, whatever they say to people."""

    def rules(value: object, named: bool) -> object:
        if isinstance(value, list):
            return [rules(each, False) for each in value]
        if not isinstance(value, dict):
            return value
        return {
            key: rules(each, key == "properties" and not named)
            for key, each in value.items()
            if named or key not in ANNOTATIONS
        }

    return json.dumps(rules(schema, False), sort_keys=True)


def unless(test: str) -> Iterator[str]:
    yield f"    if not ({test}):\n" if " " in test else f"    if not {test}:\n"
    yield "        return False\n"


def condition(schema: Schema, v: str = "v", *, is_map: bool = False) -> str:
    """An expression that says whether a value fits a schema of the simpler keywords.

    Args:
        schema: Without keywords that look at what is inside a list.
        v: The value, as an expression.
        is_map: Whether it is known to be a map.

    Raises:
        NotImplementedError: The schema has another keyword.
    """
    only(schema, SIMPLE)
    tests: list[str] = []
    if "type" in schema and not (is_map and schema["type"] == "object"):
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        only(dict.fromkeys(names), TYPES)
        tests.append(either([TYPES[each].format(v=v) for each in names]))
    if "const" in schema:
        tests.append(constant(schema["const"], v))
    if "enum" in schema:
        tests.append(enumeration(schema["enum"], v))
    is_map = is_map or schema.get("type") == "object"
    guard = [] if is_map else [f"not isinstance({v}, dict)"]
    tests += [either([*guard, f"{quoted(key)} in {v}"]) for key in schema.get("required", ())]
    if "propertyNames" in schema:
        only(schema["propertyNames"], frozenset({"enum"}))
        known = ", ".join(quoted(key) for key in schema["propertyNames"]["enum"])
        tests.append(either([*guard, f"{v}.keys() <= {{{known}}}"]))
    for key, each in schema.get("properties", {}).items():
        absent = [] if key in schema.get("required", ()) else [f"{quoted(key)} not in {v}"]
        tests.append(either([*guard, *absent, condition(each, f"{v}[{quoted(key)}]")]))
    if "anyOf" in schema:
        tests.append(either([condition(each, v, is_map=is_map) for each in schema["anyOf"]]))
    tests += [condition(each, v, is_map=is_map) for each in schema.get("allOf", ())]
    return " and ".join(f"({test})" if " or " in test else test for test in tests) or "True"


def only(schema: object, known: Collection[str]) -> None:
    """Refuses what cannot be printed, so that nothing is left out without a word.

    Raises:
        NotImplementedError: It is no map of keywords, or one of them is unknown.
    """
    if not isinstance(schema, Mapping):
        raise NotImplementedError(f"the schema {schema!r}")
    if unknown := schema.keys() - known - ANNOTATIONS:
        raise NotImplementedError(str(sorted(unknown)))


def quoted(text: str) -> str:
    """A text as a literal."""
    return json.dumps(text, ensure_ascii=False)


def either(tests: list[str]) -> str:
    return (
        tests[0]
        if len(tests) == 1
        else " or ".join(f"({each})" if " and " in each else each for each in tests)
    )


def constant(value: object, v: str = "v") -> str:
    if isinstance(value, str):
        return f"{v} == {quoted(value)}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{TYPES['integer'].format(v=v)} and {v} == {value}"
    raise NotImplementedError(repr(value))


def enumeration(values: list[Any], v: str = "v") -> str:
    if not all(value is None or isinstance(value, str) for value in values):
        raise NotImplementedError(repr(values))
    texts = ", ".join(quoted(value) for value in values if value is not None)
    tests = [f"{v} is None"] if None in values else []
    return either([*tests, f"isinstance({v}, str) and {v} in {{{texts}}}"] if texts else tests)
