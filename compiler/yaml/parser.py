"""YAML events of a text, from the parser in C if available; and its errors in plain words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import yaml

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import fixes
from wfc.compiler.rules import reading as problems

__all__ = ["YAMLError", "events", "syntax_finding"]

YAMLError = yaml.YAMLError


def events(text: str, *, fast: bool = True) -> Callable[[], Any]:
    """Return a function that returns the next YAML event of a text, or raises ``YAMLError`` if there is none.

    Args:
        text: Without a byte order mark and forbidden characters.
        fast: Whether to use the parser in C if PyYAML was built with it.
    """
    if "\\ud" in text or "\\uD" in text:
        from wfc.compiler.yaml import surrogates  # which hardly any spec has

        if (masked := surrogates.masked(text)) is not None:
            return surrogates.unmasking(next_of(parser_of(masked, fast=fast)))
    return next_of(parser_of(text, fast=fast))


def parser_of(text: str, *, fast: bool) -> Any:
    if fast:
        try:
            from yaml._yaml import CParser
        except ImportError:
            pass
        else:
            return CParser(text)
    return slow_parser(text)


def next_of(parser: Any) -> Callable[[], Any]:
    get: Callable[[], Any] = parser.get_event
    return get


def slow_parser(text: str) -> Any:
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    class SlowParser(Reader, Scanner, Parser):
        def __init__(self) -> None:
            Reader.__init__(self, text)
            Scanner.__init__(self)
            Parser.__init__(self)

    return SlowParser()


NEVER_CLOSED: Final = ("a quote that opens here is never closed", "close it with the same quote")
MORE_DIGITS: Final = ("this escape wants more hexadecimal digits", "such as `\\u00e9`")
TAG: Final = ("this is a tag to YAML", "put a text that begins with `!` in quotes")
MISALIGNED: Final = "this line does not line up with the keys above it"
NO_ENTRY: Final = "this line does not continue the list above it"

MESSAGES: Final[tuple[tuple[str, str, str], ...]] = (
    ("while scanning a quoted scalar", *NEVER_CLOSED),
    ("unexpected end of stream", *NEVER_CLOSED),
    ("unexpected document indicator", *NEVER_CLOSED),
    (
        "unknown escape character",
        "double quotes know no such escape",
        "use single quotes, or `\\\\` for a backslash",
    ),
    ("hexadecimal", *MORE_DIGITS),
    ("hexdecimal", *MORE_DIGITS),
    ("expected escape sequence of", *MORE_DIGITS),
    ("invalid Unicode character escape", "this escape is no character", ""),
    ("',' or '}'", "a `,` or a `}` is missing before this", ""),
    ("',' or ']'", "a `,` or a `]` is missing before this", ""),
    ("expected '-' indicator", NO_ENTRY, "begin it with `- `, or mend its indentation"),
    ("expected key", MISALIGNED, "mend its indentation"),
    ("block end", MISALIGNED, "mend its indentation"),
    ("could not find expected ':'", "a colon and a space are missing after this key", "write `key: value`"),
    (
        "sequence entries are not allowed",
        "a list cannot begin on this line",
        "begin it on the next, or write `[a, b]`",
    ),
    ("mapping keys are not allowed", "a key cannot stand here", ""),
    (
        "while scanning an alias",
        "an alias has a name after the `*`",
        "put a text that begins with `*` in quotes",
    ),
    (
        "while scanning an anchor",
        "an anchor has a name after the `&`",
        "put a text that begins with `&` in quotes",
    ),
    ("a tag", *TAG),
    ("tag handle", *TAG),
    ("directive", "this line is a directive to YAML", "remove the line that begins with `%`"),
    ("YAML document", "this version of YAML is not known here", "remove the line that begins with `%YAML`"),
    ("indentation indicator", "an indentation of 1 to 9 spaces may be given here", ""),
    ("a block scalar", "nothing but a comment may follow on this line", "put the text on the lines below"),
    ("document start", "the spec ends before this line", "is it indented wrongly?"),
    ("node content", "a value is missing here", "put a text that begins with a special character in quotes"),
)
"""Words of the parser, our message instead, and a hint; the first whose words occur counts."""


def syntax_finding(error: yaml.YAMLError, text: str) -> Finding:
    """Return the finding for an error of the parser."""
    from wfc.compiler.yaml import malformed_lines, unquoted_lists  # a good spec never needs them

    mark = getattr(error, "problem_mark", None)
    opened = getattr(error, "context_mark", None)
    said = f"{getattr(error, 'problem', '') or ''} {getattr(error, 'context', '') or ''}"
    at = min(mark.index if mark else getattr(error, "position", None) or 0, len(text))
    place = Place((), "text", at, at + 1)
    if meant := unquoted_lists.find_unquoted_list(text, at):
        return meant
    if "mapping values are not allowed" in said:
        meant = malformed_lines.find_indented_too_far(text, at) or malformed_lines.find_no_key_above(text, at)
        ternary = "write `a if condition else b`" if "? " in text[text.rfind("\n", 0, at) + 1 : at] else ""
        return meant or problems.text_cut_by_colon(
            place, value_around(text, at), ternary, last=is_last(text, at)
        )
    if between(said) and (meant := malformed_lines.find_in_braces(text, at)):
        return meant
    if between(said) and text[at : at + 1] == ":" and re.compile(ONE_WORD).search(text, max(0, at - 200), at):
        return problems.text_cut_by_colon(place, value_around(text, at), last=is_last(text, at))
    if "cannot start any token" in said:
        return cannot_start(text, at)
    if between(said) and text[max(0, at - 1) : at] == "$":
        end = text.find("}}", at)
        end = end + 2 if 0 <= end < at + 500 else at + 1
        alone = bool(
            re.compile(BEGINS).search(text, max(0, at - 20), at - 1) and re.compile(ENDS).match(text, end)
        )
        return problems.expression_needs_quotes(Place((), "text", at - 1, end), alone=alone)
    line = text.rfind("\n", 0, at) + 1
    tab = text.find("\t", line, len(text) - len(text[line:].lstrip(" \t")))
    if tab >= 0:
        return cannot_start(text, tab)
    if "block end" in said or "expected key" in said:
        meant = (
            malformed_lines.find_after_closing(text, at)
            or malformed_lines.find_no_colon(text, at)
            or malformed_lines.find_indented_too_far(text, at)
        )
        if meant is not None:
            return meant
    if "scanning an alias" in said and (
        meant := malformed_lines.find_no_key(text, *malformed_lines.line_at(text, at))
    ):
        return meant
    if "could not find expected ':'" in said and opened is not None:
        place = first_line(text, opened.index)
        if meant := malformed_lines.find_no_key(text, *malformed_lines.line_at(text, opened.index)):
            return meant
        return problems.syntax_error(
            place, "a colon and a space are missing after this key", "write `key: value`"
        )
    for words, what, hint in MESSAGES:
        if words in said:
            if "never closed" in what and opened is not None:
                place = Place((), "text", opened.index, opened.index + 1)
            if what == MISALIGNED:
                return problems.syntax_error(place, what, malformed_lines.indentation_hint(text, at))
            opens = text[at : at + 1] in {"{", "["}
            return problems.syntax_error(
                place, what, in_braces(text[line:at]) if opens and not hint else hint
            )
    return problems.syntax_error(place, "nothing can be read from here on", "")


def first_line(text: str, start: int) -> Place:
    """Return the line that begins at a place, without trailing blanks."""
    end = text.find("\n", start)
    line = text[start : len(text) if end < 0 else end].rstrip()
    return Place((), "text", start, start + max(1, len(line)))


def between(said: str) -> bool:
    """Return whether a parser misses what must stand between entries, or after the last of them."""
    return "',' or '}'" in said or "',' or ']'" in said


ONE_WORD: Final = r"[{,]\s*[\w-]+:[ ]+[\w-]+\Z"
"""A key between braces and the one word that stands before a colon; two words could be a text and the next key."""

BEGINS: Final = r"(?:[:,]\s+|[\[{]\s*)\Z"
ENDS: Final = r"\s*[,\]}]"
VALUE: Final = (
    r"[ ]*(?:- +)*(?:[^\s:#\"'\[\]{},]+:[ ]+|- +)([^\s\"'\[\]{}|>&*!#%][^\r\n#]*?|[@`%][^\r\n#]*?)[ ]*"
)
"""A line with a value in block style that no comment follows."""


def value_around(text: str, at: int) -> Place | None:
    """Return the whole value on a line, if a place belongs to it and it is an unquoted text."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    line = re.compile(VALUE).fullmatch(text, start, len(text) if end < 0 else end - (text[end - 1] == "\r"))
    if line is None or at < line.start(1):
        return None
    return Place((), "text", *line.span(1))


