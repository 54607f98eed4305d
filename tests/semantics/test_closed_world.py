"""A closed world: a key that is not of the language is an error, and so is one that is not supported yet."""

from __future__ import annotations

from typing import Any

import pytest

BASE = """
start: Asked
end: Told
{top}
events: {{Asked: {{n: integer}}, Told: {{n: integer}}}}
state: {{s: {{type: list of string, default: []}}}}
models: {{fast: {{use: "openai:gpt-4o-mini"}}}}
tools: {{find: {{python: "stage:plain", output: integer}}{tools}}}
steps:
  ask: {{kind: llm, accepts: Asked, model: fast, prompt: Hello{llm}, emit: {emit}}}
{steps}
tests:
  - {{name: one, start: {{n: 1}}, mock: {{ask: x}}, expect: {{end: Told}}{tests}}}
"""


def spec(**more: str) -> str:
    places = dict.fromkeys(("top", "tools", "llm", "steps", "tests"), "")
    return BASE.format(**{**places, "emit": "Told", **more})


def test_the_spec_itself_is_good(shown: Any) -> None:
    assert shown.findings(spec()) == ["unused-declaration find"]


UNKNOWN = [
    ({"top": "stat: Asked"}, "stat"),
    ({"llm": ", promt: x"}, "promt"),
    ({"llm": ", retry: {max_atempts: 3}"}, "max_atempts"),
    ({"emit": "{event: Told, wih: {n: 1}}"}, "wih"),
    ({"tools": ', other: {python: "stage:plain", outptu: integer}'}, "outptu"),
    ({"tests": ", cloc: x"}, "cloc"),
    ({"steps": "  j: {kind: transform, accepts: {al: [Asked]}, emit: nothing}"}, "al"),
    ({"llm": ", url: x"}, "url"),
]


@pytest.mark.parametrize(("more", "marked"), UNKNOWN, ids=[each[1] for each in UNKNOWN])
def test_an_unknown_key_is_an_error_at_the_key(shown: Any, more: dict[str, str], marked: str) -> None:
    assert f"unknown-key {marked}" in shown.findings(spec(**more))


def test_so_is_one_written_twice(shown: Any) -> None:
    assert "duplicate-key model" in shown.findings(spec(llm=", model: fast"))
