"""What `from_json` reads: exactly what the JSON Schema of the type lets through, judged by the library jsonschema."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from wfc.compiler.passes import check_text, compile_text
from wfc.runtime import ExpressionError
from wfc.runtime.values import filters

SCALARS: dict[str, tuple[dict[str, Any], Callable[[random.Random], object]]] = {
    "string": ({"type": "string"}, lambda chance: chance.choice(["", "a", "NaN", "ü€\n", '"', "1", "null"])),
    "integer": ({"type": "integer"}, lambda chance: chance.choice([0, -1, 7, 10**30])),
    "number": ({"type": "number"}, lambda chance: chance.choice([0, 2.5, -1e-7, 3])),
    "boolean": ({"type": "boolean"}, lambda chance: chance.random() < 0.5),
    "any": ({}, lambda chance: chance.choice([None, 1.5, "x", [1, {"a": None}], {"b": [True]}])),
    "Mood": ({"enum": ["good", "bad"]}, lambda chance: chance.choice(["good", "bad"])),
}


@dataclass
class Kind:
    """A type: how it is written, its JSON Schema, data that fits it, and that data as it is read."""

    written: str
    schema: dict[str, Any]
    make: Callable[[random.Random], Any]
    read: Callable[[Any], Any] = lambda data: data


@dataclass
class World:
    """The records of a spec, as it declares them."""

    chance: random.Random
    types: dict[str, dict[str, Any]] = field(default_factory=dict)

    def kind(self, depth: int = 0) -> Kind:
        form = self.chance.choice(["scalar", "scalar", "list", "map", "optional", "record"])
        if form == "scalar" or depth > 3:
            name = self.chance.choice(list(SCALARS))
            return Kind(name, *SCALARS[name])
        if form == "record":
            return self.record(depth)
        inner = self.kind(depth + 1)
        if form == "list":
            return Kind(
                f"list of {inner.written}",
                {"type": "array", "items": inner.schema},
                lambda chance: [inner.make(chance) for _ in range(chance.randrange(3))],
                lambda data: [inner.read(each) for each in data],
            )
        if form == "map":
            return Kind(
                f"map of {inner.written}",
                {"type": "object", "additionalProperties": inner.schema},
                lambda chance: {key: inner.make(chance) for key in chance.sample(["", "a", "b c"], 2)},
                lambda data: {key: inner.read(each) for key, each in data.items()},
            )
        return self.optional(inner)

    def optional(self, inner: Kind) -> Kind:
        if inner.written.startswith("optional "):
            return inner
        return Kind(
            f"optional {inner.written}",
            {"anyOf": [{"type": "null"}, inner.schema]},
            lambda chance: None if chance.random() < 0.4 else inner.make(chance),
            lambda data: None if data is None else inner.read(data),
        )

    def record(self, depth: int) -> Kind:
        name = f"Type{len(self.types) + 1}"
        self.types[name] = {}
        fields = {each: self.kind(depth + 1) for each in ("one", "two", "three")[: self.chance.randint(1, 3)]}
        outside = {each: f"@{each}" if self.chance.random() < 0.5 else each for each in fields}
        for each, kind in fields.items():
            own = outside[each] == each
            self.types[name][each] = kind.written if own else {"type": kind.written, "as": outside[each]}
        schema = {
            "type": "object",
            "properties": {outside[each]: kind.schema for each, kind in fields.items()},
            "required": [
                outside[each] for each, kind in fields.items() if not kind.written.startswith("optional ")
            ],
            "additionalProperties": False,
        }

        def make(chance: random.Random) -> dict[str, Any]:
            may_lack = {each for each, kind in fields.items() if kind.written.startswith("optional ")}
            given = [each for each in fields if each not in may_lack or chance.random() < 0.7]
            chance.shuffle(given)
            return {outside[each]: fields[each].make(chance) for each in given}

        def read(data: dict[str, Any]) -> dict[str, Any]:
            found = {each: data.get(outside[each]) for each in fields}
            return {outside[each]: kind.read(found[each]) for each, kind in fields.items()}

        return Kind(name, schema, make, read)


def spoilt(chance: random.Random, data: Any) -> Any:
    """Data with something else at one place, which may or may not be fine there."""
    if isinstance(data, dict) and data and chance.random() < 0.8:
        key = chance.choice(list(data))
        how = chance.random()
        rest = {name: each for name, each in data.items() if name != key}
        if how < 0.2:
            return rest
        if how < 0.4:
            return {**rest, key.removeprefix("@"): data[key]}
        return {**data, "extra": 1} if how < 0.5 else {**data, key: spoilt(chance, data[key])}
    if isinstance(data, list) and data and chance.random() < 0.8:
        return [*data[:-1], spoilt(chance, data[-1])]
    return chance.choice([None, "a", "good", "1", 1, 2.5, True, [], {}, [None], {"a": 1}])


def module_reading(world: World, kind: Kind) -> ModuleType:
    """The module of a spec whose step reads a text as a type and gives it back as JSON."""
    spec = {
        "wfc": 1,
        "workflow": "reading",
        "start": "Came",
        "end": "Read",
        "types": {**world.types, "Mood": {"enum": ["good", "bad"]}},
        "events": {
            "Came": {"text": "string"},
            "Read": {"value": {"type": kind.written}, "written": "string"},
        },
        "steps": {
            "read": {
                "kind": "transform",
                "accepts": "Came",
                "emit": {
                    "event": "Read",
                    "with": {
                        "value": f'${{{{ event.text | from_json("{kind.written}") }}}}',
                        "written": f'${{{{ event.text | from_json("{kind.written}") | json }}}}',
                    },
                },
            }
        },
    }
    compiled = compile_text(json.dumps(spec).encode(), "reading.yaml", source="reading.yaml")
    module = ModuleType("reading_json")
    sys.modules[module.__name__] = module
    exec(compile(compiled.python, "reading_workflow.py", "exec"), module.__dict__)  # noqa: S102
    return module


SPEC = """\
wfc: 1
workflow: reading
start: Came
end: Read
key: (inputs.text | from_json("Key")).key
types:
  Key: {key: string}
  Order: {id: string, kind: Kind}
  Kind: {enum: [book, pen]}
  Unused: {id: string}
