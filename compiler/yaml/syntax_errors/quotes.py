"""Quotes that are closed too early, too late or never."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import braces as brace_problems
from wfc.compiler.rules import fixes
from wfc.compiler.rules import reading as problems
from wfc.compiler.yaml.syntax_errors.lines import KEY_BEHIND, line_at
from wfc.compiler.yaml.syntax_errors.problem import BETWEEN, NEVER_CLOSED, SyntaxProblem, finding_at, place_of
from wfc.compiler.yaml.truncation import ends_in_expression

__all__ = [
    "closed_before_end_of_line",
    "closed_before_more_text",
    "closed_by_empty_text",
    "closed_late",
    "dollar_before_quote",
    "equals_before_quote",
    "letter_before_quote",
    "never_closed",
    "no_colon_before_expressions",
    "no_colon_before_quote",
    "second_quote",
]

PREFIXED: Final = re.compile(r"(?:[:,\[{] *|- +)(?P<prefix>[bfru])(?P<sign>[\"'])[^\"'\r\n]*\Z")
"""A letter that other languages write before a text's quote; to YAML the text begins with it, and the quote is none."""
NAMED: Final = re.compile(r"\{ *(?P<path>[a-z_]\w*(?:\.\w+)*) *\}[\"']")
"""What such a text holds, if it is one value."""
GOES_ON: Final = "this text goes on after its quote is closed"
TWO_QUOTES: Final = "two quotes stand here side by side"
CLOSED: Final = re.compile(r" *(?:- +)?(?:[\w.-]+: +)?(?P<value>[\"'][^\r\n]*)")
QUOTED_BEFORE: Final = re.compile(r"(?P<sign>[\"'])(?P<text>(?:(?!(?P=sign))[^\r\n])*)(?P=sign)\Z")
LAST_QUOTE: Final = re.compile(r"(?P<sign>[\"'])(?=\s*(?:[}\]]|,\s|$))")
TEXT_IN_DOUBLE: Final = re.compile(r"\"([^\"'\r\n]*)\"")
PATH_IN_QUOTES: Final = re.compile(
    r"([\"'])((?:config|error|events?|inputs|response|result|run|state)(?:\.[^\W\d]\w*)+)\1"
)
NEXT_ENTRY: Final = re.compile(
    r"(?P<closed>(?<![}\]])[}\]]*+), *+(?:[{\[]++ *+)?(?P<key>[\w-]++): ?(?=[\"'{\[\w])"
)
"""Another entry inside of what should be a text between braces."""
NO_COMMA: Final = re.compile(
    r"[^\"']*+(?P<sign>[\"'])[^\"',]*?(?<![\w-])(?P<key>[\w-]++): *+(?P=sign)[^\"']*+"
)
"""The rest of one entry, the next one without a comma before it, and the begin of its value."""
ENTRY_BEHIND: Final = re.compile(r"[\w-]+: ?(?=[\"'{\[\w])|[\w-]+ [\w-]+: ")
"""Another entry right behind a quote, perhaps with a word in the place of its comma."""
KEY_BELOW: Final = re.compile(r"\n *(?:- +)?[\w-]+:\s")
"""Another entry within what is in quotes."""
DOLLAR_BEFORE: Final = re.compile(r"\$(?P<sign>[\"'])(?P<inside>\{\{[^{}\"'\r\n]*\}\})(?P=sign)")
"""An expression with its first two signs exchanged."""
EQUALS: Final = re.compile(
    r"(?<=[{,]) *(?P<key>[a-z_]\w*) *= *(?P<value>\"(?:[^\"\\\r\n]|\\.)*\"|'[^'\r\n]*')"
)
"""A key with `=` before a text in quotes, between braces."""
NO_COLON: Final = re.compile(
    r"(?<=[{,]) *(?P<entry>(?P<key>[^\W\d][\w-]*) +"
    r"(?P<value>\"[^\"}\r\n]*\}[^\"\r\n]*\"|'[^'}\r\n]*\}[^'\r\n]*'))(?= *[,}])"
)
"""A key without its colon before a text in quotes that has a bracket in it, between braces."""
BEGINS_VALUE: Final = re.compile(r"(?:[:-] |[\[{,] ?)\Z")
"""What stands before a quote with which a value begins."""
FARTHEST: Final = 20_000
"""How many code points a quoted text may have that is looked at."""
LONGEST: Final = 60
"""How long a text may be that a hint shows."""


