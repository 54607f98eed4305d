"""The canonical form, rule by rule."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from wfc.compiler.review.formatting import WIDTH, Unformatted, formatted
from wfc.compiler.review.formatting.key_order import STEP_KEYS

SCHEMA = json.loads((Path(__file__).parents[4] / "schemas/workflow.schema.json").read_text())
LONG = " ".join(["word"] * 20)

CASES = {
    "spaces": ("a:   {b:  1 ,c: [ 2,3 ] }", "a: {b: 1, c: [2, 3]}"),
    "indentation": (
        "a:\n    b:\n    - 1\n    -   c: 2\n        d: 3",
        "a:\n  b:\n    - 1\n    - c: 2\n      d: 3",
    ),
    "quotes that nobody needs": ("a: \"red\"\nb: 'two words.'\n'c': 1", "a: red\nb: two words.\nc: 1"),
    "quotes that are needed": ("a: 'no'\nb: '10s'\nc: 'x: y'\nd: ''", 'a: "no"\nb: "10s"\nc: "x: y"\nd: ""'),
    "quotes around quotes": ("a: \"say \\\"so\\\"\"\nb: 'it''s #1'", 'a: \'say "so"\'\nb: "it\'s #1"'),
    "escapes stay": ('a: "\\u00e9\\n"\nb: "tab\\t"', 'a: "\\u00e9\\n"\nb: "tab\\t"'),
    "brackets over lines are joined": ("a: [\n  b,\n  c,\n]", "a: [b, c]"),
    "brackets that are too wide": (
        f"a: {{b: {LONG}, c: {LONG}}}",
        f"a:\n  b: {LONG}\n  c: {LONG}",
    ),
    "blocks stay blocks": ("a:\n  b: 1", "a:\n  b: 1"),
    "a comment between brackets": (
        "a: [\n  b,  # one\n  # two\n  c\n]  # three",
        "a:  # three\n  - b  # one\n  # two\n  - c",
    ),
    "a comment behind brackets keeps them": (
        f"a: {{b: {LONG}, c: {LONG}}}  # x",
        f"a: {{b: {LONG}, c: {LONG}}}  # x",
    ),
    "comments keep their column": (
        "a: 1       # one\nb:   22    # two",
        "a: 1       # one\nb: 22      # two",
    ),
    "comments keep two spaces": ("a: 1 # one", "a: 1  # one"),
    "empty lines": ("\n\na: 1\n\n\n\nb:\n\n  c: 2\n\n\n", "a: 1\n\nb:\n  c: 2"),
    "an empty line between steps": (
        "steps:\n  a:\n    kind: x\n  # about b\n  b: {kind: y}\n  c: {kind: z}",
        "steps:\n  a:\n    kind: x\n\n  # about b\n  b: {kind: y}\n  c: {kind: z}",
    ),
    "keys of a step": (
        "steps:\n  a:\n    # out\n    emit: B\n    accepts: A  # in\n    kind: x\n    # the end",
        "steps:\n  a:\n    kind: x\n    accepts: A  # in\n    # out\n    emit: B\n    # the end",
    ),
    "keys of a step in brackets": ("steps:\n  a: {emit: B, kind: x}", "steps:\n  a: {kind: x, emit: B}"),
    "groups of keys stay": (
        "steps:\n  a:\n    emit: B\n    accepts: A\n\n    tool: t\n    kind: x",
        "steps:\n  a:\n    accepts: A\n    emit: B\n\n    kind: x\n    tool: t",
    ),
    "unknown keys stay behind the one before": (
        "steps:\n  a:\n    emit: B\n    own: 1\n    kind: x",
        "steps:\n  a:\n    kind: x\n    emit: B\n    own: 1",
    ),
    "no order where something is named": (
        "steps:\n  a:\n    emit: &b B\n    kind: *b",
        "steps:\n  a:\n    emit: &b B\n    kind: *b",
    ),
    "entries elsewhere stay": (
        "events:\n  B: {z: string, kind: string}\n  A: {}",
        "events:\n  B: {z: string, kind: string}\n  A: {}",
    ),
    "blocks of text": (
        "a:\n    b: |\n        one\n          two\n\n        three\n    c: >-\n     x",
        "a:\n  b: |\n    one\n      two\n\n    three\n  c: >-\n    x",
    ),
    "a block led by spaces": ("a: |4\n      x\n    y", "a: |2\n    x\n  y"),
    "a block that keeps its end": ("a: |+\n  x\n\n\nb: 1", "a: |+\n  x\n\n\nb: 1"),
    "a text over lines": ("a: one\n      two\nb: 'x\n\n y'", "a: one\n  two\nb: 'x\n\n  y'"),
    "comments at the end of a map": (
        "a:\n    b: 1\n    # in\n  # left\n# out\nc: 2",
        "a:\n  b: 1\n  # in\n# left\n# out\nc: 2",
    ),
    "a list as deep as its key": ("a:\n- 1\n# about c\nc: 2", "a:\n  - 1\n# about c\nc: 2"),
    "the lines of a document": ("--- # x\na: 1\n...", "---  # x\na: 1\n..."),
    "JSON": ('{"wfc": 1, "a": ["b", "1"]}', 'wfc: 1\na: [b, "1"]'),
    "a list where a step should be": ("steps:\n    tools: ['a b', c]", "steps:\n  tools: [a b, c]"),
    "spaces that YAML does not know": (
        "a: &a \u00a0x\u00a0\nb: *a # c\u00a0",
        "a: &a \u00a0x\u00a0\nb: *a  # c\u00a0",
    ),
    "brackets with much in them": (
        f"a: [[{', '.join(['red'] * 300)}]]",
        "a:\n  -" + "\n   ".join(" - red" for _ in range(300)),
    ),
    "an empty list with a long comment": (f"a: [  # {'x' * 600}\n]", f"a: []  # {'x' * 600}"),
    "values that are missing": ("a:\nb: {c: , d: }", "a:\nb: {c: null, d: null}"),
}


@pytest.mark.parametrize("name", CASES)
def test_each_rule(name: str) -> None:
    text, wanted = CASES[name]
    assert formatted(text + "\n") == wanted + "\n"
    assert formatted(wanted + "\n") == wanted + "\n"


def test_a_suppression_stays_on_the_line_that_it_is_about() -> None:
    text = f"# wfc: ignore[some-code] because so\na: {{b: {LONG}, c: {LONG}}}\n"
    assert len(text.split("\n")[1]) > WIDTH
    assert formatted(text) == text


def test_line_endings_stay() -> None:
    assert formatted("a:   1\r\nb: |\r\n    x\r\n") == "a: 1\r\nb: |\r\n  x\r\n"


def test_a_block_at_the_end_gets_no_line_break_that_would_be_part_of_it() -> None:
    assert formatted("a: |\n    x") == "a: |\n  x"
    assert formatted("a: |-\n    x") == "a: |-\n  x\n"


@pytest.mark.parametrize("text", ["a: 1\rb: 2\n", "a: 'x\u2028y'\n", "a: 'x\x85y'\n", "? a\n  b\n: 1\n"])
def test_what_has_no_canonical_form_is_said(text: str) -> None:
    assert isinstance(formatted(text), Unformatted)


def test_every_key_of_a_step_has_its_place() -> None:
    parts = [each for name, each in SCHEMA["$defs"].items() if name == "step" or name.endswith("_keys")]
    known = {key for each in parts for key in each.get("properties", {})}
    assert known <= set(STEP_KEYS)
    assert len(STEP_KEYS) == len(set(STEP_KEYS))


def test_a_comment_is_never_taken_for_a_part_of_a_text() -> None:
    text = 'a: "red" #7\nb: [\n  red,  #8\n]\nwhen: "x is y"  # so\n'
    found = formatted(text)
    assert found == 'a: "red"  #7\nb:\n  - red\n  #8\nwhen: "x is y"  # so\n'
    assert re.findall(r"#\S+", text) == re.findall(r"#\S+", str(found))
