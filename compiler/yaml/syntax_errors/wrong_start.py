"""Characters with which a value cannot begin, and values that are missing."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import braces as brace_problems
from wfc.compiler.rules import fixes
from wfc.compiler.rules import reading as problems
from wfc.compiler.yaml.syntax_errors.lines import line_at, value_around
from wfc.compiler.yaml.syntax_errors.problem import SyntaxProblem, place_of

__all__ = ["backtick", "fence", "negation", "no_value", "open_expression", "special_character", "statement"]

NO_VALUE: Final = "a value is missing here"
BACKTICK: Final = "a text without quotes cannot begin with a backtick"
KEY_BEFORE: Final = re.compile(r"(?<![\w-])([a-z_]+): *\Z")
VALUE_IN_BACKTICKS: Final = re.compile(r"`\$\{\{? *([a-z_]\w*(?:\.\w+)+) *\}\}?`")
"""One value, as other languages make a text of it."""
NEGATION: Final = re.compile(r"\b(?:when|that|until|keep): +(?P<sign>!)(?!=)")
IN_BRACES: Final = re.compile(r"(?<![\w-])(?P<key>[a-z_]+): *\{ *[a-z]\w*[^:]*\}[^:]*\Z")
"""A key with a value in braces that is no map, and what goes on behind them."""
NAME_IN_SCOPE: Final = re.compile(r"(?:config|error|events?|inputs|item|loop|response|result|run|state)\b")


def negation(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a condition that begins with `!`, which is a tag to YAML."""
    found = NEGATION.search(problem.text, problem.start, problem.at + 1)
    if found is None:
        return None
    return problems.syntax_error(place_of(found, "sign"), "`!` begins a tag to YAML", "write `not` for `!`")


def fence(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a line that encloses code in Markdown."""
    if not problem.text.startswith("```", problem.at) or problem.before.strip():
        return None
    hint = "leave out the line that begins with ` ``` `"
    return problem.finding("a line of Markdown stands here, not of YAML", hint)


def statement(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a statement of a template, `{% if … %}`, without quotes."""
    if problem.character != "%" or problem.before[-1:] != "{":
        return None
    hint = "a value is put in by `${{ … }}`; a text with statements, `{% if … %}`, stands in quotes or below a `|`"
    return problem.finding("a text without quotes cannot begin with `{%`", hint)


def backtick(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a value in backticks."""
    whole = value_around(problem.text, problem.at)
    if problem.character != "`" or whole is None:
        return None
    if not re.fullmatch("`[^`]*`", problem.text[whole.start : whole.end]):
        return None
    return problem.finding(BACKTICK, of_backticks(problem))


def of_backticks(problem: SyntaxProblem) -> str:
    """Return what to do about backticks: under a condition's key they can belong to no text."""
    key, value = KEY_BEFORE.search(problem.before), VALUE_IN_BACKTICKS.match(problem.text, problem.at)
    is_bare = key is not None and key[1] in brace_problems.BARE
    if is_bare and value is not None:
        return f"write `{value[1]}`, without the backticks and braces around it"
    if value is not None:
        return f'a value is put in by `"${{{{ {value[1]} }}}}"`'
    if is_bare:
        return "leave the backticks out: what is asked stands by itself"
    return "leave the backticks out, or put the text in quotes if they belong to it"


def open_expression(problem: SyntaxProblem) -> Finding | None:
    """Return the finding for a character in an expression without quotes."""
    opened = problem.before.rfind("${{")
    if opened < 0 or "}}" in problem.before[opened:]:
        return None
    place = Place((), "text", problem.start + opened, problem.at)
    return brace_problems.expression_needs_quotes(place, alone=False)


def special_character(problem: SyntaxProblem) -> Finding:
    """Return the finding for any other character with which nothing can begin."""
    text, at = problem.text, problem.at
    hint, quoted = "put the text in quotes", None
    if (closed := problem.before.rstrip()[-1:]) and closed in "]}\"'":
        what = f"`{problem.character}` cannot follow on a `{closed}`"
        if (behind := IN_BRACES.search(problem.before)) and behind["key"] in brace_problems.BARE:
            return problem.finding(what, brace_problems.without_braces(behind["key"]))
        return problem.finding(what, a_text_with(closed, problem))
    if problem.character == "`":
        return problem.finding(BACKTICK, of_backticks(problem))
    if text[at + 1 : at + 2] == "{":
        hint += "; an expression is written `${{ … }}`"
    elif problem.character == "@" and NAME_IN_SCOPE.match(text, at + 1):
        hint = "if the value of that name is meant, it stands without `@`; put a text in quotes"
    elif (whole := value_around(text, at)) is not None and whole.start == at:
        quoted = fixes.add_quotes(whole)
    return problem.finding(f"a text without quotes cannot begin with `{problem.character}`", hint, quoted)


def a_text_with(closed: str, problem: SyntaxProblem) -> str:
    """Return where a text stands that has a sign in it which ends one to YAML, or a value in brackets."""
    other = {'"': "'", "'": '"'}.get(closed, "")
    _, end = line_at(problem.text, problem.at)
    free = other and other not in problem.text[problem.start : end]
    return f"a text with `{closed}` in it stands in {f'`{other}`' if free else 'quotes'}, as a whole"


def no_value(problem: SyntaxProblem) -> Finding:
    """Return the finding for a character before which a value is missing."""
    sign = problem.text[problem.at : problem.at + 3]
    if sign.startswith(":"):
        return problem.finding("a key is missing before this colon")
    if (
        sign.startswith(("]", "}"))
        and not re.search(r"[{\[]", problem.before)
        and problem.before.rstrip()[-1:] == ":"
    ):
        return problem.finding(NO_VALUE, "a map opens with `{`, and a list with `[`")
    if sign.startswith((",", "]", "}")):
        return problem.finding(NO_VALUE, before_sign(problem.before.rstrip(), sign[0], problem.line))
    if sign == "...":
        return problem.finding("this ends the document, and nothing stands before it", "leave it out")
    if sign.startswith("- "):
        hint = "between brackets a list is written `[a, b]`; a text that begins with `-` is in quotes"
        return problem.finding(NO_VALUE, hint)
    return problem.finding(NO_VALUE, "put a text that begins with a special character in quotes")


def before_sign(before: str, sign: str, line: str) -> str:
    """Return what to do about a comma or a closing bracket behind which nothing stands that it could end."""
    if sign == "," and before.endswith(","):
        return "write it, or leave out one of the two commas"
    if sign == "," and before.endswith(("[", "{")):
        opening, closing = before[-1], "]" if before[-1] == "[" else "}"
        goes_on = (
            line.partition(" #")[0].rstrip().endswith((",", "[", "{"))
        )  # below, where the other brackets may be closed
        if line.count(opening) > line.count(closing) and not goes_on:
            return f"close the `{opening}` before it, or write the value"
        return f"write it, close the `{opening}` before it, or leave out the comma"
    if any(before.count(opening) > before.count(closing) for opening, closing in ("[]", "{}")):
        return "write it, or close the bracket that opens before"
    return (
        f"write it, or leave out the `{sign}`"
        if sign == ","
        else "write it, or open the bracket that closes here"
    )
