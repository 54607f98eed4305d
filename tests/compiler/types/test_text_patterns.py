"""Patterns of hostile shape on hostile data, and how large a pattern is once its repetitions are written out."""

from __future__ import annotations

import json
import random
import re
import time

import pytest

from wfc.compiler.passes import check_text
from wfc.compiler.types.text_patterns import MOST_REPEATED, repeated
from wfc.runtime.values.filters import matches

HOSTILE = [
    "(a+)+b", "(a|a)*b", "(a|aa)+b", "(.*)*x", "(a*)*b", "([a-z]+)*[A-Z]", "(a?){50}a{50}b", "(x+x+)+y",
    "(.*a){12}b", "((a{0,9}){0,9}){0,9}b", "(?i:a+)+b", "((a|b|ab)*)*c", "(a{1,100}){1,19}b",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
]  # fmt: skip
"""Patterns on which an engine that goes back takes for ever, or that repeat what repeats."""
TOO_MANY = [
    "((a{0,30}){0,30}){0,30}b",
    "(a{1,100}){1,100}",
    "(((((a{9}){9}){9}){9}){9}){9}",
    "a{2001}",
    "(?:ab){1001,}",
]
SPEC = """\
wfc: 1
workflow: patterns
start: Asked
end: Told
events: {{Asked: {{word: {{type: string, pattern: {pattern}}}}}, Told: {{fits: boolean}}}}
steps:
  ask:
    kind: transform
    accepts: Asked
    emit: {{event: Told, with: {{fits: '${{{{ event.word | matches({pattern}) }}}}'}}}}
tests:
  - {{name: hostile, start: {{word: {text}}}, expect: {{end: Told}}}}
"""


def spec(pattern: str, text: str) -> bytes:
    return SPEC.format(pattern=json.dumps(pattern), text=json.dumps(text)).encode()


@pytest.mark.parametrize("pattern", HOSTILE)
def test_a_hostile_pattern_takes_no_time_on_hostile_data(pattern: str) -> None:
    """In the check, which holds the values of tests against patterns, and in a run."""
    begun = time.process_time()
    found = check_text(spec(pattern, "a" * 3_000 + "!"), "patterns.yaml").diagnostics
    assert {each.code for each in found} == {"wrong-value"}
    assert not matches("a" * 30_000 + "!", pattern)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("pattern", TOO_MANY)
def test_a_pattern_that_is_too_large_once_it_is_written_out_is_refused(pattern: str) -> None:
    begun = time.process_time()
    found = check_text(spec(pattern, "a" * 3_000), "patterns.yaml").diagnostics
    assert {each.code for each in found} == {"bad-pattern", "pattern-of-matches"}
    assert all("are allowed" in each.message for each in found)
    assert time.process_time() - begun < 2


def written_out(depth: int, chance: random.Random) -> tuple[str, str]:
    """A pattern by chance, and the same without bounded repetitions."""
    if depth == 0:
        part = chance.choice(["a", r"\d", "[a-z]", r"[^]\]]", r"\{", ".", "[{(]"])
        return part, part
    inside = [written_out(depth - 1, chance) for _ in range(chance.randint(1, 3))]
    short, long = "".join(one for one, _ in inside), "".join(two for _, two in inside)
    if chance.random() < 0.3:
        return f"({short})+", f"({long})+"
    times = chance.randint(1, 4)
    least = chance.choice([str(times), f"0,{times}", f"{times},"])
    return f"(?:{short}){{{least}}}", long * times


@pytest.mark.parametrize("seed", range(60))
def test_the_size_is_that_of_what_is_written_out(seed: int) -> None:
    short, long = written_out(3, random.Random(seed))  # noqa: S311 — patterns, not secrets
    re.compile(short)
    bare = re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", "x", long)
    assert repeated(short) == len(re.sub(r"[()+]", "", bare))
    assert repeated(short) <= MOST_REPEATED
