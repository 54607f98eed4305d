"""The standard's own test suite: what the printed validator says is what it says, and what cannot be said is refused.

The suite is in the source archive of the `jsonschema` that is installed, which pip fetches once. It is no part of this
repository.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from printing import Standard, printed

from wfc.compiler.schema.conditions import ANNOTATIONS
from wfc.compiler.schema.generator import KNOWN

PLACE = Path(__file__).parents[2] / ".sources"
TESTS = ("json", "tests", "draft2020-12")
SCHEMA = ("additionalProperties", "items", "propertyNames", "if", "then", "else")
SCHEMAS = ("properties", "$defs")
LISTS = ("anyOf", "allOf")

SHAPES = {
    "the schema True": "a schema that is `true`",
    "the schema False": "a schema that is `false`",
    "propertyNames outside": "`propertyNames` other than in a condition",
    "allOf of other": "`allOf` other than one `if` and `then` for each kind",
    "a choice by other": "`allOf` other than one `if` and `then` for each kind",
    "allOf other than": "`allOf` other than one `if` and `then` for each kind",
}
"""Of a keyword that it knows the validator has what our schema uses; the rest it refuses by these words."""


def archive() -> Path:
    """The source archive of `jsonschema`, as pip gives it."""
    name = f"jsonschema-{version('jsonschema')}.tar.gz"
    if not (PLACE / name).exists():
        PLACE.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=PLACE) as fresh:
            what = ["--no-deps", "--no-binary", "jsonschema", f"jsonschema=={version('jsonschema')}"]
            pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
            done = subprocess.run([*pip, *what, "--dest", fresh], capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"pip could not fetch {name}:\n{done.stdout}\n{done.stderr}"
            os.replace(Path(fresh) / name, PLACE / name)
    return PLACE / name


@pytest.fixture(scope="module")
def suite() -> dict[str, list[dict[str, Any]]]:
    """File → its schemas, each with the data that it is tried on."""
    found = {}
    with tarfile.open(archive()) as files:
        for member in files:
            path = Path(member.name)
            required = path.parts[1:-1] in (TESTS, (*TESTS, "optional"))
            if required and path.suffix == ".json":
                held = files.extractfile(member)
                assert held is not None
                found["/".join(path.parts[4:])] = json.load(held)
    return found


def keywords(schema: object) -> Iterator[str]:
    """All keywords of a schema and of those in it, but for what is in a keyword that the validator does not know."""
    if isinstance(schema, dict):
        yield from schema
        inner = [schema[key] for key in SCHEMA if key in schema]
        inner += [each for key in SCHEMAS if key in schema for each in schema[key].values()]
        inner += [each for key in LISTS if key in schema for each in schema[key]]
        for each in inner:
            yield from keywords(each)


def cause(schema: object, refusal: str) -> str:
    """Why a schema is refused: a keyword that is not supported, or a shape of one that is.

    Raises:
        AssertionError: For neither.
    """
    foreign = sorted(set(keywords(schema)) - KNOWN - ANNOTATIONS)
    if foreign:
        return f"`{foreign[0]}`"
    for words, shape in SHAPES.items():
        if words in refusal:
            return shape
    if "$ref" in set(keywords(schema)) and (refusal.startswith(("#", "http")) or "$ref" in refusal):
        return "`$ref` to other than a definition, or in a condition"
    if refusal.startswith("['null'"):
        return "`type: null`"
    if {"const", "enum"} & set(keywords(schema)) and not refusal.startswith("['"):
        return "`const` and `enum` of other than texts and whole numbers"
    told = json.loads(refusal.replace("'", '"'))
    assert told, refusal
    assert set(told) <= KNOWN, (schema, refusal)
    return "a keyword that is not for conditions, in one"


def has_point(value: object) -> bool:
    """Whether there is a whole number written with a point in it: for us it is no integer."""
    if isinstance(value, dict):
        value = list(value.values())
    return (
        any(map(has_point, value)) if isinstance(value, list) else isinstance(value, float) and value % 1 == 0
    )


def test_the_validator_says_what_the_suite_says_or_is_refused(suite: dict[str, list[dict[str, Any]]]) -> None:
    refused: Counter[str] = Counter()
    schemas = agreeing = pointed = 0
    tests = [test for groups in suite.values() for group in groups for test in group["tests"]]
    values = {json.dumps(test["data"]): test["data"] for test in tests}
    for name, groups in suite.items():
        for group in groups:
            schema = group["schema"]
            if isinstance(schema, bool):
                refused[SHAPES[f"the schema {schema}"]] += 1
                continue
            try:
                fits = printed(schema)
            except NotImplementedError as refusal:
                refused[cause(schema, str(refusal))] += 1
                continue
            assert set(keywords(schema)) <= KNOWN | ANNOTATIONS, (name, schema)
            schemas += 1
            for test in group["tests"]:
                assert Draft202012Validator(schema).is_valid(test["data"]) == test["valid"]
                said = bool(fits(test["data"]))
                if said != test["valid"]:
                    assert has_point(test["data"]), (name, group["description"], test["description"])
                    pointed += 1
                agreeing += said == test["valid"]
            standard = Standard(schema)
            for value in values.values():
                assert bool(fits(value)) == standard.is_valid(value), (name, schema, value)
    print(
        f"\n{schemas} schemas: {agreeing} tests agree, {pointed} whole numbers with a point are no integers; "
        f"each on all {len(values)} values as jsonschema says; {refused.total()} schemas refused:"
    )
    print("".join(f"{number:5} {why}\n" for why, number in refused.most_common()))
    assert agreeing > 150
