"""Lists made of others, `[x.name for x in event.items]`, that stand without quotes, so that YAML cannot read them."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import comprehensions as problems
from wfc.compiler.yaml.syntax_errors.lines import line_at
from wfc.compiler.yaml.syntax_errors.problem import SyntaxProblem

__all__ = ["BARE", "closing", "unquoted_list"]

BEGINS: Final = re.compile(r"(?:(?<![\w-])(?P<key>[\w-]+): +|- +)(?P<list>\[)")
"""The beginning of a value with a square bracket; in a nested list the outermost one counts."""
LOOP: Final = re.compile(
    r"\[(?P<made>.*?)\bfor (?P<one>\w+)(?:, (?P<other>\w+))? in \(*\w+[.\])| ].*", re.DOTALL
)
OPERATORS: Final = "(?:and|else|for|if|in|is|not|or)"
PROSE: Final = re.compile(rf"\b(?!{OPERATORS}\b)[^\W\d]\w* +(?!{OPERATORS}\b)[^\W\d]\w*")
"""Two words, as no expression has them side by side."""
WORDS: Final = re.compile(r"(?=.*[^\W\d])[\w ,.'!?-]*")
NAME_OF_FIELD: Final = re.compile(r"([{,]\s*)([^\W\d]\w*):(?=\s)")
"""A field's name in a record; in an expression it stands in quotes."""
BARE: Final = frozenset({"from", "in", "keep", "key", "per", "that", "to_key", "until", "when"})
"""Keys whose whole value is an expression."""
HOLE: Final = re.compile(r"([\"'])\$\{\{([^{}]*)\}\}\1")
HOLDS_TEXT: Final = re.compile(r"\"[^\"]*\"|'[^']*'")
BREAK: Final = re.compile(r"(?<!\s)\s*[\r\n]\s*")
COMMENT: Final = re.compile(r"\s#")
LONGEST: Final = 2000
MOST_LINES: Final = 12
PAIRS: Final = {"]": "[", "}": "{", ")": "("}


def unquoted_list(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a list made of another at whose line, or at a line of which, YAML stops."""
    text, start, end = problem.text, problem.start, problem.end
    limit = min(len(text), end + LONGEST)
    for _ in range(MOST_LINES):
        if limit - start > 2 * LONGEST:
            return None
        for begins in BEGINS.finditer(text, start, line_at(text, start)[1]):
            if (found := list_begun_at(text, problem.at, begins, limit)) is not None:
                return found
        if start == 0:
            return None
        start, _ = line_at(text, start - 1)
    return None


def list_begun_at(text: str, at: int, begins: re.Match[str], limit: int) -> Finding | None:
    """Return the finding for the list that begins here, if it is made of another and YAML stops in or behind it."""
    opened = begins.start("list")
    stop = closing(text, opened, limit)
    loop = LOOP.fullmatch(text, opened, stop) if stop is not None else None
    if stop is None or loop is None:
        return None
    uses_item = re.search(rf"\b(?:{loop['one']}|{loop['other'] or loop['one']})\b", loop["made"]) is not None
    is_prose = PROSE.search(HOLDS_TEXT.sub("", loop["made"])) is not None
    if is_prose or (not uses_item and WORDS.fullmatch(loop["made"])):
        return None  # a text in brackets, as in `[Waiting for one in a.b] and more`
    stop = end_of_value(text, stop, line_at(text, stop)[1])
    if at > stop or COMMENT.search(text, opened, stop):
        return None
    written = BREAK.sub(" ", text[opened:stop]).replace("[ ", "[").replace(" ]", "]")
    written = HOLE.sub(lambda hole: hole[2].strip(" "), NAME_OF_FIELD.sub(r'\1"\2":', written))
    whole = written if begins["key"] in BARE else f"${{{{ {written} }}}}"
    return problems.loop_read_as_list(
        Place((), "text", opened, stop), whole, readable=False, certain=uses_item
    )


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


def end_of_value(text: str, stop: int, end: int) -> int:
    """Return where a value ends that goes on after its first bracket, as `[…] | sum` does."""
    rest = text[stop:end].partition(" #")[0]
    depth = 0
    for index, character in enumerate(rest):
        if depth == 0 and character in ",}]":  # between braces or brackets that were opened before
            rest = rest[:index]
            break
        depth += (character in "[{(") - (character in "]})")
    return stop + len(rest.rstrip())
