"""Errors of the YAML parser in plain words: the mistake that probably caused each, and its place."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import braces as brace_problems
from wfc.compiler.rules import fixes
from wfc.compiler.rules import reading as problems
from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml import malformed_lines, unquoted_lists

__all__ = ["syntax_finding"]


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """What the parser says of a text that it cannot read.

    Args:
        text: The document's.
        said: The parser's words, of the problem and what it was reading.
        at: Where the problem is.
        opened: Where what it was reading begins, if it says so.
    """

    text: str
    said: str
    at: int
    opened: int | None

    @property
    def place(self) -> Place:
        """The character at which the problem is."""
        return Place((), "text", self.at, self.at + 1)

    @property
    def line(self) -> int:
        """Where the line of the problem begins."""
        return self.text.rfind("\n", 0, self.at) + 1

    @property
    def is_between(self) -> bool:
        """Whether the parser misses what must stand between entries in brackets, or after the last of them."""
        return "',' or '}'" in self.said or "',' or ']'" in self.said


NEVER_CLOSED: Final = (
    "a quote that opens here is never closed",
    "close it with the same quote; if it ends a text, that text has none before it",
)
MORE_DIGITS: Final = ("this escape wants more hexadecimal digits", "such as `\\u00e9`")
TAG: Final = ("this is a tag to YAML", "put a text that begins with `!` in quotes")
MISALIGNED: Final = "this line does not line up with the keys above it"
NO_VALUE: Final = "a value is missing here"
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
    (
        "expected '-' indicator",
        NO_ENTRY,
        "begin it with `- `, or mend its indentation; if this is no list, leave out the `- ` above",
    ),
    ("expected key", MISALIGNED, ""),
    ("block end", MISALIGNED, ""),
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
    (
        "node content",
        NO_VALUE,
        "put a text that begins with a special character in quotes",
    ),
)
"""Words of the parser, our message instead, and a hint; the first whose words occur counts."""


def syntax_finding(error: Any, text: str) -> Finding:
    """Return the finding for an error of the parser."""
    mark = getattr(error, "problem_mark", None)
    opened = getattr(error, "context_mark", None)
    problem = SyntaxProblem(
        text,
        f"{getattr(error, 'problem', '') or ''} {getattr(error, 'context', '') or ''}",
        min(mark.index if mark else getattr(error, "position", None) or 0, len(text)),
        opened.index if opened else None,
    )
    for find in FINDERS:
        if (finding := find(problem)) is not None:
            return finding
    return problems.syntax_error(problem.place, "nothing can be read from here on", "")


def find_unquoted_list(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a list made of another one without quotes."""
    return unquoted_lists.find_unquoted_list(problem.text, problem.at)


