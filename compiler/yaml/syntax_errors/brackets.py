"""Brackets that are closed too early, close nothing, are of another kind, or hold what needs quotes."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Edit, Finding, Fix, Place
from wfc.compiler.rules import braces as brace_problems
from wfc.compiler.rules import fixes
from wfc.compiler.rules import reading as problems
from wfc.compiler.slotted import replace
from wfc.compiler.types.long_form import LONG_KEYS
from wfc.compiler.types.notations import other_notation
from wfc.compiler.yaml.syntax_errors.lines import (
    KEY_BEHIND,
    TYPED,
    after_closing,
    line_at,
    list_before,
    section_at,
)
from wfc.compiler.yaml.syntax_errors.problem import SyntaxProblem, finding_at, place_of
from wfc.compiler.yaml.syntax_errors.unquoted_lists import closing

__all__ = [
    "bare_expression",
    "closed_before_end_of_line",
    "closes_nothing",
    "expression_before_tag",
    "list_type_with_brackets",
    "no_comma",
    "other_bracket",
    "quote_behind_list",
    "type_before_brackets",
]

CLOSED: Final = re.compile(r" *(?:- +)?(?:(?P<key>[\w.-]+): +)?(?P<value>[{\[][^\r\n]*)")
HOLDS_ENTRIES: Final = re.compile(r"[{\[] *[\w-]+: |\[ *[{\"']")
IN_BRACKETS: Final = (
    r"\[{1,2} *(?P<path>(?:config|error|events?|inputs|response|result|run|state)(?:\.\w+)+) *\]{1,2}"
)
PUT_IN: Final = re.compile(IN_BRACKETS)
LAST_PUT_IN: Final = re.compile(rf": +{IN_BRACKETS}\Z")
"""A value that another system puts into a text."""
OTHER_BRACKET: Final = re.compile(r"(?:^ *|: +|- +|\[ *)(?P<sign>[(<])(?=[\w\"' ]+: )", re.MULTILINE)
"""A bracket that is none to YAML, at the beginning of a value, with a key in it."""
ITEM_TYPE: Final = re.compile(r"(?<![\w.])[A-Za-z]\w*\Z")
LIST_OF: Final = re.compile(
    r"(?<![\w.])(?:list|array|set|map|dict|optional|enum|List|Array|Dict|Map|Optional|Enum|Literal|Union)\Z"
)
BEFORE_TYPE: Final = re.compile(r"(?:[:,]\s+|[{\[]\s*)(?:(?:list|map) of |optional )*\Z")
"""What may stand before a type: its key, a comma or a bracket, and no other words."""
INDEX: Final = re.compile(r"\[ *-?\d+ *\]")
LONGEST_TYPE: Final = 60
TYPE_HAS_NONE: Final = "a type has no brackets after its name"
BEGINS: Final = re.compile(r"(?:(?:\b(?P<key>\w+))?[\"']?[:,]\s+|[\[{]\s*)\Z")
EXPRESSION_BEFORE: Final = re.compile(r"\$\{\{[^{}\r\n]*\}\}\Z")
DECLARED: Final = frozenset({"config", "events", "state", "types"})
"""Sections where `default` is the language's own."""
BEHIND: Final = re.compile(
    r"(?P<behind>(?:\$\{\{[^{}\r\n]*\}\}|[^\"'{}\[\]\r\n])*+)(?P<sign>(?<![\s:,])[\"'])(?=\s*[,\]}])"
)
"""The rest of a text up to a quote that ends it."""
BEFORE_BRACKET: Final = re.compile(r"[\w\"']: +(?=[\[{])")
LISTS_BEHIND: Final = (
    re.compile(r"(?:[^\"'\r\n]|\"[^\"\r\n]*+\")*+(?P<sign>(?<=[\])}\w])')(?=\s*(?:[,\]}]|\Z))"),
    re.compile(r"(?:[^\"'\r\n]|'[^'\r\n]*+')*+(?P<sign>(?<=[\])}\w])\")(?=\s*(?:[,\]}]|\Z))"),
)
"""The rest of a text with lists, up to a quote that ends it."""
ENTRY: Final = re.compile(r", *[\w-]+:(?:\s|\Z)")
BEFORE_TEXT: Final = re.compile(r"[\w\"']: +|[\[{] *")
ENDS: Final = re.compile(r"\s*[,\]}]")
BRACKET_IN_TEXT: Final = "a text with a bracket in it stands in quotes"
QUOTED_KEY: Final = re.compile(r"\[ *([\"'])")
"""A bracket with a text in it, so that other quotes stand around the whole."""


