"""JSON that a run is given: nothing in it is lost, and nothing comes out that steers a terminal."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfc.compiler.cli.json_text import one_line
from wfc.runtime.values.strict_json import NotPlainError, parsed

TYPED = """\
wfc: 1
workflow: typed
start: Given
end: Told
events:
  Given: {text: {type: string, default: a}, whole: {type: integer, default: 0}, broken: {type: number, default: 0}, what: {type: any, default: 0}}
  Told: {text: string, what: any}
steps:
  go: {kind: transform, accepts: Given, emit: {event: Told, with: {text: "${{ event.text }}", what: "${{ event.what }}"}}}
"""  # noqa: E501


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, "b": {"c": 1, "c": 1}}', "it has `c` twice"),
        ("[NaN]", "`NaN` is no number of JSON"),
        ("-Infinity", "`-Infinity` is no number of JSON"),
        ("[1e999]", "`1e999` is too large for a number"),
        (r'["\ud800"]', r"it has half a character, `\ud800`"),
        (r'{"\udfff": 1}', r"it has half a character, `\udfff`"),
        ("[" * 101 + "]" * 101, "it is nested more than 100 deep"),
        ('{"a":' * 200_000, "it is nested more than 100 deep"),
        ('[{"a":' * 60 + "1" + "}]" * 60, "it is nested more than 100 deep"),
    ],
)
def test_what_others_read_otherwise_is_refused(text: str, why: str) -> None:
    with pytest.raises(NotPlainError) as caught:
        parsed(text)
    assert str(caught.value) == why


@pytest.mark.parametrize("text", ["", "{", "[1,]", "{'a': 1}", "1" * 5_000, "\ufeff1", "nul"])
def test_what_is_no_json_is_none(text: str) -> None:
    with pytest.raises(ValueError):
        parsed(text)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(VALUES, st.sampled_from(["utf-8", "latin-1", "ascii", "utf-16", "no such one"]))
def test_a_value_comes_back_from_one_harmless_line(value: object, encoding: str) -> None:
    line = one_line(value, encoding)
    assert line.isprintable()
    assert parsed(line) == json.loads(line) == value
    if encoding != "no such one":
        assert line.encode(encoding)


@pytest.mark.parametrize(
    "args",
    [
        ["--input", "twice.json"],
        ["--input", "nan.json"],
        ["--input", "bytes.json"],
        ["--input", "/dev/zero"],
        ["--input", "/dev/null"],
        ["-i", "what={\"a\": 1, \"a\": 2}"],
        ["-i", "what=NaN"],
        ["-i", "broken=1e999"],
        ["-i", "broken=NaN"],
        ["-i", "whole=1e3"],
        ["-i", f"text={os.fsdecode(bytes([255]))}"],
        ["-i", "whole=" + "9" * 5_000],
    ],
)  # fmt: skip
def test_inputs_that_would_lose_something_are_wrong_usage(wfc, tmp_path: Path, args: list[str]) -> None:
    (tmp_path / "typed.yaml").write_text(TYPED)
    (tmp_path / "twice.json").write_text('{"text": "a", "text": "b"}')
    (tmp_path / "nan.json").write_text('{"what": NaN}')
    (tmp_path / "bytes.json").write_bytes(b'{"text": "\xff"}')
    done = wfc("run", "typed.yaml", *args)
    assert (done.status, done.out) == (2, ""), done.err


def test_what_looks_like_json_stays_a_text_where_one_is_wanted(wfc, tmp_path: Path) -> None:
    (tmp_path / "typed.yaml").write_text(TYPED)
    for text in ('{"a": 1, "a": 2}', "NaN", "1e999", "[" * 200):
        done = wfc("run", "typed.yaml", "-i", f"text={text}")
        assert json.loads(done.out)["with"]["text"] == text


STEERING = "\x1b]0;title\x07\x9b31m\r\u202e\u2028::error::x\n::warning::y\x00"


def test_a_run_cannot_steer_the_terminal(wfc, tmp_path: Path) -> None:
    (tmp_path / "typed.yaml").write_text(TYPED)
    (tmp_path / "in.json").write_text(json.dumps({"text": STEERING, "what": {STEERING: [STEERING]}}))
    done = wfc("run", "typed.yaml", "--input", "in.json")
    assert json.loads(done.out)["with"] == {"text": STEERING, "what": {STEERING: [STEERING]}}
    assert (done.out + done.err).replace("\n", "").isprintable()
    assert not [line for line in (done.out + done.err).split("\n") if line.startswith("::")]


def test_nor_can_a_test_that_fails(wfc, tmp_path: Path) -> None:
    cases = [
        {"name": STEERING, "start": {"text": STEERING}, "expect": {"with": {"text": f"{STEERING}!"}}},
        {"name": "fails", "start": {}, "expect": {"fails": STEERING}},
    ]
    (tmp_path / "typed.yaml").write_text(f"{TYPED}tests: {json.dumps(cases)}\n")
    done = wfc("test", "typed.yaml")
    assert (done.status, done.err) == (1, "0 passed, 2 failed\n")
    assert done.out.replace("\n", "").isprintable()
    assert not [line for line in done.out.split("\n") if line.startswith("::")]


@pytest.mark.parametrize("form", ["mermaid", "dot", "html"])
def test_nor_can_a_picture(wfc, tmp_path: Path, form: str) -> None:
    evil = f'{STEERING[:-1]}</title></desc><script>alert(1)</script>"]; a -> b; click a "javascript:x"'
    text = TYPED.replace("kind: transform", f"description: {json.dumps(evil)}, kind: transform")
    (tmp_path / "typed.yaml").write_text(f"description: {json.dumps(evil)}\n{text}")
    done = wfc("graph", "typed.yaml", "--format", form)
    assert done.status == 0
    assert done.out.replace("\n", "").isprintable()
    assert form == "dot" or "<script>" not in done.out  # a page has one of its own, a module
    assert form == "dot" or done.out.count("<script") == (form == "html")
