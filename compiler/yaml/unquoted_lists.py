"""Lists made of others, `[x.name for x in event.items]`, that stand without quotes, so that YAML cannot read them."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import comprehensions as problems
from wfc.compiler.yaml.malformed_lines import line_at

__all__ = ["find_unquoted_list"]

BEGINS: Final = re.compile(r"(?:(?P<key>[\w-]+): +|- +)(?P<list>\[)")
"""The beginning of a value with a square bracket; in a nested list the outermost one counts."""
LOOP: Final = re.compile(r"\[.*\bfor \w+(?:, \w+)? in \(*\w+[.\])| ].*", re.DOTALL)
NAME_OF_FIELD: Final = re.compile(r"([{,]\s*)([^\W\d]\w*):(?=\s)")
"""A field's name in a record; in an expression it stands in quotes."""
BARE: Final = frozenset({"from", "in", "keep", "key", "per", "that", "to_key", "until", "when"})
"""Keys whose whole value is an expression."""
LONGEST_LINE: Final = 2000
PAIRS: Final = {"]": "[", "}": "{", ")": "("}


def find_unquoted_list(text: str, at: int) -> Finding | None:
    """Return the finding for a list made of another on the line at which YAML stops."""
    start, end = line_at(text, at)
    if end - start > LONGEST_LINE:
        return None
    for begins in BEGINS.finditer(text, start, end):
        stop = closing(text, begins.start("list"), end)
        if stop is None or at >= stop or not LOOP.fullmatch(text, begins.start("list"), stop):
            continue
        stop = end_of_value(text, start, begins.start(), stop, end)
        written = text[begins.start("list") : stop]
        written = NAME_OF_FIELD.sub(r'\1"\2":', written)
        whole = written if begins["key"] in BARE else f"${{{{ {written} }}}}"
        return problems.loop_read_as_list(
            Place((), "text", begins.start("list"), stop), whole, readable=False
        )
    return None


def closing(text: str, start: int, end: int) -> int | None:
    """Return where a bracket is closed, quotes and other brackets looked at; ``None`` if not on the line."""
    waiting: list[str] = []
    quote = ""
    for index in range(start, end):
        character = text[index]
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "[{(":
            waiting.append(character)
        elif character in PAIRS:
            if waiting.pop() != PAIRS[character]:
                return None
            if not waiting:
                return index + 1
    return None


def end_of_value(text: str, start: int, key: int, stop: int, end: int) -> int:
    """Return where a value ends that goes on after its first bracket, as `[…] | sum` does."""
    rest = text[stop:end].partition(" #")[0]
    if text[start:key].strip("- "):  # between braces or brackets
        depth = 0
        for index, character in enumerate(rest):
            if depth == 0 and character in ",}]":
                rest = rest[:index]
                break
            depth += (character in "[{(") - (character in "]})")
    return stop + len(rest.rstrip())
