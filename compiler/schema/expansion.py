"""Expansion of the published schema into the compiler's own, in which each kind of step has all its keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from wfc.compiler.schema.validator import Validator
from wfc.schemas import load

__all__ = ["expanded", "schema", "validator"]

Schema = Mapping[str, Any]

OWNERS: Final = {"step": "step", "map_action": "action"}
"""The definitions to which each kind adds keys of its own, and what an object of theirs is called."""

FIRST: Final = ("kind", "accepts")
"""The keys of all kinds that stand before a kind's own; the others follow them."""


@cache
def schema() -> Schema:
    """Return the expanded schema."""
    return expanded(load())


@cache
def validator() -> Validator:
    """Return the validator of the expanded schema."""
    return Validator(schema())


def expanded(published: Schema) -> dict[str, Any]:
    """Return an equivalent schema without `unevaluatedProperties`.

    The keys that all kinds share stand once in the published schema, in `step`, and those of a kind in its `…_keys`.
    Here both are in one closed definition for each kind, such as `llm_step`, so that a key is known or unknown at one
    place, and tools that know only older drafts of JSON Schema understand it too.
    """
    old: Schema = published["$defs"]
    new: dict[str, Any] = {}
    for name, each in old.items():
        if name in OWNERS:
            new |= closed_kinds(each, OWNERS[name], old)
            new[name] = chooser(each, OWNERS[name])
        elif not name.endswith("_keys"):
            new[name] = each
    return {**published, "$defs": new}


def chooser(owner: Schema, noun: str) -> Schema:
    """Return the schema of a step or an action: its kind, and the closed definition for that kind."""
    choices = [
        {"if": choice["if"], "then": {"$ref": f"#/$defs/{kind_of(choice)}_{noun}"}}
        for choice in owner["allOf"]
    ]
    kind = {"kind": owner["properties"]["kind"]}
    rest = {key: each for key, each in owner.items() if key != "unevaluatedProperties"}
    return {**rest, "required": ["kind"], "properties": kind, "allOf": choices}


def closed_kinds(owner: Schema, noun: str, definitions: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield the name and the closed definition of each kind of step or action."""
    for choice in owner["allOf"]:
        kind = kind_of(choice)
        own = definitions[choice["then"]["$ref"].removeprefix("#/$defs/")]
        marks = {key: own[key] for key in ("$comment",) if key in own}
        shared = {
            **owner["properties"],
            "kind": {**marks, "title": f"a kind of {noun}", "description": own["description"], "const": kind},
        }
        first = {key: shared.pop(key) for key in FIRST if key in shared}
        properties = {**first, **own["properties"], **shared}
        required = {*owner["required"], *own.get("required", ())}
        yield (
            f"{kind}_{noun}",
            {
                "title": f"{'an' if noun[0] == 'a' else 'a'} {noun} of kind `{kind}`",
                "description": own["description"],
                "type": "object",
                "required": [key for key in properties if key in required],
                "properties": properties,
                "additionalProperties": False,
            },
        )


def kind_of(choice: Schema) -> str:
    kind: str = choice["if"]["properties"]["kind"]["const"]
    return kind
