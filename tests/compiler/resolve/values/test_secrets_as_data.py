"""A secret is no data of a run: wherever an expression or a value may stand, none gets in, whole or within a text."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from wfc.compiler.passes import check_text

ROOT = Path(__file__).parents[4]
LANGUAGE = sorted((ROOT / "docs/language").glob("*.yaml"))

BARE = {"when", "that", "in", "from", "until", "for", "keep", "to_key", "key", "when_running", "per"}
"""Keys that hold an expression as it is."""
TAKES_SECRETS = {"headers", "query", "body", "env"}
"""What is sent or started with them: `{secret: NAME}` stands there, whole."""


def keys_of_the_language() -> set[str]:
    found: set[str] = set()

    def walk(data: Any) -> None:
        if isinstance(data, dict):
            found.update(data.get("properties", {}))
            for each in data.values():
                walk(each)
        elif isinstance(data, list):
            for each in data:
                walk(each)

    walk(json.loads((ROOT / "schemas/workflow.schema.json").read_text("utf-8")))
    return found


KEYS = keys_of_the_language()


def leaves(data: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(data, dict | list):
        pairs = data.items() if isinstance(data, dict) else enumerate(data)
        for key, each in pairs:
            yield from leaves(each, (*at, key))
    elif isinstance(data, str) and ("${{" in data or is_bare(at)):
        yield at


def is_bare(at: tuple[Any, ...]) -> bool:
    return at[-1] in BARE and at[-2:-1] != ("with",)


def put(data: Any, at: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(data)
    inner = changed
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = value
    return changed


@functools.cache
def cases() -> tuple[tuple[Path, dict[str, Any], tuple[Any, ...]], ...]:
    """A place of each kind in the reference's specs that holds an expression: by kind of step and keys."""
    found = {}
    for path in LANGUAGE:
        spec = yaml.load(path.read_bytes(), yaml.CSafeLoader)
        if not isinstance(spec, dict) or "workflow" not in spec:
            continue
        for at in leaves(spec):
            if at[0] == "tests":
                continue
            kind = spec["steps"][at[1]].get("kind", "") if at[0] == "steps" else ""
            keys = tuple(key if key in KEYS else "*" for key in at[2 if at[0] == "steps" else 0 :])
            found.setdefault((kind, keys), (path, spec, at))
    return tuple(found.values())


def fails(path: Path, spec: dict[str, Any], at: tuple[Any, ...], value: Any) -> bool:
    with_secret = {**spec, "secrets": [*spec.get("secrets", []), "THE_KEY"]}
    text = yaml.dump(
        put(with_secret, at, value), Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True
    )
    return check_text(text.encode(), str(path)).failed


def test_there_are_many_places() -> None:
    assert len(cases()) > 150


parts = pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.full) for part in range(1, 4))]
)


@parts
@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("${{ secrets.THE_KEY }}", "secrets.THE_KEY"),
        ("${{ THE_KEY }}", "THE_KEY"),
        ("the key is ${{ secrets.THE_KEY }}, keep it", "secrets.THE_KEY == 'x'"),
        ("${{ 'a' if secrets.THE_KEY == 'x' else 'b' }}", "'a' if THE_KEY else 'b'"),
    ],
)
def test_no_expression_reads_a_secret(text: str, bare: str, part: int) -> None:
    some = cases()[part::4]
    assert [at for path, spec, at in some if not fails(path, spec, at, bare if is_bare(at) else text)] == []


@parts
@pytest.mark.parametrize("is_listed", [False, True])
def test_a_secret_stands_where_it_is_sent_only(is_listed: bool, part: int) -> None:
    value: Any = [{"secret": "THE_KEY"}] if is_listed else {"secret": "THE_KEY"}
    taken = [at for path, spec, at in cases()[part::4] if not fails(path, spec, at, value)]
    assert [at for at in taken if "on_error" in at or not TAKES_SECRETS & set(at[:-1])] == []


