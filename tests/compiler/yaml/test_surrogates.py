"""Characters that JSON writes as two escapes: read as one, and each in its place."""

from __future__ import annotations

import json
import random

import pytest

from wfc.compiler.diagnostics import Finding
from wfc.compiler.yaml import read
from wfc.compiler.yaml.parser import events
from wfc.compiler.yaml.positions import read_positions

PIECES = [
    "a",
    " ",
    "\\",
    '"',
    "'",
    "é",
    "\u2028",
    "\U0001f600",
    "\U00010000",
    "\U0010ffff",
    "${{ ",
    "\ufffd",
    "\n",
    "#",
]


def values(text: str, *, fast: bool) -> list[str]:
    get = events(text, fast=fast)
    found = []
    while (event := get()) is not None and event.__class__.__name__ != "StreamEndEvent":
        if event.__class__.__name__ == "ScalarEvent":
            found.append(event.value)
    return found


@pytest.mark.parametrize("fast", [True, False])
def test_json_means_in_a_spec_what_it_means_elsewhere(seed: str, fast: bool) -> None:
    chance = random.Random(f"{seed} surrogates")  # noqa: S311
    for _ in range(300):
        texts = ["".join(chance.choices(PIECES, k=chance.randrange(12))) for _ in range(4)]
        assert values(json.dumps(texts), fast=fast) == texts


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"'\ud83d\ude00'", r"\ud83d\ude00"),
        (r"a \uD83d\uDe00", r"a \uD83d\uDe00"),
        ("|\n  \\udBfF\\udFFf x", r"\udBfF\udFFf x"),
        (r'"\\ud83d\\ude00"', r"\ud83d\ude00"),
        (r'"\\\ud83d\ude00"', "\\\U0001f600"),
        (r'"\udbff\udfff\ud800\udc00"', "\U0010ffff\U00010000"),
    ],
)
def test_only_escapes_are_escapes(text: str, value: str) -> None:
    assert values(text, fast=True) == values(text, fast=False) == [value]


@pytest.mark.parametrize(
    "text", [r'"\ud83d"', r'"\ude00\ud83d"', r'"\\ud83d\ude00"', '"\\ud83d\\ude00 \ue000"']
)
def test_half_a_character_is_none(text: str) -> None:
    findings: list[Finding] = []
    read(f"a: {text}\n".encode(), "spec.yaml", findings.append)
    assert [each.code for each in findings] == ["syntax-error"]


def test_what_follows_is_in_its_place() -> None:
    written = r'{"a": "x\ud83d\ude00y", "b": 1}'
    document = read(written.encode(), "spec.json", lambda _: None)
    assert document.data == {"a": "x\U0001f600y", "b": 1}
    node = read_positions(written).child("a")
    assert node is not None
    start, end = node[1].stretch(written, 2, 3)
    assert written[start:end] == "y"
    start, end = node[1].stretch(written, 1, 2)
    assert written[start:end] == r"\ud83d\ude00"
