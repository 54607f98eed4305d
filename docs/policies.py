"""The tables of `policy.md`, from the schema of policies and the types that their expressions see."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from rows import table

from wfc.compiler.review.policy.filters import FUNCTIONS
from wfc.compiler.review.policy.subjects import ORIGIN, STEP, SUBJECTS, WAY
from wfc.compiler.types import Record, show
from wfc.schemas import load

__all__ = ["policy_page"]

BLOCK: Final = re.compile(r"(<!-- generated: (?P<what>\w+) -->)(?P<line>\n?).*?(<!-- end -->)", re.DOTALL)


def policy_page(page: str) -> str:
    """Return the page with its tables as they should be now."""
    tables = {"keys": keys(), "filters": filters(), "subjects": subjects()}
    return BLOCK.sub(lambda match: f"{match[1]}{match['line']}{tables[match['what']]}{match[4]}", page)


def keys() -> str:
    schema = load("policy")
    parts = [
        ("of a policy", schema),
        ("of a rule", schema["$defs"]["rule"]),
        ("of a test", schema["$defs"]["test"]),
    ]
    return "\n".join(table((title, "", "means"), rows(shape)) + "\n" for title, shape in parts)


def rows(shape: Mapping[str, Any]) -> list[tuple[str, ...]]:
    needed = shape["required"]
    return [
        (f"`{key}`", "needed" if key in needed else "", each["description"])
        for key, each in shape["properties"].items()
    ]


def filters() -> str:
    return ", ".join(f"`{name}`" for name in FUNCTIONS)


def subjects() -> str:
    """Return a table for each sort of things that rules know."""
    words: dict[int, list[str]] = {}
    records = {id(record): record for record in (*SUBJECTS.values(), WAY, ORIGIN)}
    for word, record in {**SUBJECTS, "other": STEP, "way": WAY}.items():
        words.setdefault(id(record), []).append(f"`{word}`")
    words[id(ORIGIN)] = ["an item of `step.data`"]
    return "\n".join(
        table((" or ".join(words[key]), "type", "is"), fields(record)) + "\n"
        for key, record in records.items()
    )


def fields(record: Record) -> list[tuple[str, ...]]:
    return [(f"`{name}`", show(field.type), field.description or "") for name, field in record.fields.items()]