def is_last(text: str, at: int) -> bool:
    """Return whether nothing follows a colon on its line, as after a key that has lost its line."""
    end = text.find("\n", at)
    return not text[at + 1 : len(text) if end < 0 else end].strip()


def in_braces(before: str) -> str:
    """Return what to do about a bracket that opens in the middle of a text between braces."""
    if before.endswith(("list of ", "map of ", "optional ")):
        return "declare the record under `types`, and write its name here"
    return "put the whole text in quotes"


def indent_near(text: str, begin: int) -> str:
    """Return the indentation of the next line that does not begin with a tab; two blanks if there is none."""
    for line in text[begin : begin + 4000].split("\n")[1:]:
        blanks = line[: len(line) - len(line.lstrip(" "))]
        if line.strip() and not line.lstrip(" ").startswith("\t"):
            return blanks or "  "
    return "  "


def cannot_start(text: str, at: int) -> Finding:
    place = Place((), "text", at, at + 1)
    character = text[at : at + 1]
    if character == "\t":
        begin, end = text.rfind("\n", 0, at) + 1, at + len(text[at:]) - len(text[at:].lstrip("\t "))
        spaces = indent_near(text, begin)
        fix = fixes.replace_text(Place((), "text", begin, end), spaces, title=f"write {len(spaces)} spaces")
        return problems.syntax_error(place, "a tab cannot indent a line", "use spaces", fix)
    whole = value_around(text, at)
    return problems.syntax_error(
        place,
        f"a text without quotes cannot begin with `{character}`",
        "put the text in quotes",
        fixes.add_quotes(whole) if whole is not None and whole.start == at else None,
    )
