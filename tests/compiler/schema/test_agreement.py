"""The compiler's validator, the explanation and an independent reading of the schema agree, whatever the data."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, validators

from wfc.compiler.diagnostics import Address, Finding, Place
from wfc.compiler.schema import validate
from wfc.compiler.schema.expansion import validator
from wfc.compiler.yaml import Document, read
from wfc.schemas import load

HERE = Path(__file__).parent
TEXT = (HERE / "supported.yaml").read_text(encoding="utf-8")
DATA = read(TEXT.encode(), "supported.yaml", lambda _: None).data

# The one difference from the published schema: a whole number written as `3.0` is no integer for us.
TYPES = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
INDEPENDENT = validators.extend(Draft202012Validator, type_checker=TYPES)(load())

VALUES: list[Any] = [None, True, False, 0, 1, -1, 3, 1.5, "", "x", "A", "nothing", [], ["x"], [[]], [{}], {}]
VALUES += [
    {"x": 1},
    {"event": "A"},
    {"all": ["A"]},
    {"type": "string"},
    {"enum": ["a"]},
    {"kind": "llm"},
    [None],
]


def walk(value: Any, address: Address = ()) -> Iterator[Address]:
    yield address
    if isinstance(value, dict):
        for key, each in value.items():
            yield from walk(each, (*address, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from walk(each, (*address, index))


ADDRESSES = list(walk(DATA))


def at(data: Any, address: Address) -> Any:
    for step in address:
        data = data[step]
    return data


def around(address: Address) -> Any:
    """The example with one declaration of each sort, the one at the address: a schema judges each by itself."""
    data: dict[str, Any] = {}
    for key, value in DATA.items():
        if isinstance(value, dict):
            name = address[1] if len(address) > 1 and address[0] == key else next(iter(value))
            data[key] = {name: copy.deepcopy(value[name])}
        else:
            data[key] = copy.deepcopy(value)
    return data


def document(data: Any) -> Document:
    text = json.dumps(data, indent=1, ensure_ascii=False)  # which is YAML as well
    return read(text.encode(), "spec.yaml", lambda _: None)


def agree(data: Any) -> list[Finding]:
    """Compare the three, and give what is found."""
    findings: list[Finding] = []
    written = document(data)
    assert written.data == data
    spec = validate(written, findings.append)
    supported = all(finding.code != "not-supported-yet" for finding in findings)
    assert validator().fits(data) == (not findings)
    assert INDEPENDENT.is_valid(data) == (not findings) or not supported
    for finding in findings:
        diagnostic = written.diagnostic(finding)
        assert 0 <= diagnostic.start.offset <= diagnostic.end.offset <= len(written.text)
        assert written.root.find(finding.place.address)[2], finding
    assert len({(finding.code, finding.place) for finding in findings}) == len(findings)
    if spec is not None:
        assert validator().fits(spec.data), "what is left is well-shaped"
        assert not findings or spec.data != data or spec.broken
    return findings


def test_the_example_fits() -> None:
    assert agree(DATA) == []


PARTS = 36
in_parts = pytest.mark.parametrize(
    "part", [0, *(pytest.param(number, marks=pytest.mark.full) for number in range(1, PARTS))]
)


@in_parts
@pytest.mark.parametrize("turn", range(3))
def test_a_wrong_value_at_every_place(turn: int, part: int) -> None:
    for number, address in [*enumerate(ADDRESSES[1:])][part::PARTS]:
        value = VALUES[(3 * number + turn) % len(VALUES)]
        data = around(address)
        owner = at(data, address[:-1])
        if owner[address[-1]] == value:
            continue
        owner[address[-1]] = value
        findings = agree(data)
        for finding in findings:
            place = finding.place.address
            assert place[: len(address)] == address or address[: len(place)] == place, (
                address,
                value,
                finding,
            )
        if not isinstance(value, (dict, list)):
            assert len(findings) <= 1, (address, value, findings)


@in_parts
def test_every_key_that_is_dropped_or_misspelt(part: int) -> None:
    for address in ADDRESSES[1 + part :: PARTS]:
        if isinstance(address[-1], int):
            continue
        data = around(address)
        owner = at(data, address[:-1])
        value = owner.pop(address[-1])
        assert len(agree(data)) <= 1, address
        owner["zzzzzzzzz"] = value
        assert len(agree(data)) <= 1, address


@st.composite
def mutations(draw: st.DrawFn) -> Any:
    """The example with some of it replaced, dropped, renamed or moved."""
    data = copy.deepcopy(DATA)
    for _ in range(draw(st.integers(1, 4))):
        address = draw(st.sampled_from(list(walk(data))[1:] or [("wfc",)]))
        owner = at(data, address[:-1])
        last = address[-1]
        what = draw(st.sampled_from(["drop", "value", "rename", "move", "copy"]))
        if what == "value":
            owner[last] = copy.deepcopy(draw(st.sampled_from(VALUES)))
        elif what == "copy":
            owner[last] = copy.deepcopy(at(data, draw(st.sampled_from(list(walk(data))))))
        elif isinstance(owner, dict):
            value = owner.pop(last)
            if what == "rename":
                owner[draw(st.sampled_from(sorted({str(each[-1]) for each in ADDRESSES[1:]})))] = value
            elif what == "move" and isinstance(data, dict):
                data[last] = value
    return data


@given(mutations())
@settings(max_examples=25)
def test_any_mutation(data: Any) -> None:
    if isinstance(data, dict) and len(str(data)) < 200_000:
        agree(copy.deepcopy(data))


@pytest.mark.full
@given(mutations())
@settings(max_examples=150)
def test_any_of_many_mutations(data: Any) -> None:
    if isinstance(data, dict) and len(str(data)) < 200_000:
        agree(copy.deepcopy(data))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["x", "A"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["kind", "event", "all", "each", "type", "enum", "steps", "wfc", "when"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


ANY_DATA = st.dictionaries(st.sampled_from(sorted(DATA)), JSON, max_size=6).filter(bool)


@given(ANY_DATA)
@settings(max_examples=80)
def test_any_data(data: dict[str, Any]) -> None:
    agree(data)


@pytest.mark.full
@given(ANY_DATA)
@settings(max_examples=3 * settings.default.max_examples)
def test_more_of_any_data(data: dict[str, Any]) -> None:
    agree(data)


def test_a_place_that_is_broken_is_known_as_such() -> None:
    data = copy.deepcopy(DATA)
    data["steps"]["ask"]["emit"] = 3
    data["steps"]["look"]["timeout"] = []
    written = document(data)
    spec = validate(written, lambda _: None)
    assert spec is not None
    assert "ask" not in spec.data["steps"]
    assert "timeout" not in spec.data["steps"]["look"]
    assert spec.data["steps"]["look"]["tool"] == "find"
    assert {
        ("steps", "ask"),
        ("steps", "ask", "emit"),
        ("steps", "look"),
        ("steps", "look", "timeout"),
    } <= spec.broken
    assert ("steps", "join") not in spec.broken
    assert written.stretch(Place(("steps", "ask"), "key"))
