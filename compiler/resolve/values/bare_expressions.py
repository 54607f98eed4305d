"""Texts that look as if they were meant as expressions, which stand in `${{ }}`: what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.expressions import Scope, parse_expression
from wfc.compiler.rules import templates as problems
from wfc.compiler.types import ANY, UNKNOWN, Enumeration, ListOf, Record, Type, assignable, members

__all__ = ["hint_for", "hint_for_several", "hint_in_braces", "of_text", "warning_for"]

PATH: Final = re.compile(r"(?<![\w.])(?P<name>[^\W\d]\w*)\.(?P<field>\w+)")
FIELD: Final = re.compile(r"[^\W\d]\w*(?:\.\w+)+")
OPERAND: Final = r"(?:\d+(?:\.\d+)?|[a-z]+(?:\.\w+)+|'[^']*'|\"[^\"]*\")"
SIMPLE: Final = re.compile(rf"\$?[a-z]+(?:\.\w+)+(?: +(?:[-+*/~]|//) +{OPERAND})*")
"""A path, and perhaps something that is computed with it."""
CALL: Final = re.compile(r"\w+(?:\.\w+)+\([^()]*\)(?:\.\w+\([^()]*\))*|\w+\(\w+(?:\.\w+)+\)")
"""A method or a function of other languages."""
SPREAD: Final = re.compile(r"(?:\.\.\.|\*)(?P<path>\w+(?:\.\w+)+)")
"""One list in another, as other languages write it."""
OTHER_BRACES: Final = re.compile(
    r"\$* ?(?:\{%|\{+(?: *\{\{)?|\(|<%=?|<|\[\[)\s*(?P<words>[^{}<>%]*?)\s*(?:%\}|\}+(?: *\}\})?|\)|%>|>|\]\])"
)
"""A value as other systems put it into a text."""
TWICE: Final = re.compile(r"\$\{\{\s*\$?\{\{\s*(?P<words>[^{}]*[^{}\s])\s*\}\}\s*\}\}")
"""An expression in the braces of another one."""
ONCE: Final = "an expression stands in one pair of braces"
IN_BRACKETS: Final = re.compile(r"\[ *(?P<words>[\w.]+) *\]")
COMPUTED: Final = re.compile(r"(?:[-\s+*/%().\d]|\$\{\{[^{}]*\}\})+")
"""Expressions with signs between them, of which each stands in its own braces."""
BESIDE: Final = re.compile(r"\}\}[\s().\d]*\$\{\{")
"""Two expressions without a sign between them, which make a text."""
HOLE: Final = re.compile(r"\$\{\{\s*([^{}]*?)\s*\}\}")
LONGEST: Final = 500
"""Characters of a text that may be meant as an expression; what is longer is a text."""
NEVER_ITSELF: Final = frozenset(
    {"syntax-error", "stray-character", "unexpected-token", "unfinished-expression"}
)


def warning_for(text: str, place: Place, wanted: Type, scope: Scope) -> Finding | None:
    """Return the warning about a text that fits as it is, and is most likely meant as an expression."""
    if text in scope.names:
        return whole_name(text, place, wanted, scope.names[text])
    if not mentions_value(text, scope):
        return None
    here = place.stretch(0, len(text))
    if spread := SPREAD.fullmatch(text):
        return problems.expression_as_text(here, text, "", together(spread["path"]))
    findings = list(mistakes(text.lstrip("$"), place, scope))
    if SIMPLE.fullmatch(text) and [each.code for each in findings] == ["no-arithmetic"]:
        return problems.expression_as_text(here, text, "", in_braces(findings[0].hint))
    if SIMPLE.fullmatch(text):
        return problems.expression_as_text(here, text, text.lstrip("$"))
    if not findings:
        return problems.expression_as_text(here, text, text.lstrip("$"))
    if len(findings) == 1 and findings[0].code == "method-call" and CALL.fullmatch(text):
        return problems.expression_as_text(here, text, "", in_braces(findings[0].hint))
    return None


def of_text(text: str, place: Place, scope: Scope) -> Finding | None:
    """Return the warning about a text for people or models that is nothing but a field, such as `event.name`."""
    words = text.strip()
    if FIELD.fullmatch(words) is None or not mentions_value(words, scope):
        return None  # what only begins so may be a sentence
    start = text.index(words)
    here = place.stretch(start, start + len(words))
    return None if any(mistakes(words, place, scope)) else problems.expression_as_text(here, words, words)


def hint_for(text: str, place: Place, wanted: Type, scope: Scope) -> str:
    """Return what to write for a text that does not fit, if it is meant as an expression; else an empty text."""
    if text not in scope.names and not mentions_value(text, scope):
        return ""
    if spread := SPREAD.fullmatch(text):
        return together(spread["path"])
    findings = list(mistakes(text, place, scope))
    if not findings:
        return f"an expression is written `${{{{ {text} }}}}`"
    first = findings[0]
    makes_list = first.code == "loop-without-brackets" and not any(
        isinstance(each, ListOf) for each in members(wanted)
    )
    return in_braces("" if makes_list or first.code in NEVER_ITSELF else first.hint)


def hint_in_braces(text: str, place: Place, wanted: Type, scope: Scope) -> str:
    """Return the same as ``hint_for``, also for a text that is wrapped as in other systems: `${config.pause}`.

    An expression that stands in the braces of another one is named without these.

    Square brackets and round ones may be those of an expression, so that what would fit with them keeps them.
    """
    if twice := TWICE.fullmatch(text.strip()):
        again = hint_for(twice["words"], place, wanted, scope)
        return (
            f"an expression is written `${{{{ {twice['words']} }}}}`, in one pair of braces"
            if again
            else ONCE
        )
    wrapped = (
        (OTHER_BRACES.fullmatch(text.strip()) or IN_BRACKETS.fullmatch(text))
        if len(text) <= LONGEST
        else None
    )
    whole = [text, text[1:-1]] if wrapped and text[0] in {"[", "("} else []
    meant = next((each for each in whole if fits_whole(each, place, wanted, scope)), None)
    return hint_for(meant or (wrapped["words"] if wrapped else text), place, wanted, scope)


def fits_whole(text: str, place: Place, wanted: Type, scope: Scope) -> bool:
    """Return whether a text is an expression as it stands, whose value fits."""
    found: list[Finding] = []
    given = parse_expression(text, place, scope, found.append).type
    return not found and assignable(given, wanted)


def hint_for_several(text: str) -> str:
    """Return how a text of several expressions is written that is meant as one; an empty text for any other."""
    if len(text) > LONGEST or COMPUTED.fullmatch(text) is None or BESIDE.search(text):
        return ""
    whole = HOLE.sub(r"\1", text).strip()
    return f"all of it stands in the braces: write `${{{{ {whole} }}}}`"


def whole_name(text: str, place: Place, wanted: Type, named: Type) -> Finding | None:
    """Return the warning about a text that is just a name in scope, where its value would fit."""
    kinds = members(wanted)
    if any(isinstance(each, Enumeration) for each in kinds) or named is UNKNOWN:
        return None
    if wanted in (ANY, UNKNOWN):
        likely = bool(place.address) and place.address[-1] == text
    else:
        likely = assignable(named, wanted)
    return problems.expression_as_text(place.stretch(0, len(text)), text, text) if likely else None


def mentions_value(text: str, scope: Scope) -> bool:
    """Return whether a text holds the name of a record in scope, and of a field that it has."""
    if len(text) > LONGEST:
        return False
    for found in PATH.finditer(text.lstrip(".*$")):
        owner = scope.names.get(found["name"])
        if isinstance(owner, Record) and found["field"] in owner.fields:
            return True
    return False


def mistakes(text: str, place: Place, scope: Scope) -> Iterator[Finding]:
    """Yield what would be wrong in a text if it were an expression."""
    found: list[Finding] = []
    parse_expression(text, place, scope, found.append)
    return iter(found)


def together(path: str) -> str:
    return f"lists are put together by `+`: `${{{{ {path} + [ … ] }}}}`, instead of the whole list"


def in_braces(hint: str) -> str:
    return "an expression stands in `${{ }}`" + (f"; there, {hint}" if hint else "")
