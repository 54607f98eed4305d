"""Colons that are missing, stand in the wrong place, or make a key of a text."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Finding
from wfc.compiler.rules import fixes
from wfc.compiler.rules import reading as problems
from wfc.compiler.yaml.syntax_errors.lines import (
    ENTRY,
    above,
    goes_on,
    indentation,
    is_last,
    line_at,
    shown,
    value_around,
)
from wfc.compiler.yaml.syntax_errors.problem import SyntaxProblem, finding_at, place_of
from wfc.compiler.yaml.syntax_errors.unquoted_lists import BARE
from wfc.compiler.yaml.truncation import ends_in_expression

__all__ = [
    "colon_before_name",
    "colon_before_name_above",
    "colon_before_name_opened",
    "no_colon",
    "no_colon_after_name",
    "no_colon_before_bracket",
    "no_name",
    "second_colon",
    "second_colon_in_brackets",
]

NO_NAME: Final = re.compile(r" *(?:- +)?(?P<colon>:)(?: [^\r\n]*)?")
COLON_BEFORE: Final = re.compile(r" *(?P<key>:(?P<name>[\w-]+))(?P<rest> [^\r\n]*)?\r?")
KEYLESS: Final = re.compile(r"[{\[] *: +(?P<rest>[^\r\n]*)")
BEFORE_BRACKET: Final = re.compile(r" *(?:- +)?(?P<key>[A-Za-z_][\w-]*) *(?:[,;=>] *)?(?=\{|\[)")
NAME_ALONE: Final = re.compile(r"(?P<indent> *)(?P<key>[A-Za-z_][\w-]*) *(?: #[^\r\n]*)?\r?\n")
ONE_WORD: Final = re.compile(r"[{,]\s*[\w-]+:[ ]+[\w-]+\Z")
"""A key between braces and the one word that stands before a colon; two words could be a text and the next key."""
LAMBDA: Final = re.compile(r"\blambda [\w, ]*\Z")
BACK: Final = 200
"""How far back from a colon is looked for what it belongs to, in code points."""
KEY_OF_LINE: Final = re.compile(r" *(?:- +)*(?P<key>[\w-]+): ")
ENTRIES: Final = re.compile(r"[a-z_]\w*: *[^\s,:][^,:\r\n]*(?:, *[a-z_]\w*: *[^\s,:][^,:\r\n]*)+")
"""Several entries on one line, without braces around them."""
KEY_OF_ENTRY: Final = re.compile(r" *[\w.-]+")
"""What stands before a colon where a line begins with a key."""
WHERE_IT_BELONGS: Final = (
    "mend the indentation of this line or of the line above, or write the key that is missing above it; "
    "a text of several lines stands in quotes"
)
KEY_ALONE: Final = re.compile(r" *(?:- +)?[\w-]+: *\r?")
TORN: Final = re.compile(r" *(?P<name>[A-Za-z]\w*) *[{\[][ :{]*(?=\w+: )")


def no_name(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a line that begins with a colon."""
    found = NO_NAME.fullmatch(problem.text, problem.start, problem.end)
    if found is None:
        return None
    return problems.syntax_error(place_of(found, "colon"), "a key is missing before this colon", "")


