"""What is said of a text that YAML cannot read takes time that grows with the text, and not with its square."""

from __future__ import annotations

from time import process_time

import pytest
import yaml

from wfc.compiler.yaml.parser import events
from wfc.compiler.yaml.syntax_errors import syntax_finding

SHAPES = [
    # what a line begins with, what is repeated, and what it ends with
    ("description: b", " ", "c: d"),
    ("a: @", " ", "c"),
    ("description: ", "lambda ", ".: d"),
    ("when: ", "lambda ", ".: d"),
    ('a: {b: "x {{ "c", ', 'd", ', "}"),
    ("b: c\na", " ", "d: {e: f}"),
    ('b: "c"\na', " ", "{ d: e"),
    ('a: {b "', "}", "@"),
    ("a: {", 'b "}", ', "@}"),
    ("a: {", 'b "}", ', "c}"),
    ("a: b", "{ ", ": x"),
    ("a: b[", " :{", "x: y: z"),
    ("a: b", "[", "]: c: d"),
    ("a: {b: c}", "]", ""),
    ("a: {b: ", "list[", "}"),
    ("a: {b: ", "${{ x ", "!"),
    ("a: {b: ", "${{ x }} ", "!: "),
    ('a: "b" ', '"c" ', ""),
    ('a: "b" ', '" =', '"'),
    ("a: ", "- [", "\n: x"),
    ('a: "${{', " ", "[: x"),
    ("a: ", "b, ", ": c: d"),
    ("a: ", "b: ", ""),
    ("a: b\n", "c ", "\nd: e"),
    ("a:\n", "\t", "b: c"),
    ("", "* ", ""),
    ("", "-", "x\na: b"),
    ("a: b\n", ";", " x\nc: d: e"),
    ("", "a: b\n", "a: b: c"),
    ("", "a: b\r", "a: b: c"),
    ('a: "', "b: c\n", 'd: "e"'),
    ("a: 'b 'c", "}", "'"),
    ("a: 'b 'c ,", " ", "!'"),
    ("a: 'b 'c ", "a-", "'"),
    ("a: b\nc d e", " ", "f\ng: {}"),
    ("a: b\nc d", " ", "e #f\ng: {}"),
]
SIZE, TIMES = 2_500, 8


def seconds(shape: tuple[str, str, str], size: int) -> float:
    """The least time that a finding about a text of this size has taken in some tries."""
    begin, unit, end = shape
    text = begin + unit * (size // len(unit)) + end + "\n"
    with pytest.raises(yaml.YAMLError) as stopped:
        list(iter(events(text), None))
    found = []
    for _ in range(4):
        began = process_time()
        syntax_finding(stopped.value, text)
        found.append(process_time() - began)
    return min(found)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_time_does_not_grow_with_the_square(shape: tuple[str, str, str]) -> None:
    growth = [seconds(shape, TIMES * SIZE) / max(seconds(shape, SIZE), 1e-5)]
    while growth[-1] > TIMES * 3 and len(growth) < 4:  # another process may have disturbed
        growth.append(seconds(shape, TIMES * SIZE) / max(seconds(shape, SIZE), 1e-5))
    assert min(growth) <= TIMES * 3, growth