HEAD = """\
wfc: 1
workflow: shown
start: Asked
end: Done
secrets: [KEY]
types: {Clue: {secret: string}}
state: {last: {type: any, default: null}, all: {type: map of string, default: {}}}
events:
  Asked: {name: string, clue: optional Clue}
  Done: {text: string, more: any, clue: optional Clue, either: {one_of: [string, Clue]}}
tools: {look: {python: "stage:plain", args: {value: any, clue: optional Clue}, output: string}}
models: {fast: {use: "openai:gpt-4o-mini", api_key: KEY, settings: SETTINGS}}
steps:
  look: {kind: tool, accepts: Asked, tool: look, with: WITH, save: SAVE, emit: {event: Done, with: EMIT}}
  ask: {kind: llm, model: fast, accepts: Asked, prompt: hello, emit: nothing}
"""
RIGHT = {
    "WITH": "{value: 1}",
    "SAVE": "{last: 1}",
    "EMIT": "{text: a, more: b, either: c}",
    "SETTINGS": "{seed: 7}",
}
DATA = "secret-as-data {secret: KEY}"


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"WITH": "{value: {secret: KEY}}"}, [DATA]),
        ({"WITH": "{value: [1, {a: {secret: KEY}}]}"}, [DATA]),
        ({"SAVE": "{last: {secret: KEY}}"}, [DATA]),
        ({"SAVE": "{all: {secret: KEY}}"}, [DATA]),
        ({"EMIT": "{text: {secret: KEY}, more: b, either: c}"}, [DATA]),  # instead of “wanted string”
        ({"EMIT": "{text: a, more: {secret: KEY}, either: c}"}, [DATA]),
        ({"SETTINGS": "{seed: {secret: KEY}}"}, [DATA]),
        # what is none
        ({"SETTINGS": "{seed: {secret: [KEY]}}"}, []),
        ({"SETTINGS": "{seed: {secret: KEY, more: 1}}"}, []),
        ({"WITH": "{value: {secret: OTHER}}"}, []),
        ({"WITH": "{value: {secret: KEY, more: 1}}"}, []),
        ({"WITH": "{value: {secret: \"${{ 'KEY' }}\"}}"}, []),
        ({"WITH": "{value: 1, clue: {secret: KEY}}"}, []),  # the type has such a field
        ({"EMIT": "{text: a, more: b, either: {secret: KEY}}"}, []),
    ],
)
def test_the_name_of_a_secret_is_no_data(changed: dict[str, str], expected: list[str]) -> None:
    text = HEAD
    for key, value in (RIGHT | changed).items():
        text = text.replace(key, value)
    found = check_text(text.encode(), "shown.yaml")
    assert [
        f"{each.code} {found.text[each.start.offset : each.end.offset]}"
        for each in found.diagnostics
        if each.code != "bare-race"
    ] == expected


SETTINGS = "types: {Clue: {secret: string}, Open: {name: string, more: any}}"


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        ("state: {", "state: {new: {type: any, default: {secret: KEY}}, ", [DATA]),
        ("state: {", "state: {new: {type: any, default: [{a: {secret: KEY}}]}, ", [DATA]),
        ("default: {}}", "default: {secret: KEY}}", [DATA]),
        ("args: {value: any", "args: {value: {type: any, default: {secret: KEY}}", [DATA]),
        # by the type, and not by its words
        ("state: {", "state: {new: {type: Open, default: {name: a, more: {secret: KEY}}}, ", [DATA]),
        ("state: {", "state: {new: {type: list of Open, default: [{name: a, more: {secret: KEY}}]}, ", [DATA]),
        ("state: {", "state: {new: {type: optional map of Open, default: {a: {name: a, more: {secret: KEY}}}}, ",
         [DATA]),
        ("state: {", "state: {new: {type: Open, default: {name: a, more: 1}}, ", []),
        ("state: {", "state: {new: {type: map of Clue, default: {a: {secret: KEY}}}, ", []),
        ("state: {", "state: {new: {type: Clue, default: {secret: KEY}}, ", []),
        ("state: {", "state: {new: {type: any, default: {secret: OTHER}}, ", []),
        ("model: fast,", "model: fast, output: {a: {type: any, default: {secret: KEY}}},", [DATA]),
        ("model: fast,", "model: fast, output: {a: {type: Open, default: {name: a, more: {secret: KEY}}}},", [DATA]),
        ("model: fast,", "model: fast, output: {a: {type: Clue, default: {secret: KEY}}},", []),
    ],
)  # fmt: skip
def test_the_name_of_a_secret_is_no_default(right: str, wrong: str, expected: list[str]) -> None:
    text = HEAD.replace("types: {Clue: {secret: string}}", SETTINGS)
    for key, value in RIGHT.items():
        text = text.replace(key, value)
    assert right in text
    found = check_text(text.replace(right, wrong, 1).encode(), "shown.yaml")
    assert [
        f"{each.code} {found.text[each.start.offset : each.end.offset]}"
        for each in found.diagnostics
        if each.code not in {"bare-race", "unused-declaration", "unused-result"}
    ] == expected


def test_where_a_secret_may_stand_is_said() -> None:
    found = check_text(HEAD.replace("WITH", "{value: '${{ KEY }}'}").encode(), "shown.yaml")
    (hint,) = {each.hint for each in found.diagnostics if each.code == "unknown-name"}
    assert hint == (
        "a secret is never part of a text: it stands in `auth`, in `api_key`, or as `{secret: KEY}` alone in a header, "
        "`query`, `body` or `env`"
    )