def colon_before_name(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a line that is a name behind its colon, as in `:greet`."""
    return colon_before(problem.text, problem.at)


def colon_before_name_above(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for such a line above."""
    return colon_before(problem.text, max(0, problem.start - 1))


def colon_before_name_opened(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for such a line in which the parser began to read a key."""
    return colon_before(problem.text, problem.opened)


def colon_before(text: str, at: int) -> Finding | None:
    colon = COLON_BEFORE.fullmatch(text, *line_at(text, at))
    if colon is None:
        return None
    rest = shown(colon["rest"] or "")
    hint = f"write `{colon['name']}:{' ' if rest else ''}{rest}`"
    return problems.syntax_error(place_of(colon, "key"), "the colon stands behind a key", hint)


def no_colon(problem: SyntaxProblem) -> Finding:
    """Return the finding for the line at which the parser began to read a key, and has met no colon."""
    start, end = problem.opened, line_at(problem.text, problem.opened)[1]
    written = problem.text[start:end].strip()
    if (sign := problem.text[start : start + 1]) in {"{", "["}:
        value = KEYLESS.match(problem.text, start, end)
        hint = "leave it out, or write a key and a colon before it"
        hint = hint if value is None else f"write `key: {shown(value['rest'])}`"
        return finding_at(start, start + 1, f"the `{sign}` stands where a key does", hint)
    return finding_at(
        start,
        start + max(1, len(problem.text[start:end].rstrip())),
        "a colon and a space are missing after this key",
        "write `key: value`"
        + ("; a line of a text is indented further than the text's key" * (" " in written)),
    )


def no_colon_before_bracket(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a name before its map in braces or its list, as in `emit {event: Done}`."""
    text, start = problem.text, problem.start
    found = BEFORE_BRACKET.match(text, start, problem.end)
    if found is None or found.end() >= problem.at or is_within_text(problem):
        return None
    hint = f"write `{found['key']}: {text[found.end()]}…`"
    return problems.syntax_error(
        place_of(found, "key"), "a colon and a space are missing after this key", hint
    )


def no_colon_after_name(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a name without its colon, above what belongs to it."""
    text, start = problem.text, problem.start
    line = above(text, start)
    name = None if line is None else NAME_ALONE.match(text, line, start)
    if name is None or ENTRY.match(text, start) is None or is_within_text(problem):
        return None
    if len(name["indent"]) >= indentation(text[start : problem.end]):
        return None
    place, key = place_of(name, "key"), f"{name['key']}:"
    fix = fixes.replace_text(place, key)
    return problems.syntax_error(place, "a colon is missing after this key", f"write `{key}`", fix)


def is_within_text(problem: SyntaxProblem) -> bool:
    line = problem.text[problem.start : problem.end]
    return goes_on(problem.text, problem.start, indentation(line))


def second_colon(problem: SyntaxProblem) -> Finding:
    """Return the finding for a colon that would make a key of a value."""
    text, at = problem.text, problem.at
    hint, is_torn = hint_for_second_colon(problem)
    whole = None if is_torn else value_around(text, at)
    return problems.text_cut_by_colon(problem.place, whole, hint, last=is_last(text, at))


def hint_for_second_colon(problem: SyntaxProblem) -> tuple[str, bool]:
    """Return what to do about a colon in a value, and whether the value around it is none that belongs together."""
    text, at, before = problem.text, problem.at, problem.before
    line = text[problem.start : problem.end]
    whole = value_around(text, at)
    opens = text[at + 1 : at + 3] in {" {", " ["}
    in_expression = is_expression_so_far(before)
    if in_expression and LAMBDA.search(text, max(problem.start, at - BACK), at):
        return "no functions are written in expressions: a condition stands by itself", True
    if whole is not None and not opens and ENTRIES.fullmatch(text[whole.start : whole.end]):
        return "put the entries in braces: `{key: value, …}`", False
    if is_last(text, at) and not KEY_ALONE.fullmatch(line):
        return "leave it out, or put the whole value in quotes", False
    if line.rstrip().endswith("}") and line.count("}") > line.count("{"):
        return "open the map with `{`, or put the whole value in quotes", False
    if in_expression and "? " in before:
        return "write `a if condition else b`", False
    if (torn := TORN.match(text, problem.start, at)) is not None:
        return f"a map in braces stands behind a colon: `{torn['name']}: {{…`", True
    if before.endswith("${{"):
        return "leave out the colon behind `${{`", False
    if before[-1:] in {"{", "["}:
        return f"what stands in brackets begins with the bracket: `{before[-1]}key: …`", True
    line_above = text[: problem.start].rstrip().rpartition("\n")[2]
    if KEY_OF_ENTRY.fullmatch(before) and KEY_OF_LINE.match(line_above):
        return WHERE_IT_BELONGS, True
    if opens:
        return "put the entry in braces, `{key: value}`, unless a colon or a key is missing before it", True
    return "", False


def is_expression_so_far(before: str) -> bool:
    """Return whether a line, up to a place, is within an expression: elsewhere a question mark ends a question."""
    key = KEY_OF_LINE.match(before)
    return ends_in_expression(before) or (key is not None and key["key"] in BARE)


def second_colon_in_brackets(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a colon in a value between braces."""
    text, at = problem.text, problem.at
    if problem.character != ":" or not ONE_WORD.search(text, max(0, at - BACK), at):
        return None
    whole, hint = value_around(text, at), ""
    line = text[problem.start : problem.end]
    if not whole and line.count("}") > line.count("{"):
        hint = "a `{` is missing before this key, or a `,`; a text with a colon stands in quotes"
    elif not whole and is_last(text, at):
        hint = "leave it out, or write the bracket that is missing; a text with a colon stands in quotes"
    elif not whole:
        hint = "between two entries stands a `,`, and a text with a colon in quotes"
    return problems.text_cut_by_colon(problem.place, whole, hint, last=is_last(text, at))
