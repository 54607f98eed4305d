"""Each keyword of JSON Schema by itself: our validator says what the standard says, or refuses the schema.

The ideas are those of the standard's own test suite, the tables are not: whole numbers with a point, booleans that look
like numbers, what has another type than a keyword is about, empty lists and objects, letters of several units, names
with quotes, references to references.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from standard import DEFS, Standard

from wfc.compiler.schema.expansion import schema as expanded_schema
from wfc.compiler.schema.keywords import ANNOTATIONS, KEYWORDS
from wfc.compiler.schema.validator import Validator

VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    3,
    10**20,
    0.0,
    1.0,
    1.1,
    3.5,
    -2.5,
    1e300,
    "",
    "a",
    "foo",
    "1",
    "null",
    'say "a"',
    "back\\slash",
    "a\nb",
    "\U0001f600",
    "e\u0301",
    [],
    [None],
    [1],
    [1.0],
    [True],
    ["foo"],
    [1, 1],
    [1, True],
    [[1], [2]],
    [[]],
    [{}],
    [{"foo": 1}],
    {},
    {"foo": None},
    {"foo": 1},
    {"foo": 1.0},
    {"foo": True},
    {"foo": "a"},
    {"foo": "bar", "bar": 1},
    {"bar": 2},
    {"kind": "a"},
    {"kind": "a", "foo": 1},
    {"kind": "b", "foo": "x"},
    {"kind": "c"},
    {"kind": 1},
    {"kind": []},
    {"v": 1},
    {"foo": "v"},
    {'say "a"': 1},
    {"back\\slash": 1},
    {"a\nb": 1},
    {"": 1},
    {"foo": {"foo": {"foo": 1}}},
    {"foo": {"foo": {"bar": 1}}},
    {"foo": [], "bar": []},
]

MADE: dict[str, list[dict[str, Any]]] = {
    "type": [
        {"type": ["string", "null"]},
        {"type": "null"},
        *({"type": name} for name in ("string", "integer", "number", "boolean", "array", "object")),
        {"type": ["string", "integer"]},
        {"type": ["boolean", "object", "array"]},
        {"type": ["integer"]},
        {"title": "about", "description": "nothing", "type": "string"},
    ],
    "const": [
        {"const": True},
        {"const": None},
        {"const": "foo"},
        {"const": 1},
        {"const": 0},
        {"const": 'say "a"'},
        {"const": "back\\slash"},
        {"const": ""},
    ],
    "enum": [
        {"enum": [True]},
        {"enum": [1, 2]},
        {"if": {"properties": {"v": {"const": 1}, "foo": {"const": "v"}}}, "then": {"type": "object"}},
        {"enum": ["foo", "a"]},
        {"enum": ["foo", None]},
        {"enum": ['say "a"', "a\nb", "\U0001f600"]},
        {"enum": [None]},
    ],
    "minimum": [{"minimum": 1}, {"minimum": 1.1}, {"minimum": -2}, {"type": "integer", "minimum": 0}],
    "maximum": [{"maximum": 1}, {"maximum": 3.5}, {"type": "number", "minimum": 0, "maximum": 1}],
    "required": [
        {"required": ["foo"]},
        {"required": ["foo", "bar"]},
        {"required": []},
        {"required": ['say "a"', "back\\slash"]},
        {"type": "object", "required": ["a\nb"]},
        {"required": [""]},
    ],
    "properties": [
        {"properties": {"foo": False}},
        {"properties": {"foo": {"type": "integer"}, "bar": {"type": "integer"}}},
        {"type": "object", "properties": {"foo": {}}},
        {
            "properties": {
                'say "a"': {"type": "string"},
                "back\\slash": {"const": 1},
                "a\nb": {"type": "string"},
            }
        },
        {"properties": {"foo": {"properties": {"foo": {"required": ["bar"]}}}}},
        {"properties": {}},
    ],
    "additionalProperties": [
        {"additionalProperties": True},
        {"additionalProperties": {"type": "integer"}},
        {"additionalProperties": False},
        {"properties": {"foo": {}}, "additionalProperties": False},
        {"properties": {"foo": {}}, "additionalProperties": {"type": "string"}},
        {"type": "object", "additionalProperties": {"additionalProperties": {"type": "object"}}},
    ],
    "minProperties": [{"minProperties": 1}, {"minProperties": 0}, {"type": "object", "minProperties": 2}],
    "items": [
        {"items": False},
        {"items": {"type": "integer"}},
        {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        {"items": {"properties": {"foo": {"type": "string"}}}},
        {"items": {}},
    ],
    "minItems": [{"minItems": 1}, {"minItems": 0}, {"type": "array", "minItems": 2}],
    "anyOf": [
        {"anyOf": [True]},
        {"anyOf": [{"additionalProperties": False}]},
        {"anyOf": [{"items": {"type": "string"}}]},
        {"anyOf": [{"$ref": "#/$defs/number"}]},
        {"anyOf": [{"minimum": 2}, {"type": "string"}]},
        {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        {"anyOf": [{"required": ["foo"]}, {"required": ["bar"]}]},
        {"type": "object", "anyOf": [{"properties": {"foo": {"const": 1}}}, {"required": ["bar"]}]},
        {"anyOf": [{"const": 1}, {"enum": ["foo", None]}]},
    ],
    "if": [
        {"if": True, "then": {"type": "string"}},
        {"if": {"$ref": "#/$defs/number"}, "then": {"const": 1}},
        {"if": {"minimum": 1}, "then": {"type": "string"}},
        {"if": {"type": "object"}, "then": {"required": ["foo"]}},
        {"if": {"type": "object"}, "then": {"required": ["foo"]}, "else": {"type": "string"}},
        {"if": {"type": "string"}, "else": {"type": "array"}},
        {"if": {"const": 1}, "then": {"type": "string"}},
        {
            "if": {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "a"}}},
            "then": {"required": ["foo"]},
        },
        {
            "if": {"type": "object", "properties": {"kind": {"enum": ["a", "b"]}}},
            "then": {"properties": {"foo": {"type": "integer"}}},
        },
        {
            "if": {"type": ["string", "array"]},
            "then": {"const": "foo"},
            "else": {"if": {"type": "object"}, "then": {"minProperties": 1}},
        },
        {
            "if": {"type": "object", "anyOf": [{"required": ["foo"]}, {"required": ["bar"]}]},
            "then": {"minProperties": 2},
        },
        {"if": {"properties": {"foo": {"type": "object"}}}, "then": {"type": "object"}},
    ],
    "propertyNames": [
        {"propertyNames": {"enum": ["foo"]}},
        {"if": {"type": "object", "propertyNames": {"enum": ["foo", "kind"]}}, "then": {"required": ["foo"]}},
        {"if": {"propertyNames": {"enum": ["foo"]}}, "then": {"type": "object"}},
    ],
    "allOf": [
        {
            "allOf": [
                {
                    "if": {"required": ["kind"], "properties": {"kind": {"const": "a"}}},
                    "then": {"required": ["foo"]},
                },
                {
                    "if": {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "b"}}},
                    "then": {"required": ["bar"]},
                },
            ]
        },
        {
            "type": "object",
            "required": ["kind"],
            "allOf": [
                {"if": {"required": ["kind"], "properties": {"kind": {"const": "a"}}}, "then": False},
                {
                    "if": {"required": ["kind"], "properties": {"kind": {"const": "a"}}},
                    "then": {"required": ["foo"]},
                },
            ],
        },
        {"allOf": [{"if": {"type": "string"}, "then": {"const": "foo"}}]},
        {"allOf": [{"type": "integer"}, {"minimum": 2}]},
        {
            "type": "object",
            "required": ["kind"],
            "properties": {"kind": {"type": "string"}},
            "allOf": [
                {"if": {"properties": {"kind": {"const": "a"}}}, "then": {"required": ["foo"]}},
                {
                    "if": {"properties": {"kind": {"const": "b"}}},
                    "then": {"properties": {"foo": {"type": "integer"}}},
                },
            ],
        },
        {"if": {"allOf": [{"type": "object"}, {"required": ["foo"]}]}, "then": {"required": ["bar"]}},
    ],
    "$ref": [
        {"$ref": "#/$defs/number"},
        {"$ref": "#/$defs/again"},
        {"$ref": "#/$defs/a-b"},
        {"$ref": "#/$defs/tree"},
        {"$ref": "#/$defs/number", "minimum": 1},
        {"properties": {"$ref": {"type": "string"}, "foo": {"$ref": "#/$defs/texts"}}},
        {"items": {"$ref": "#/$defs/again"}},
        {"additionalProperties": {"$ref": "#/$defs/tree"}},
    ],
}
"""What the validator has to be right about: at least one schema for each keyword that ours uses."""

REFUSED: list[dict[str, Any]] = [
    {"const": 1.5},
    {"const": [1]},
    {"const": {"foo": 1}},
    {"enum": [[]]},
    {"enum": ["a", 1.0]},
    {"exclusiveMinimum": 1},
    {"multipleOf": 2},
    {"maxItems": 1},
    {"maxProperties": 1},
    {"minLength": 1},
    {"maxLength": 1},
    {"pattern": "^a"},
    {"patternProperties": {"^f": {"type": "string"}}},
    {"uniqueItems": True},
    {"prefixItems": [{"type": "string"}]},
    {"contains": {"type": "string"}},
    {"oneOf": [{"type": "string"}, {"const": "foo"}]},
    {"not": {"type": "string"}},
    {"dependentRequired": {"foo": ["bar"]}},
    {"unevaluatedProperties": False},
    {"format": "date"},
    {"anyOf": [{"not": {}}]},
    {"if": {"not": {"type": "string"}}, "then": {"type": "array"}},
    {"if": {"properties": {"foo": {"pattern": "a"}}}, "then": {"type": "string"}},
    {"if": {"propertyNames": {"pattern": "a"}}, "then": {"type": "string"}},
    {"$ref": "#/$defs/gone"},
    {"$ref": "https://example.com/schema"},
]
"""What it cannot say is never read as something else."""

SINGLE = {"items", "additionalProperties", "propertyNames", "if", "then", "else"}


SCHEMAS = [
    (f"{keyword} {number}", schema) for keyword, each in MADE.items() for number, schema in enumerate(each)
]


@pytest.mark.parametrize("schema", [schema for _, schema in SCHEMAS], ids=[name for name, _ in SCHEMAS])
def test_the_validator_says_what_the_standard_says(schema: dict[str, Any]) -> None:
    ours, standard = Validator({"$defs": DEFS, **schema}), Standard({"$defs": DEFS, **schema})
    for value in VALUES:
        assert ours.fits(value) is standard.is_valid(value), value


@pytest.mark.parametrize("schema", REFUSED, ids=str)
def test_what_it_cannot_say_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(NotImplementedError):
        Validator({"$defs": DEFS, "items": schema}).fits([{"foo": "bar"}])


def test_each_keyword_is_tried() -> None:
    assert set(MADE) | {"$comment", "then", "else"} == KEYWORDS


def test_our_schema_has_only_these_keywords() -> None:
    def keywords(schema: Any) -> Iterator[str]:
        if isinstance(schema, dict):
            yield from schema
            for key in SINGLE & schema.keys():
                yield from keywords(schema[key])
            for each in [*(schema.get(key, {}).values() for key in ("properties", "$defs"))]:
                for inner in each:
                    yield from keywords(inner)
            for inner in [*schema.get("anyOf", ()), *schema.get("allOf", ())]:
                yield from keywords(inner)

    assert set(keywords(expanded_schema())) <= KEYWORDS | ANNOTATIONS