events:
  Came: {text: string}
  Read: {text: string}
steps:
  read:
    kind: transform
    accepts: Came
    emit:
      - event: Read
        when: (event.text | from_json("optional Order")) is not none
        with: {text: '{% for one in event.text | from_json("list of Order") %}${{ one.id }}{% endfor %}'}
      - event: Read
        with: {text: none at all}
"""


def test_types_that_only_expressions_mention_are_used() -> None:
    found = check_text(SPEC.encode(), "reading.yaml").diagnostics
    assert [(each.code, each.message) for each in found] == [
        ("unused-declaration", "nothing uses the type `Unused`")
    ]


@pytest.fixture(autouse=True)
def no_module_left() -> Iterator[None]:
    yield
    sys.modules.pop("reading_json", None)


@pytest.mark.parametrize("seeds", [range(40), pytest.param(range(40, 400), marks=pytest.mark.full)])
def test_what_is_read_is_what_the_schema_of_the_type_lets_through(seeds: range, seed: str) -> None:
    fine = refused = 0
    for number in seeds:
        chance = random.Random(f"{seed} {number}")  # noqa: S311 - the same each time
        world = World(chance)
        kind = world.kind()
        module = module_reading(world, kind)
        judge = Draft202012Validator(kind.schema)
        for _ in range(15):
            data = kind.make(chance)
            if chance.random() < 0.6:
                data = spoilt(chance, data)
            text = json.dumps(data, ensure_ascii=chance.random() < 0.5, indent=chance.choice([None, 2]))
            event = module.Came(text=text)
            if judge.is_valid(data):
                found = module.Reading.read(None, event)
                assert json.loads(found.written) == kind.read(data), (kind.written, text)
                assert json.loads(filters.json(found.value)) == kind.read(data)
                fine += 1
            else:
                with pytest.raises(ExpressionError, match=r"^the text cannot be read as JSON of its type: "):
                    module.Reading.read(None, event)
                refused += 1
    assert min(fine, refused) > 2 * len(seeds)