def find_second_colon(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a colon that would make a key of a value."""
    text, at = problem.text, problem.at
    if "mapping values are not allowed" not in problem.said:
        return None
    meant = (
        malformed_lines.find_keys_below_name(text, at)
        or malformed_lines.find_list_below_value(text, at)
        or malformed_lines.find_indented_too_far(text, at)
        or malformed_lines.find_no_key_above(text, at)
        or malformed_lines.find_no_colon_below_entry(text, at)
        or malformed_lines.find_colon_before(text, at)
        or malformed_lines.find_no_colon_after_name(text, at)
    )
    whole = value_around(text, at)
    if re.search(r"\blambda [\w, ]*\Z", text[problem.line : at]):
        hint = "no functions are written in expressions: a condition stands by itself"
        return meant or problems.text_cut_by_colon(problem.place, None, hint)
    hint = "write `a if condition else b`" if "? " in text[problem.line : at] else ""
    line = text[problem.line : malformed_lines.line_at(text, at)[1]]
    if not text[at + 1 : problem.line + len(line)].strip() and not re.fullmatch(
        r" *(?:- +)?[\w-]+: *\r?", line
    ):
        hint = "leave it out, or put the whole value in quotes"
    elif line.rstrip().endswith("}") and line.count("}") > line.count("{"):
        hint = "open the map with `{`, or put the whole value in quotes"
    torn = re.compile(r" *(?P<name>[A-Za-z]\w*) *[{\[][ :{]*(?=\w+: )").match(text, problem.line, at)
    if torn is not None and not hint:
        whole, hint = None, f"a map in braces stands behind a colon: `{torn['name']}: {{…`"
    if text[at - 1 : at] in {"{", "["} and not hint:
        whole, hint = None, f"what stands in brackets begins with the bracket: `{text[at - 1]}key: …`"
    if text[at + 1 : at + 3] in {" {", " ["} and not hint:
        whole, hint = (
            None,
            "put the entry in braces, `{key: value}`, unless a colon or a key is missing before it",
        )
    if whole is not None and re.fullmatch(ENTRIES, text[whole.start : whole.end]):
        hint = "put the entries in braces: `{key: value, …}`"
    return meant or problems.text_cut_by_colon(problem.place, whole, hint, last=is_last(text, at))


def find_between_brackets(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for what cannot stand between braces or square brackets."""
    text, at = problem.text, problem.at
    if not problem.is_between:
        return None
    if meant := malformed_lines.find_in_braces(text, at):
        return meant
    if text[at : at + 1] == ":" and re.compile(ONE_WORD).search(text, max(0, at - 200), at):
        whole = value_around(text, at)
        hint = "" if whole else "between two entries stands a `,`, and a text with a colon in quotes"
        start, end = malformed_lines.line_at(text, at)
        if not whole and text.count("}", start, end) > text.count("{", start, end):
            hint = "a `{` is missing before this key, or a `,`; a text with a colon stands in quotes"
        return problems.text_cut_by_colon(problem.place, whole, hint, last=is_last(text, at))
    return None


ENTRIES: Final = r"[a-z_]\w*: *[^\s,:][^,:\r\n]*(?:, *[a-z_]\w*: *[^\s,:][^,:\r\n]*)+"
"""Several entries on one line, without braces around them."""
KEY_BELOW: Final = r"\n *(?:- +)?[\w-]+:\s"
"""Another entry within what is in quotes."""


def find_late_quote(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a quote that is closed only where another text begins, some lines below."""
    text, at = problem.text, problem.at
    closing = len(text[:at].rstrip()) - 1
    sign = text[closing] if closing > 0 else ""
    if sign not in {'"', "'"}:
        return None
    opening = text.rfind(sign, max(0, closing - FARTHEST), closing)
    if opening < 0 or "\n" not in text[opening:closing]:
        return None
    begins = text[max(0, opening - 2) : opening] in {": ", "- "} and re.search(
        KEY_BELOW, text[opening:closing]
    )
    if not problem.is_between and not begins:
        return None
    line = text.count("\n", 0, closing) + 1
    what = f"the quote that opens here is closed only in line {line}, and something else follows there"
    return problems.syntax_error(
        Place((), "text", opening, opening + 1), what, "close it with the same quote where the text ends"
    )


def find_other_bracket(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a value in brackets that are neither those of a map nor those of a list."""
    text, at = problem.text, problem.at
    if not (problem.is_between or "cannot start any token" in problem.said or "not allowed" in problem.said):
        return None
    found = re.compile(OTHER_BRACKET).search(text, problem.line, min(at + 2, len(text)))
    if found is None:
        return None
    return problems.syntax_error(
        Place((), "text", *found.span("sign")),
        f"`{found['sign']}` begins neither a map nor a list",
        "write a map in `{ }` and a list in `[ ]`; put a text in quotes",
    )


def find_bare_expression(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for an expression without quotes between braces or square brackets."""
    text, at = problem.text, problem.at
    if not problem.is_between or text[max(0, at - 1) : at] != "$":
        return None
    if text[at : at + 2] != "{{":
        hint = 'a name, such as that of a secret, stands by itself; a value is put in by `"${{ … }}"`'
        return problems.syntax_error(Place((), "text", at - 1, at + 1), "`${` begins nothing here", hint)
    end = text.find("}}", at)
    end = end + 2 if 0 <= end < at + 500 else at + 1
    begins = re.compile(BEGINS).search(text, max(0, at - 40), at - 1)
    alone = bool(begins and re.compile(ENDS).match(text, end))
    key = begins["key"] or "" if begins else ""
    return brace_problems.expression_needs_quotes(Place((), "text", at - 1, end), alone=alone, key=key)


def find_wrong_start(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a character with which nothing can begin."""
    return cannot_start(problem.text, problem.at) if "cannot start any token" in problem.said else None


def find_tab(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a tab among the blanks that indent a line."""
    text, line = problem.text, problem.line
    tab = text.find("\t", line, len(text) - len(text[line:].lstrip(" \t")))
    return cannot_start(text, tab) if tab >= 0 else None


def find_malformed_line(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a line that is no entry, or stands at the wrong depth."""
    text, at, said = problem.text, problem.at, problem.said
    if "'-' indicator" in said:
        if text[at : at + 1] in {"}", "]"}:
            return problems.syntax_error(
                problem.place, f"`{text[at]}` closes nothing", "leave it out, or open it before"
            )
        return malformed_lines.find_keys_below_name(text, at)
    if "block end" in said or "expected key" in said:
        return (
            malformed_lines.find_no_name(text, at)
            or malformed_lines.find_colon_before(text, at)
            or malformed_lines.find_after_closing(text, at)
            or malformed_lines.find_no_colon(text, at)
            or malformed_lines.find_keys_below_name(text, at)
            or malformed_lines.find_indented_too_far(text, at)
        )
    if "scanning a block scalar" in said:
        return malformed_lines.find_after_closing(text, at)
    if "scanning an alias" in said:
        return malformed_lines.find_no_key(text, *malformed_lines.line_at(text, at))
    if "could not find expected ':'" in said and problem.opened is not None:
        place = first_line(text, problem.opened)
        if meant := malformed_lines.find_colon_before(text, problem.opened):
            return meant
        return malformed_lines.find_no_key(
            text, *malformed_lines.line_at(text, problem.opened)
        ) or problems.syntax_error(
            place, "a colon and a space are missing after this key", "write `key: value`"
        )
    return None


def find_negation(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a condition that begins with `!`, which is a tag to YAML."""
    found = re.compile(NEGATION).search(problem.text, problem.line, problem.at + 1)
    if found is None:
        return None
    place = Place((), "text", *found.span("sign"))
    return problems.syntax_error(place, "`!` begins a tag to YAML", "write `not` for `!`")


def find_by_words(problem: SyntaxProblem) -> Finding | None:
    """Return the finding that the parser's words stand for."""
    text, at = problem.text, problem.at
    for words, what, hint in MESSAGES:
        if words not in problem.said:
            continue
        never = "never closed" in what and problem.opened is not None
        place = Place((), "text", problem.opened or 0, (problem.opened or 0) + 1) if never else problem.place
        line = malformed_lines.line_at(text, problem.opened or 0)
        if never and (equals := re.compile(EQUALS).search(text, *line)):
            return brace_problems.no_colon_in_braces(
                Place((), "text", *equals.span()), equals["key"], equals["value"]
            )
        if never and is_second_quote(text, problem.opened or 0):
            return problems.syntax_error(place, "two quotes stand here side by side", "leave out one of them")
        if what == MISALIGNED:
            return problems.syntax_error(place, what, malformed_lines.indentation_hint(text, at))
        if what == NO_VALUE and text[at : at + 1] == ":":
            return problems.syntax_error(place, "a key is missing before this colon", "")
        if what == NO_VALUE and text[at : at + 1] in {",", "]", "}"}:
            return problems.syntax_error(place, what, "write it, or close the bracket that opens before")
        if what == NO_VALUE and text[at : at + 3] == "...":
            return problems.syntax_error(
                place, "this ends the document, and nothing stands before it", "leave it out"
            )
        if what == NO_VALUE and text[at : at + 2] == "- ":
            return problems.syntax_error(
                place,
                what,
                "between brackets a list is written `[a, b]`; a text that begins with `-` is in quotes",
            )
        opens = text[at : at + 1] in {"{", "["} and not hint
        return problems.syntax_error(place, what, in_braces(text[problem.line : at]) if opens else hint)
    return None


def is_second_quote(text: str, at: int) -> bool:
    """Return whether a quote is the last of its line, and follows another one."""
    end = text.find("\n", at)
    rest = text[at + 1 : len(text) if end < 0 else end]
    return text[max(0, at - 1) : at] == text[at] and not rest.strip(" ,}]")


FINDERS: Final[tuple[Callable[[SyntaxProblem], Finding | None], ...]] = (
    find_unquoted_list,
    find_other_bracket,
    find_second_colon,
    find_between_brackets,
    find_late_quote,
    find_bare_expression,
    find_wrong_start,
    find_tab,
    find_negation,
    find_malformed_line,
    find_by_words,
)
"""What recognizes a mistake by an error of the parser; the first that does counts."""


def first_line(text: str, start: int) -> Place:
    """Return the line that begins at a place, without trailing blanks."""
    end = text.find("\n", start)
    line = text[start : len(text) if end < 0 else end].rstrip()
    return Place((), "text", start, start + max(1, len(line)))


EQUALS: Final = r"(?<=[{,]) *(?P<key>[a-z_]\w*) *= *(?P<value>\"[^\"\r\n]*\"|'[^'\r\n]*')"
"""A key with `=` before a text in quotes, between braces."""
ONE_WORD: Final = r"[{,]\s*[\w-]+:[ ]+[\w-]+\Z"
"""A key between braces and the one word that stands before a colon; two words could be a text and the next key."""

OTHER_BRACKET: Final = r"(?:: +|- +|\[ *)(?P<sign>[(<])(?=[\w\"' ]+: )"
"""A bracket that is none to YAML, at the beginning of a value, with a key in it."""

NEGATION: Final = r"\b(?:when|that|until|keep): +(?P<sign>!)(?!=)"

NAME_IN_SCOPE: Final = r"(?:config|error|events?|inputs|item|loop|response|result|run|state)\b"

FARTHEST: Final = 20_000
"""How many code points a quoted text may have that is looked at."""

BEGINS: Final = r"(?:(?:\b(?P<key>\w+))?[\"']?[:,]\s+|[\[{]\s*)\Z"
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
    if before.strip() == "-":
        return "an item of a list begins here: close the bracket that opens above, or write a `,` and leave out the `-`"
    if not before.strip() or before.rstrip()[-1] in "}]\"'":
        return "write a `,` between two items"
    if before[-1].isalnum():  # such as `n{: integer}`, where the two may have changed places
        return "a text with a bracket in it stands in quotes; a map or a list begins with the bracket"
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
    if text.startswith("```", at) and not text[text.rfind("\n", 0, at) + 1 : at].strip():
        return problems.syntax_error(
            place,
            "a line of Markdown stands here, not of YAML",
            "leave out the line that begins with ` ``` `",
        )
    if character == "%" and text[at - 1 : at] == "{":
        hint = "a value is put in by `${{ … }}`; a text with statements, `{% if … %}`, stands in quotes or below a `|`"
        return problems.syntax_error(place, "a text without quotes cannot begin with `{%`", hint)
    whole = value_around(text, at)
    if character == "`" and whole is not None and re.fullmatch("`[^`]*`", text[whole.start : whole.end]):
        hint = "leave the backticks out, or put the text in quotes if they belong to it"
        return problems.syntax_error(place, "a text without quotes cannot begin with a backtick", hint)
    braced = text[at + 1 : at + 2] == "{"
    is_name = character == "@" and re.compile(NAME_IN_SCOPE).match(text, at + 1) is not None
    opened = text.rfind("${{", text.rfind("\n", 0, at) + 1, at)
    if opened >= 0 and "}}" not in text[opened:at]:
        return brace_problems.expression_needs_quotes(Place((), "text", opened, at), alone=False)
    hint = "put the text in quotes"
    if braced:
        hint += "; an expression is written `${{ … }}`"
    if is_name:
        hint = "if the value of that name is meant, it stands without `@`; put a text in quotes"
    whole_text = whole is not None and whole.start == at and not (braced or is_name)
    quoted = fixes.add_quotes(whole) if whole is not None and whole_text else None
    return problems.syntax_error(
        place, f"a text without quotes cannot begin with `{character}`", hint, quoted
    )