def dollar_before_quote(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for an expression whose `$` stands before the quote, as in `$"{{ name }}"`."""
    text = problem.text
    at = problem.opened if problem.says(NEVER_CLOSED) else problem.at
    found = DOLLAR_BEFORE.search(text, *line_at(text, at))
    if found is None:
        return None
    sign, place = found["sign"], place_of(found)
    better = f"{sign}${found['inside']}{sign}"
    fix = fixes.replace_text(place, better)
    return problems.syntax_error(place, "the `$` stands before the quote", f"write `{better}`", fix)


def closed_late(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a quote that is closed only where another text begins, some lines below."""
    text = problem.text
    closing = len(text[: problem.at].rstrip()) - 1
    sign = text[closing] if closing > 0 else ""
    if sign not in {'"', "'"}:
        return None
    opening = opened_before(text, closing)
    if opening < 0 or "\n" not in text[opening:closing]:
        return None
    begins_value = text[max(0, opening - 2) : opening] in {": ", "- "}
    if not problem.says(BETWEEN) and not (begins_value and KEY_BELOW.search(text, opening, closing)):
        return None
    return closed_in_line(text, opening, closing)


def closed_by_empty_text(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a quote that is closed only by the first one of an empty text, `""`, some lines below, so
    that the second one is never closed.
    """
    text, closing = problem.text, problem.opened - 1
    sign = text[problem.opened : problem.opened + 1]
    if sign not in {'"', "'"} or text[max(0, closing) : closing + 1] != sign:
        return None
    opening = opened_before(text, closing)
    if (
        opening < 0
        or "\n" not in text[opening:closing]
        or BEGINS_VALUE.search(text, max(0, closing - 3), closing) is None
    ):
        return None
    if BEGINS_VALUE.search(text, max(0, opening - 3), opening) is None:
        return None
    return closed_in_line(text, opening, closing)


def opened_before(text: str, closing: int) -> int:
    """Return where the quote may open that another one closes, past those that belong to the text; -1 if nowhere."""
    sign, nearest = text[closing], max(0, closing - FARTHEST)
    escape = "\\" if sign == '"' else "'"
    opening = text.rfind(sign, nearest, closing)
    while opening > nearest and text[opening - 1] == escape:
        opening = text.rfind(sign, nearest, opening - 1)
    return opening


def closed_in_line(text: str, opening: int, closing: int) -> Finding:
    """Return the finding for the quote that opens a text, and the one lines below that closes it."""
    line = text.count("\n", 0, closing) + 1
    what = f"the quote that opens here is closed only in line {line}, and something else follows there"
    return finding_at(opening, opening + 1, what, "close it with the same quote where the text ends")


def closed_before_end_of_line(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a value that continues after its closing quote."""
    found = CLOSED.fullmatch(problem.text, problem.start, problem.end)
    if found is None or found.start("value") >= problem.at:
        return None
    value = found["value"].rstrip()
    place = Place((), "text", found.start("value"), found.start("value") + len(value))
    if len(value) > 2 and value[-1] == value[0]:
        return quotes_in_quotes(place, value)
    inside, _, rest = value[1:].partition(value[0])
    if rest.strip() and not rest.strip("} ") and ends_in_expression(inside):
        return problems.syntax_error(place, GOES_ON, f"the quote stands behind the `{rest.strip()}`")
    if (behind := KEY_BEHIND.match(rest)) is not None:
        hint = f"put all of it in quotes; if `{behind['key']}` is a key, a line break is missing before it"
        return problems.syntax_error(place, GOES_ON, hint)
    fix = fixes.replace_text(place, "'" + value.replace("'", "''") + "'")
    return problems.syntax_error(place, GOES_ON, "put all of it in quotes", fix)


def closed_before_more_text(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for text after a closing quote between braces."""
    text, at = problem.text, problem.at
    opened = QUOTED_BEFORE.search(text, max(0, at - 300), at)
    if opened is None or problem.character in "{}[]:,":
        return None
    sign, start = opened["sign"], opened.start()
    stop = whole_text(text, start, at, sign)
    if stop is not None:
        return quotes_in_quotes(Place((), "text", start, stop), text[start:stop])
    inside = "inside of single quotes write `''`" if sign == "'" else 'inside of double quotes write `\\"`'
    hint = f"close the quote where the text ends, or leave out what follows it; {inside}"
    if ENTRY_BEHIND.match(text, at):
        hint += "; if another entry begins here, a `,` is missing before it"
    return finding_at(start, at, GOES_ON, hint)


def whole_text(text: str, start: int, at: int, sign: str) -> int | None:
    """Return the most likely end of a quoted text that contains such quotes: before a bracket or a comma, and not
    within an expression.
    """
    _, stop = line_at(text, at)
    first, opened, since = None, 0, start
    for found in LAST_QUOTE.finditer(text, at, stop):
        end = found.end()
        if found["sign"] != sign:
            continue
        opened += text.count("{{", since, end) - text.count("}}", since, end)
        if opened == 0:
            return end
        first, since = first or end, end
    return first


def quotes_in_quotes(place: Place, value: str) -> Finding:
    """Return the finding for a quoted text that contains the same quotes, or has lost the quote that closes it."""
    inside, sign = value[1:-1], value[0]
    other = "'" if sign == '"' else '"'
    alone = inside.strip(sign)
    entry = NEXT_ENTRY.search(inside) if inside.endswith(sign) else None
    goes_on = entry is not None and not is_in_expression(
        inside, entry.start()
    )  # `""` is an empty text behind it
    if sign not in alone and 0 < len(inside) - len(alone) <= 1 + (not alone) and not goes_on:
        shown = f": `{sign}{alone}{sign}`" if len(alone) <= LONGEST else ""
        return problems.syntax_error(place, TWO_QUOTES, f"leave out one of them{shown}")
    if sign not in alone and alone and inside == f"{sign}{alone}{sign}":
        shown = f": `{sign}{alone}{sign}`" if len(alone) <= LONGEST else ""
        hint = f"leave out one of them at each end{shown}"
        if other not in alone:
            hint += f"; a text that has quotes of its own stands in `{other}`"
        return problems.syntax_error(place, "two quotes stand at each end of this text", hint)
    if (found := within_expression(place, value)) is not None:
        return found
    if (entry := NEXT_ENTRY.search(inside)) is not None and not is_in_expression(inside, entry.start("key")):
        cut = bool(entry["closed"]) and not is_in_expression(
            inside, entry.start()
        )  # the map around the text ends
        closed = entry["closed"][still_open(inside, entry.start()) :] if cut else ""
        where = f"before `{closed}`" if closed else f"before the key `{entry['key']}`"
        hint = f"close the quote that opens here {where}, or escape those in the text"
        return problems.syntax_error(place, GOES_ON, hint)
    if (entry := NO_COMMA.fullmatch(inside)) is not None and entry["sign"] == sign:
        hint = f"close the quote where the text ends, and write a `,` before the key `{entry['key']}`"
        return problems.syntax_error(place, GOES_ON, hint)
    if re.fullmatch(rf"[^{sign}]*, *{sign}[^{sign}]*", inside):
        hint = "close the quote that opens here before the comma, or escape those in the text"
        return problems.syntax_error(place, GOES_ON, hint)
    if re.search(rf"{sign} *(?:[=!<>]=?|==|~|\+|and|or|in) *{sign}", inside) and other not in inside:
        names = PATH_IN_QUOTES.sub(r"\2", value)  # no text, but a name that is compared with one
        whole = f"{other}{names}{other}"
        fix = fixes.replace_text(place, whole, title="put all of it in quotes")
        return problems.syntax_error(place, GOES_ON, f"put all of it in quotes: `{whole}`", fix)
    better = quoted_again(inside, sign, other)
    shown = f": `{better}`" if len(better) <= LONGEST else ""
    fix = fixes.replace_text(place, better, title="mend the quotes")
    hint = f"a text with `{sign}` in it stands in `{other}`"
    if better.startswith(sign):
        hint = "inside of single quotes write `''`" if sign == "'" else 'inside of double quotes write `\\"`'
    return problems.syntax_error(place, GOES_ON, hint + shown, fix)


def still_open(text: str, end: int) -> int:
    """Return how many brackets are open before a place that the text itself has opened."""
    depth = 0
    for sign in text[:end]:
        depth = depth + 1 if sign in "[{" else max(0, depth - (sign in "]}"))
    return depth


def is_in_expression(text: str, at: int) -> bool:
    """Return whether a place belongs to an expression that is closed behind it."""
    closed = re.compile(r"\}\}|\{\{").search(text, at)
    opened = text.count("{{", 0, at) > text.count("}}", 0, at)
    return opened and closed is not None and closed[0] == "}}"


def within_expression(place: Place, value: str) -> Finding | None:
    """Return the finding for an expression in double quotes that has texts in quotes of both kinds: there the
    quotes of all of them may be single ones.
    """
    inside = value[1:-1]
    better = TEXT_IN_DOUBLE.sub(r"'\1'", inside)
    if value[0] != '"' or "'" not in inside or better.count('"') or "\\" in inside:
        return None
    if not all(is_in_expression(inside, each.start()) for each in TEXT_IN_DOUBLE.finditer(inside)):
        return None
    fix = fixes.replace_text(place, f'"{better}"', title="write the texts in the expression with `'`")
    return problems.syntax_error(place, GOES_ON, "write the texts in the expression with `'`", fix)


def quoted_again(inside: str, sign: str, other: str) -> str:
    """Return a text in the other quotes if it contains none of them, else in its own, with those in it escaped."""
    if other not in inside and "\\" not in inside:
        return f"{other}{inside}{other}"
    if sign == '"':
        return '"' + inside.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return "'" + inside.replace("'", "''") + "'"


def letter_before_quote(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a text of another language with a letter before its quote, such as `f'…'`."""
    at = problem.opened if problem.says(NEVER_CLOSED) else problem.at
    start = line_at(problem.text, at)[0]
    found = PREFIXED.search(problem.text, start, at)
    if found is None:
        return None
    what = f"a text has no `{found['prefix']}` before its quote"
    hint = "leave it out: a value is put into a text by `${{ … }}`, and a condition stands without quotes"
    before = problem.text[start : found.start("prefix")]
    if before.count("${{") > before.count("}}"):
        hint = "in an expression values are put into a text by `~`, and its texts have other quotes than all of it"
        if alone := NAMED.match(problem.text, found.end("sign")):
            hint = f"a value stands by its name: write `{alone['path']}`, without the quotes and braces around it"
    return finding_at(found.start("prefix"), found.end("sign"), what, hint)


def no_colon_before_quote(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a key without its colon, detected in the text in quotes behind it: without the colon
    these quotes are none to YAML, and a bracket in them closes the map.
    """
    text = problem.text
    at = problem.opened if problem.says(NEVER_CLOSED) else problem.at
    start, end = line_at(text, at)
    for found in NO_COLON.finditer(text, start, end):
        if not found.start("value") <= at < (end if problem.says(NEVER_CLOSED) else found.end()):
            continue
        before = text[start : found.start()]
        if before.count('"') % 2 == 0 and before.count("'") % 2 == 0:
            return brace_problems.no_colon_in_braces(place_of(found, "entry"), found["key"], found["value"])
    return None


def no_colon_before_expressions(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a key without its colon, detected in a text in quotes further on in the line, of which
    YAML has read the quotes the other way round.
    """
    text, at = problem.text, problem.at
    start, end = line_at(text, at)
    opened = text.rfind("${{", start, min(at + 2, end))
    if opened < 0 or text[opened - 1] not in {'"', "'"} or "}}" in text[opened:at]:
        return None
    for form in (EQUALS, NO_COLON):
        for found in form.finditer(text, start, opened):
            before = text[start : found.start()]
            if before.count('"') % 2 == 0 and before.count("'") % 2 == 0 and "${{" in found["value"]:
                return brace_problems.no_colon_in_braces(place_of(found), found["key"], found["value"])
    return None


def equals_before_quote(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a text between braces behind a key with `=`: a text that is never closed, or has a
    character in it with which no text without quotes can begin.
    """
    for found in EQUALS.finditer(problem.text, *line_at(problem.text, problem.opened)):
        if problem.says(NEVER_CLOSED) or found.start("value") < problem.at < found.end():
            return brace_problems.no_colon_in_braces(place_of(found), found["key"], found["value"])
    return None


def second_quote(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a quote that opens a text, is the last of its line, and follows another one."""
    text, at = problem.text, problem.opened
    rest = text[at + 1 : line_at(text, at)[1]]
    if text[max(0, at - 1) : at] != text[at : at + 1] or rest.strip(" ,}]"):
        return None
    if text[max(0, at - 2) : at - 1] in {" ", "[", "{", ","}:
        return None  # an empty text is meant, and a quote is missing before it
    return finding_at(at, at + 1, TWO_QUOTES, "leave out one of them")


def never_closed(problem: SyntaxProblem) -> Finding:
    """Return the finding for any other quote that opens a text and is never closed."""
    what = "a quote that opens here is never closed"
    hint = "close it with the same quote where the text ends; if it is meant to end one, that text has none before it"
    return finding_at(problem.opened, problem.opened + 1, what, hint)
