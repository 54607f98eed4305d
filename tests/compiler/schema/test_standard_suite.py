"""The standard's own test suite: our validator says what it says, and refuses what it does not know.

The suite is in the source archive of the `jsonschema` that is installed, which pip fetches once. It is no part of this
repository.
"""

from __future__ import annotations

import json
import os
import re
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
from standard import Standard

from wfc.compiler.schema.keywords import ANNOTATIONS, KEYWORDS
from wfc.compiler.schema.validator import Validator

PLACE = Path(__file__).parents[2] / ".sources"
TESTS = ("json", "tests", "draft2020-12")
SCHEMA = ("additionalProperties", "items", "propertyNames", "if", "then", "else")
SCHEMAS = ("properties", "$defs")
LISTS = ("anyOf", "allOf")


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


def cause(schema: object) -> str:
    """Return why our validator has to refuse a schema; empty if it does not."""
    foreign = sorted(set(keywords(schema)) - KEYWORDS - ANNOTATIONS)
    if foreign:
        return f"`{foreign[0]}`"
    if not all(re.fullmatch(r"#/\$defs/[\w-]+", each) for each in references(schema)):
        return "`$ref` to other than a definition"
    return "`const` and `enum` of lists, maps and fractions" if any(map(is_deep, constants(schema))) else ""


def parts(schema: object) -> Iterator[dict[str, Any]]:
    """Yield a schema and all those in it."""
    if isinstance(schema, dict):
        yield schema
        inner = [schema[key] for key in SCHEMA if key in schema]
        inner += [each for key in SCHEMAS if key in schema for each in schema[key].values()]
        inner += [each for key in LISTS if key in schema for each in schema[key]]
        for each in inner:
            yield from parts(each)


def keywords(schema: object) -> Iterator[str]:
    return (key for each in parts(schema) for key in each)


def references(schema: object) -> Iterator[str]:
    return (each["$ref"] for each in parts(schema) if isinstance(each.get("$ref"), str))


def constants(schema: object) -> Iterator[object]:
    for each in parts(schema):
        yield from each.get("enum", ())
        if "const" in each:
            yield each["const"]


def is_deep(constant: object) -> bool:
    return isinstance(constant, (list, dict, float))


def has_point(value: object) -> bool:
    """Whether there is a whole number written with a point in it: for us it is no integer."""
    if isinstance(value, dict):
        value = list(value.values())
    return (
        any(map(has_point, value)) if isinstance(value, list) else isinstance(value, float) and value % 1 == 0
    )


def test_the_validator_says_what_the_suite_says_or_refuses(suite: dict[str, list[dict[str, Any]]]) -> None:
    refused: Counter[str] = Counter()
    schemas = agreeing = pointed = 0
    tests = [test for groups in suite.values() for group in groups for test in group["tests"]]
    values = {json.dumps(test["data"]): test["data"] for test in tests}
    for name, groups in suite.items():
        for group in groups:
            schema = group["schema"]
            if isinstance(schema, bool) or (why := cause(schema)):
                refused["a schema that is `true` or `false`" if isinstance(schema, bool) else why] += 1
                continue
            schemas += 1
            fits = Validator(schema).fits
            for test in group["tests"]:
                assert Draft202012Validator(schema).is_valid(test["data"]) == test["valid"]
                said = fits(test["data"])
                if said != test["valid"]:
                    assert has_point(test["data"]), (name, group["description"], test["description"])
                    pointed += 1
                agreeing += said == test["valid"]
            standard = Standard(schema)
            for value in values.values():
                assert fits(value) is standard.is_valid(value), (name, schema, value)
    print(
        f"\n{schemas} schemas: {agreeing} tests agree, {pointed} whole numbers with a point are no integers; "
        f"each on all {len(values)} values as jsonschema says; {refused.total()} schemas refused:"
    )
    print("".join(f"{number:5} {why}\n" for why, number in refused.most_common()))
    assert agreeing > 250
