"""The specs in `docs/language/`, from which the reference cuts its examples, are good and use the whole language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from wfc.compiler.cli import main
from wfc.compiler.schema import expansion

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "docs/language"
FILES = sorted(FOLDER.rglob("*.yaml"))


def reference() -> str:
    """Return the page as it is now: with `--golden` a test before has rewritten it."""
    return (ROOT / "docs/reference.md").read_text(encoding="utf-8")


SCHEMA = expansion.schema()
SHAPES = SCHEMA["$defs"]

TOLD_IN_WORDS = {
    ("join_any", "within"),
    ("join_any", "on_timeout"),
    ("join_all", "rest"),
    ("part_entry", "with"),
}
"""Keys of a shape that have an example in another shape of the same kind."""


@pytest.mark.parametrize("command", ["check", "test"])
def test_every_example_is_good(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = main([command, str(FOLDER)])
    assert status == 0, "".join(capsys.readouterr())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_workflow_has_tests_and_every_file_is_shown(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "\ntests:\n" in text or "\nworkflow: " not in text
    name = path.relative_to(FOLDER).as_posix()
    called = {"looking_up.yaml", "taxi_order.yaml", "giving_back.yaml", "exchanging.yaml"}
    assert f"(language/{name})" in reference() or name in called


def test_every_key_has_an_example() -> None:
    used = set()
    for path in FILES:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        shape = "part" if "part" in data else "spec" if "workflow" in data else "shared"
        used |= set(walk({"$ref": f"#/$defs/{shape}"}, data))
    wanted = {(name, key) for name, shape in SHAPES.items() for key in supported(name, shape)}
    missing = {pair for pair in wanted - used if pair not in TOLD_IN_WORDS and not elsewhere(pair, used)}
    assert not missing


def later(shape: Mapping[str, Any]) -> bool:
    return "$comment" in shape


def supported(name: str, shape: Mapping[str, Any]) -> Iterator[str]:
    """The keys of a shape that have a meaning today."""
    properties = shape.get("properties", {})
    if later(properties.get("kind", {})) or name.startswith(NOT_YET):
        return
    for key, each in properties.items():
        if not later(each) and not (name == "shared" and later(SHAPES["spec"]["properties"].get(key, {}))):
            yield key


NOT_YET = ("retrieve", "knowledge", "openapi")


def elsewhere(pair: tuple[str, str], used: set[tuple[str, str]]) -> bool:
    """Whether a key that several shapes have has an example in another of these: steps, entries, types, files."""
    name, key = pair
    family = next((each for each in FAMILIES if name.endswith(each)), ())
    return any(one.endswith(family) and other == key for one, other in used)


FAMILIES = (("_step", "_action", "request"), ("_entry",), ("_type", "_field"), ("_tool",), ("shared", "spec"))
"""Endings of the names of shapes that have keys in common."""


def walk(schema: Mapping[str, Any], data: object, name: str = "") -> Iterator[tuple[str, str]]:
    """The keys that data uses, each with the name of the shape that knows it."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        yield from walk(SHAPES[name], data, name)
    if isinstance(data, Mapping):
        for key, content in data.items():
            each = schema.get("properties", {}).get(key)
            if each is not None:
                yield name, key
                yield from walk(each, content)
            elif isinstance(schema.get("additionalProperties"), Mapping):
                yield from walk(schema["additionalProperties"], content)
    if isinstance(data, list) and isinstance(schema.get("items"), Mapping):
        for content in data:
            yield from walk(schema["items"], content)
    if "if" in schema:
        yield from walk(schema.get("then" if fits(schema["if"], data) else "else", {}), data, name)
    for each in schema.get("allOf", ()):
        yield from walk(each, data, name)


def fits(schema: Mapping[str, Any], data: object) -> bool:
    return jsonschema.Draft202012Validator({**schema, "$defs": SHAPES}).is_valid(data)


def test_every_supported_key_is_in_the_index() -> None:
    index = set(
        re.findall(r"^\| `(\w+)` \|", reference().partition("## Every key from A to Z")[2], re.MULTILINE)
    )
    wanted = {key for name, shape in SHAPES.items() for key in supported(name, shape)}
    assert wanted <= index
