"""The published schema: closed, in plain words, and the same when it is expanded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from wfc.compiler.schema.expansion import expanded
from wfc.schemas import load

HERE = Path(__file__).parent
SCHEMA = load()


def parts(schema: Any, at: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema in the schema, each with its way there."""
    if not isinstance(schema, dict):
        return
    yield at, schema
    for keyword in ("properties", "$defs"):
        for name, each in schema.get(keyword, {}).items():
            yield from parts(each, f"{at}/{keyword}/{name}")
    for keyword in ("if", "then", "else", "items", "additionalProperties", "propertyNames"):
        yield from parts(schema.get(keyword), f"{at}/{keyword}")
    for keyword in ("anyOf", "allOf"):
        for index, each in enumerate(schema.get(keyword, ())):
            yield from parts(each, f"{at}/{keyword}/{index}")


PARTS = dict(parts(SCHEMA))


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_it_never_says_one_of() -> None:
    assert not [at for at, each in PARTS.items() if "oneOf" in each]


def test_conditions_on_keys_ask_for_a_map_first() -> None:
    for at, each in PARTS.items():
        condition = each.get("if", {})
        if "required" in condition or "properties" in condition:
            assert condition["type"] == "object", at


def test_every_key_is_explained() -> None:
    for at, each in PARTS.items():
        if "/if" in at or "/anyOf" in at:
            continue
        for key, about in each.get("properties", {}).items():
            if about == {}:
                continue  # a map that has none of the keys which tell its forms apart
            target = SCHEMA["$defs"][about["$ref"].removeprefix("#/$defs/")] if "$ref" in about else {}
            text = about.get("description") or target.get("description") or about.get("title")
            assert text, f"{at}: {key}"
            assert text[-1] in ".…" or "title" in about, f"{at}: {key}: {text}"


def test_maps_with_keys_of_the_language_are_closed() -> None:
    for at, each in PARTS.items():
        if "properties" not in each or "/if" in at or "/anyOf" in at:
            continue
        if at.endswith(("/long_type", "/long_state_field", "_keys")):
            continue  # the type language looks at its keys itself; the keys of a kind are closed where they are used
        assert "additionalProperties" in each or each.get("unevaluatedProperties") is False, at


def test_every_definition_is_used() -> None:
    used = {each["$ref"] for each in PARTS.values() if "$ref" in each}
    assert used == {f"#/$defs/{name}" for name in SCHEMA["$defs"]}


@pytest.mark.parametrize("name", ["supported", "whole_language"])
def test_the_whole_language_fits(name: str) -> None:
    data = yaml.safe_load((HERE / f"{name}.yaml").read_text(encoding="utf-8"))
    assert [error.message for error in Draft202012Validator(SCHEMA).iter_errors(data)] == []


def test_the_two_examples_have_every_key_of_the_language() -> None:
    text = "".join(
        (HERE / f"{name}.yaml").read_text(encoding="utf-8") for name in ("supported", "whole_language")
    )
    keys = {key for at, each in PARTS.items() if "/if" not in at for key in each.get("properties", {})}
    assert {key for key in keys if f"{key}:" not in text} <= {"part", "emits"}


def test_keys_that_all_kinds_share_stand_once() -> None:
    shared = set(SCHEMA["$defs"]["step"]["properties"])
    own = {
        key for name, each in SCHEMA["$defs"].items() if name.endswith("_keys") for key in each["properties"]
    }
    assert len(shared) == 15
    assert not shared & own


def test_each_kind_is_told_once_in_the_words_of_its_definition() -> None:
    for owner in ("step", "map_action"):
        shape = SCHEMA["$defs"][owner]
        kind = shape["properties"]["kind"]
        chosen = {each["if"]["properties"]["kind"]["const"]: each["then"] for each in shape["allOf"]}
        assert list(chosen) == kind["enum"]
        for name, then in chosen.items():
            assert then == {"$ref": f"#/$defs/{name}_keys"}
            assert f"`{name}`: {SCHEMA['$defs'][f'{name}_keys']['description']}" in kind["description"]


def test_the_expanded_schema_needs_nothing_of_the_newer_drafts() -> None:
    Draft202012Validator.check_schema(expanded(SCHEMA))
    told = [each for _, each in parts(expanded(SCHEMA))]
    assert not [each for each in told if "unevaluatedProperties" in each]
    assert all(
        each.get("additionalProperties") is False for each in told if "accepts" in each.get("properties", {})
    )