def other_bracket(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a value in brackets that are neither those of a map nor those of a list."""
    text = problem.text
    found = OTHER_BRACKET.search(text, problem.start, min(problem.at + 2, len(text)))
    if found is None:
        return None
    return problems.syntax_error(
        place_of(found, "sign"),
        f"`{found['sign']}` begins neither a map nor a list",
        "write a map in `{ }` and a list in `[ ]`; put a text in quotes",
    )


def closed_before_end_of_line(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a value that continues after its closing bracket."""
    found = CLOSED.fullmatch(problem.text, problem.start, problem.end)
    if found is None or found.start("value") >= problem.at:
        return None
    value = found["value"].rstrip()
    place = Place((), "text", found.start("value"), found.start("value") + len(value))
    rest = after_closing(value)
    if rest and not rest.strip(" ]}"):
        return problems.syntax_error(
            place, f"`{rest.strip()}` closes nothing", "leave it out, or open it before"
        )
    key = found["key"]
    if (told := key_behind(place, key or "", value, rest)) is not None:
        return told
    if key in brace_problems.OF_SEVERAL and (value[0] == "[" or rest.lstrip().startswith(",")):
        hint = f"the list ends too early: write `{key}: [A, B]`"
        return problems.syntax_error(place, "something follows after this bracket is closed", hint)
    if put_in := PUT_IN.match(value):
        what = "this text goes on after its bracket is closed"
        return problems.syntax_error(place, what, in_dollar_braces(put_in))
    if not HOLDS_ENTRIES.match(value):
        fix = fixes.replace_text(place, "'" + value.replace("'", "''") + "'")
        return problems.syntax_error(
            place, "this text goes on after its bracket is closed", "put all of it in quotes", fix
        )
    hint = "a bracket is closed too early, or what follows is too much; one text as a whole stands in quotes"
    if rest.startswith(","):
        hint = "a bracket is closed too early, or one is too many"
    elif rest.count('"') % 2 or rest.count("'") % 2:
        hint = "a quote or a bracket before it is closed too early"
    return problems.syntax_error(place, "something follows after this bracket is closed", hint)


def in_dollar_braces(found: re.Match[str]) -> str:
    """Return what to write for a value that stands in brackets as in other systems, with a text behind it."""
    return f"a value is put in by `${{{{ {found['path']} }}}}`; a text with brackets stands in quotes, as a whole"


def key_behind(place: Place, key: str, value: str, rest: str) -> Finding | None:
    """Return the finding for another key on the line of a value in brackets; ``None`` if none follows, or all of it may
    be one text.

    Args:
        place: Of the value with what follows.
        key: The one that holds it.
        rest: What follows.
    """
    is_whole = bool(HOLDS_ENTRIES.match(value)) or key in brace_problems.OF_SEVERAL or value.startswith("{}")
    found = KEY_BEHIND.match(rest) if is_whole else None
    if found is None or place.end is None:
        return None
    if found["comma"]:
        hint = "a bracket is closed too early, or a line break belongs in place of the `,`"
        return problems.syntax_error(place, "something follows after this bracket is closed", hint)
    at = place.end - len(rest) + found.start("key")
    what = f"a line break is missing before `{found['key']}:`"
    hint = "the key begins a line of its own, indented as far as the keys among which it belongs"
    return finding_at(at, at + len(found["key"]), what, hint)


def closes_nothing(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a closing bracket where a list or a map in block style should go on."""
    if problem.character not in {"}", "]"} or problem.before.strip(" "):
        return None
    return problem.finding(f"`{problem.character}` closes nothing", "leave it out, or open it before")


def type_before_brackets(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a type such as `list[string]`."""
    text, at = problem.text, problem.at
    kind = LIST_OF.search(text, max(0, at - 10), at) if problem.character == "[" else None
    return None if kind is None else type_with_brackets(text, kind.start(), at)


def list_type_with_brackets(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a type such as `string[]`."""
    at = problem.at
    kind = ITEM_TYPE.search(problem.text, max(0, at - 60), at) if problem.text.startswith("[]", at) else None
    return None if kind is None else type_with_brackets(problem.text, kind.start(), at)


def type_with_brackets(text: str, start: int, at: int) -> Finding | None:
    """Return the finding for a type and its bracket, if nothing else stands between them and the key."""
    if BEFORE_TYPE.search(text, max(0, start - LONGEST_TYPE), start) is None or INDEX.match(text, at):
        return None
    end = closing(text, at, min(len(text), at + LONGEST_TYPE))
    while end is not None and text.startswith("[]", end):
        end += 2
    better = other_notation(text[start:end].replace('"', "")) if end is not None else ""
    if end is None or not better or (not better.startswith("{") and set(better) & set("[{")):
        outer = other_notation(f"{text[start:at]}[T]").replace("{enum: [T]}", "") or "list of T"
        hint = f"write `{outer}`; a record and values to choose from are declared under `types`"
        return finding_at(start, end or at + 1, TYPE_HAS_NONE, hint)
    fix = fixes.replace_text(Place((), "text", start, end), better) if ENDS.match(text, end) else None
    return finding_at(start, end, TYPE_HAS_NONE, f"write `{better}`", fix)


def bare_expression(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for an expression without quotes between braces or square brackets."""
    text, at = problem.text, problem.at
    if text[max(0, at - 1) : at] != "$":
        return None
    if text[at : at + 2] != "{{":
        hint = 'a name, such as that of a secret, stands by itself; a value is put in by `"${{ … }}"`'
        behind = BEGINS.search(text, max(0, at - 40), at - 1)
        if behind and (behind["key"] or "") in brace_problems.BARE:
            hint = brace_problems.without_braces(behind["key"], "and the `$`")
        return finding_at(at - 1, at + 1, "`${` begins nothing here", hint)
    end = text.find("}}", at)
    end = end + 2 if 0 <= end < at + 500 else at + 1
    begins = BEGINS.search(text, max(0, at - 40), at - 1)
    alone = bool(begins and ENDS.match(text, end))
    listed = list_before(text, at - 1) if begins else ""
    key = (listed or begins["key"] or "") if begins else ""
    instead = written_out(key, section_at(text, at)) if alone else ""
    if (ends := BEHIND.match(text, end)) and ENTRY.search(ends["behind"]) is None:
        return quote_at_end_only(text, at - 1, (end, ends.start("sign")), key, in_list=bool(listed))
    return brace_problems.expression_needs_quotes(
        Place((), "text", at - 1, end), alone=alone, key=key, in_list=bool(listed), instead=instead
    )


def quote_at_end_only(text: str, at: int, ends: tuple[int, int], key: str, *, in_list: bool) -> Finding:
    """Return the finding for an expression in a text that a quote ends, and none begins.

    Args:
        at: Where the expression begins.
        ends: Where it ends, and where the quote stands.
        key: Of which the text is the value, if that is known.
    """
    end, closes = ends
    starts = [each.end() for each in BEFORE_TEXT.finditer(text, line_at(text, at)[0], at)]
    begin = starts[-1] if starts else at
    if set(",\"'") & set(text[begin:at]):
        begin = at  # what stands before a comma may be another value
    hint = "a quote ends the text here: write it also where the text begins"
    if begin < at:
        hint += f", before `{text[begin:at].split(maxsplit=1)[0]}`"
    place = Place((), "text", begin, begin)
    sure = bool(starts) and begin == starts[-1] and not in_list and key not in brace_problems.BARE
    sure = sure and text[closes] not in text[begin:closes]
    fix = (
        Fix("write the quote where the text begins", (Edit(place, text[closes]),), "unsafe") if sure else None
    )
    found = brace_problems.expression_needs_quotes(Place((), "text", begin, end), alone=False, instead=hint)
    return replace(found, fix=fix)


def written_out(key: str, section: str) -> str:
    """Return what stands in a section, or behind a key there, where nothing is worked out; empty elsewhere."""
    if section == "tests":
        return "in a test a value is written out; a text with `${{` in it stands in quotes"
    if key == "default" and section in DECLARED:
        return (
            "write a value; one that is worked out is given where the field is filled: with `with` or `save`"
        )
    if key and key not in LONG_KEYS and section in TYPED:
        return "a type stands here, such as `string`, and no expression; an event's values are given under `with`"
    return ""


def expression_before_tag(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for an expression without quotes before a `!`, as in `{a: Hello, ${{ b }}!}`."""
    found = EXPRESSION_BEFORE.search(problem.text, problem.start, problem.opened)
    if found is None:
        return None
    return brace_problems.expression_needs_quotes(place_of(found), alone=False)


def quote_behind_list(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for what begins with a bracket and is a text, as the quote that ends it says: a list to YAML
    that another list in it cuts, as in `{from: [a for a in [b, c] if a.d]'}`.
    """
    text, at, start = problem.text, problem.at, problem.start
    begins = [each.end() for each in BEFORE_BRACKET.finditer(text, start, at)]
    ends = next((found for each in LISTS_BEHIND if (found := each.match(text, at, problem.end))), None)
    if not begins or ends is None or ends["sign"] in text[begins[-1] : at]:
        return None
    begin = begins[-1]
    place = Place((), "text", begin, begin)
    hint = f"a quote ends the text here: write it also where the text begins, before `{text[begin:at].split()[0]}`"
    fix = Fix("write the quote where the text begins", (Edit(place, ends["sign"]),), "unsafe")
    what = "a list ends before this, and what stands here goes on"
    return finding_at(begin, ends.end("sign"), what, hint, fix)


def no_comma(problem: SyntaxProblem) -> Finding:
    """Return the finding for whatever else stands between entries in brackets, or after the last of them."""
    closing = "}" if "',' or '}'" in problem.said else "]"
    hint = before_opening(problem.before) if problem.character in {"{", "["} else ""
    if hint.startswith(BRACKET_IN_TEXT) and (sign := QUOTED_KEY.match(problem.text, problem.at)):
        hint = hint.replace("quotes", "`'`" if sign[1] == '"' else '`"`', 1)
    line = problem.text[problem.start : problem.at]
    if put_in := LAST_PUT_IN.search(line):
        hint = in_dollar_braces(put_in)
    return problem.finding(f"a `,` or a `{closing}` is missing before this", hint)


def before_opening(before: str) -> str:
    """Return what to do about a bracket that opens in the middle of a text between braces."""
    if before.endswith(("list of ", "map of ", "optional ")):
        return "declare the record under `types`, and write its name here"
    if before.strip() == "-":
        return "an item of a list begins here: close the bracket that opens above, or write a `,` and leave out the `-`"
    if before.endswith(('""', "''")) and before[:-2].rstrip().endswith((":", ",", "[", "{")):
        return "two quotes stand side by side before this: leave out one of them"
    if not before.strip() or before.rstrip()[-1] in "}]\"'":
        return "write a `,` between two items"
    if before[-1].isalnum():  # such as `n{: integer}`, where the two may have changed places
        return f"{BRACKET_IN_TEXT}; a map or a list begins with the bracket"
    return "put the whole text in quotes"
