"""Syntax of other languages that people write in expressions, and its equivalent here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from wfc.compiler.expressions.filters import FILTERS
from wfc.compiler.expressions.syntax import slips
from wfc.compiler.expressions.syntax.foreign_words import (
    CASTS,
    CHOICE,
    COMPARISONS,
    KEYS,
    KEYWORDS,
    LISTS,
    LONGEST_ARGUMENT,
    MODULES,
    MOMENTS,
    NO_FUNCTIONS,
    OF_TEXTS,
    OTHER_MEANING,
    PAIRS,
    PREFIXES,
    SIGNS,
    TYPE_WORDS,
    WORDS,
)
from wfc.compiler.expressions.syntax.lexer import Token
from wfc.compiler.expressions.syntax.slips import BETWEEN, NUMBERS, level
from wfc.compiler.expressions.syntax.tree import Attribute, Name, path_of
from wfc.compiler.rules.foreign_names import FILTER_NAMES
from wfc.compiler.types.durations import UNITS

if TYPE_CHECKING:
    from wfc.compiler.expressions.filters.definition import Filter

__all__ = ["advice", "advice_in_loop", "as_filter", "foreign_sign", "quoted_braces"]


QUOTED_BRACES: Final = re.compile(r"\s*(\{%-?\s*(?:el)?if\b|\$?\{\{(?=\s*[^\s}\"']))")
"""How a text begins that is meant as an expression."""
VALUE_ALONE: Final = re.compile(r"\$?\{{1,2} *([a-z_]\w*(?:\.\w+)*) *\}{1,2}")
"""One value, as other languages put it into a text."""


def foreign_sign(tokens: Sequence[Token], at: int) -> tuple[Token, str, str] | None:
    """Return a sign or a word of another language that ends here: its first token, the sign, and what is
    meant.
    """
    token = tokens[at]
    if token.kind == "name" and token.text in WORDS:
        return token, token.text, WORDS[token.text]
    before = tokens[at - 1] if at else None
    if at and is_arrow(tokens, at - 1):
        return None
    if before is not None and before.end == token.start and (meant := PAIRS.get((before.text, token.text))):
        return before, before.text + token.text, meant
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if is_arrow(tokens, at):
        return None
    if after is not None and token.end == after.start and (meant := PAIRS.get((token.text, after.text))):
        return token, token.text + after.text, meant
    return None


def quoted_braces(tokens: Sequence[Token]) -> str:
    """Return what to do about an expression that has quotes and the braces of a text around it, of which the first text
    is what stands before the next quote; empty for any other.
    """
    first = tokens[0]
    opened = QUOTED_BRACES.match(first.text, 1) if first.kind == "string" else None
    if opened is None:
        return ""
    closing = "%}" if opened[1].startswith("{%") else "}}"
    sign = first.text[0]
    what = "a condition" if closing == "%}" else "an expression"
    return f"{what} stands by itself: leave out `{sign}{opened[1]}` and `{closing}{sign}`"


def advice(tokens: Sequence[Token], at: int, *, filtered: bool = False) -> str:
    """Return what may help where something stands that cannot go on an expression; often nothing does.

    Args:
        filtered: Whether a filter stands before it.
    """
    token, before = tokens[at], tokens[at - 1] if at else tokens[at]
    if at == 0:
        return at_the_beginning(tokens)
    if comma := slips.decimal_comma(tokens, at):
        return comma
    if token.text in COMPARISONS and before.text in {"and", "or"}:
        return f"name what is compared once more: `x {token.text} …`, with its name for `x`"
    if token.text == "." and not slips.holds_value(before):
        return slips.leading_dot(tokens, at)
    if before.text == "is" and token.kind in {"string", *NUMBERS}:
        return f"write `== {token.text}`"
    if token.text.lower() == "like" and tokens[at + 1].kind == "string":
        return f"write `{like_filter(tokens[at + 1].text[1:-1])}`"
    if token.text.lower() in SIGNS and not (token.text in OF_TEXTS and tokens[at + 1].kind == "name"):
        return f"write `{SIGNS[token.text.lower()]}`"
    if filtered and token.text == "[":
        return "put round brackets around all that stands before the `[`"
    if filtered and before.kind == "name" and token.kind != "operator":
        name = before.text
        if name in FILTERS and not FILTERS[name].parameters:
            return "an operator is missing before it, such as `>` or `==`"
        return (
            f"an operator is missing before it; or, if `{name}` takes it, it stands in brackets: `{name}(…)`"
        )
    if token.kind == "string" and before.end == token.start and before.text.lower() in PREFIXES:
        if named := VALUE_ALONE.fullmatch(str(token.value)):
            return f"a value stands by its name: write `{named[1]}`, without the quotes and braces around it"
        return f"a text has no `{before.text}` before its quote; values are put into a text by `~`"
    if before.end == token.start and (word := beside_its_quotes(before, token)):
        return f"a text stands between its quotes: `{word}`"
    if token.kind == "string" and before.kind != "operator":
        return between_values(tokens, at) or "an operator is missing before it, such as `==`"
    if (token.text == "of" or before.text == "optional") and before.text in TYPE_WORDS:
        return f'a type is a text, and stands in quotes: `"{before.text} {token.text} …"`'
    if sign := at_a_sign(tokens, at, filtered=filtered):
        return sign
    return (
        at_a_name(tokens, at) if token.kind == "name" else between_values(tokens, at) if token.value else ""
    )


def beside_its_quotes(before: Token, token: Token) -> str:
    """Return the text that a name is meant to be which touches a pair of quotes with nothing in it; else nothing."""
    for name, quotes in ((before, token), (token, before)):
        if name.kind == "name" and quotes.kind == "string" and quotes.value == "":
            return quotes.text[0] + name.text + quotes.text[0]
    return ""


def advice_in_loop(tokens: Sequence[Token], at: int) -> str:
    """Return the same for what stands between a `for` and its list."""
    token = tokens[at]
    if token.kind == "string" and str(token.value).isidentifier():
        return f"write `{token.value}` without quotes"
    if token.text in {"of", "=", ":", ":="}:
        return "write `in`"
    if token.text == "(":
        return "the names of a loop stand without brackets"
    if token.text == "@":
        return "names stand without `@`"
    if token.text == ",":
        return "a loop has one name for an item of a list, and two for a key and a value of a map"
    return "a loop is written `for NAME in LIST`"


def at_the_beginning(tokens: Sequence[Token]) -> str:
    """Return the same for what an expression cannot begin with."""
    token = tokens[0]
    if token.text == "else":
        return "the last entry of a list needs no `when`"
    called = tokens[1].text == "(" and any(each.text == "," for each in tokens)
    if token.text == "if" and (called or any(each.text == "then" for each in tokens)):
        return CHOICE
    if token.text == ".":
        return slips.leading_dot(tokens, 0)
    if token.text == "is":
        return "what is asked about stands before it, such as `event.name is empty`"
    if token.text == "if":
        return "the condition alone is wanted, without `if`"
    return at_a_sign(tokens, 0)


def at_a_sign(tokens: Sequence[Token], at: int, *, filtered: bool = False) -> str:
    """Return the same for a sign or a number."""
    token, before = tokens[at], tokens[at - 1] if at else tokens[at]
    if token.text in {":", "->"} and before.kind == "name" and before.end == token.start:
        after = next((each for each in tokens[at + 1 :] if each.text != ":"), token)
        if after.kind == "name" and after.start - token.start <= len("::"):
            if after.text.lower() in CASTS and after.start - token.start == len("::"):
                return "a type is made by a filter, such as `| string`; a field stands behind a dot"
            return f"a field stands behind a dot: `{before.text}.{after.text}`"
    if token.text == ":" and filtered:
        form = tokens[at + 1]
        if form.kind == "string" and "%" in form.text and before.text in MOMENTS:
            return f"what a filter takes stands in brackets: `format({form.text})`"
        return f"what a filter takes stands in brackets: `{before.text}(…)`"
    if token.text == ":" and tokens[at + 1].text == "=":
        return "an expression keeps nothing: it stands where its value is used"
    if token.text == ";" and (listed := listed_in(tokens, level(tokens, at)[0])):
        return f"{listed} are separated by `,`"
    if token.text in {";", ":"}:
        return f"leave out the `{token.text}`"
    if token.text == "@":
        return "names stand without `@`"
    if is_arrow(tokens, at):
        return NO_FUNCTIONS
    if token.kind in NUMBERS and at and before.end == token.start and before.kind == "string":
        return "the text ends at the quote before it: within a text stand other quotes than around it"
    if token.kind in NUMBERS and at and before.end == token.start:
        if before.text == "." and tokens[at - 2].kind in NUMBERS:
            return ""  # a version such as `5.0.0`, or a date
        return f"an item of a list is asked for in brackets: `[{token.text.lstrip('.')}]`"
    return ""


def like_filter(pattern: str) -> str:
    """Return the filter for a pattern of a database, in which `%` stands for any text, and `_` for a letter."""
    text = pattern.strip("%")
    if "%" in text or "_" in text:
        return '| matches("…")`, in which `.*` stands for any text and `.` for a letter, and not `%` and `_'
    begins, ends = not pattern.startswith("%"), not pattern.endswith("%")
    if begins and ends:
        return f'== "{text}"'
    name = "starts_with" if begins else "ends_with" if ends else "contains"
    return f'| {name}("{text}")'


def at_a_name(tokens: Sequence[Token], at: int) -> str:
    """Return the same for a name, before which something else stands."""
    token, before = tokens[at], tokens[at - 1]
    if "lambda" in {token.text, before.text} and (at < 2 or tokens[at - 2].text != "."):
        return NO_FUNCTIONS
    if token.text in KEYS and tokens[at + 1].text == ":" and before.end < token.start:
        return f"if `{token.text}` is the next key, its line begins further left: here it belongs to the expression"
    if token.text == "then":
        return f"there is no `then`: a condition stands by itself, and for a choice {CHOICE}"
    if token.text in {"each", "forEach", "foreach"}:
        return "write `for`"
    if before.text == "for":
        return "a list made of another is written `[one for one in LIST]`"
    if token.text in UNITS and before.kind in NUMBERS:
        return f"a number has no unit; a length of time is `'{before.text} {token.text}' | duration`"
    if before.kind in NUMBERS:
        wanted = between_values(tokens, at) or "between two values an operator is wanted"
        return f"a number stands without a unit; {wanted}"
    if token.text.lower() == "when" and before.text.lower() == "case":
        return CHOICE
    if before.text == "new" and token.text == "Date":
        return "the time is `run.now`"
    if before.text in KEYWORDS:
        return f"leave out `{before.text}`"
    if before.text == "typeof":
        return "the type of a value is asked by `is string`, `is number` and their like"
    if before.text == "NOT" and at > 1 and tokens[at - 2].text.lower() == "is":
        missing = token.text.lower() in {"nil", "none", "null", "undefined"}
        return "write `is not none`" if missing else "write `is not`"
    if token.text == "in" and before.text in {"is", "not"}:
        return f"leave out `is`: {'`not in`' if before.text == 'not' else '`in`'} stands without it"
    if before.kind != "operator" and token.text == "not":
        return (
            "that two values differ is written `!=`, that one is missing `is none`, that it is there `is not none`, "
            "and that it is in no list `not in`"
        )
    if (
        before.kind != "operator"
        and token.kind == "name"
        and at + 1 < len(tokens)
        and tokens[at + 1].text == "("
    ):
        return f"what changes a value is a filter after `|`: `| {token.text}(…)`"
    if before.kind != "operator":
        return between_values(tokens, at) or (
            "what stands side by side needs an operator between: `==`, `!=`, `<`, `<=`, `>`, `>=` or `in` to compare, "
            "`and` or `or` for conditions, `~` for texts, `+` for numbers"
        )
    return ""


def between_values(tokens: Sequence[Token], at: int) -> str:
    """Return what may be missing between two values where it may be more than an operator; empty elsewhere."""
    if {tokens[at].text, tokens[at - 1].text} & BETWEEN:
        return ""
    opened, beside = level(tokens, at)
    if "if" in beside and not {"else", "for"} & set(beside):
        if "else" in slips.words_behind(tokens, at):
            return "an operator is missing before it"
        return "an `else` is missing before it, or an operator"
    if "for" not in beside and "for" in slips.words_behind(tokens, at):
        return "two values need an operator between"  # what is made of each item is one value
    listed = "" if "for" in beside else listed_in(tokens, opened)
    return (
        f"{listed} are separated by `,`; two values in one of them need an operator between" if listed else ""
    )


def listed_in(tokens: Sequence[Token], opened: int) -> str:
    """Return what is listed, with commas between, in brackets; empty if nothing is."""
    text, before = tokens[opened].text if opened >= 0 else "", tokens[opened - 1] if opened > 0 else None
    follows = before is not None and (before.kind in {"name", "path"} or before.text in {")", "]"})
    follows = follows and before is not None and before.text not in BETWEEN
    if text == "[":
        return "" if follows else "the items of a list"
    if text == "(":
        return "the arguments of a filter" if follows and tokens[opened - 2].text == "|" else ""
    return "the entries of a map" if text == "{" else ""


def is_arrow(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a function of another language goes on with `=>` here, as in `first(x => x > 1)`."""
    arrow = tokens[at].text == "=" and at + 1 < len(tokens) and tokens[at + 1].text == ">"
    if not arrow or at < 2:
        return False
    return tokens[at - 1].text == ")" or (tokens[at - 1].kind == "name" and tokens[at - 2].text in {"(", ","})


def as_filter(node: Attribute | Name, tokens: Sequence[Token], at: int) -> str:
    """Return the filter or the list that is equivalent to a call, ready to be written; empty if there is none.

    Args:
        node: What is called.
        at: Of the opening bracket.
    """
    path = path_of(node.of) if isinstance(node, Attribute) else None
    if (path, node.name) in {(("response",), "json"), (("response",), "text")}:
        return "result"  # what a reply holds, read already
    if isinstance(node, Name) and (record := slips.as_record(node.name.lower(), tokens, at)):
        return record
    name = "loads" if (path, node.name) == (("JSON",), "parse") else plain(node.name)
    if name in LISTS:
        return LISTS[name].replace("LIST", ".".join(path) if path else "…")
    found = filter_called(name)
    if found is None:
        return ""
    if isinstance(node, Attribute) and not (path and len(path) == 1 and path[0] in MODULES):
        subject, more = ".".join(path) if path else "…", tokens[at + 1].text != ")"
    else:
        subject, more = argument(tokens, at, together=found.name in ("min", "max"))
    brackets = "(…)" if any(each.required or more for each in found.parameters) else ""
    return f"{subject} | {found.name}{brackets}"


def plain(name: str) -> str:
    """Return a name as it is compared with those of other languages."""
    return name.lower().replace("_", "")


def filter_called(name: str) -> Filter | None:
    """Return the filter that is meant by a function or a method of this plain name; ``None`` if there is none."""
    if name in FILTER_NAMES:
        return FILTERS[FILTER_NAMES[name]]
    own = (each for each in FILTERS.values() if each.name not in OTHER_MEANING)
    return next((each for each in own if plain(each.name) == name), None)


def argument(tokens: Sequence[Token], at: int, *, together: bool) -> tuple[str, bool]:
    """Return the first argument of a call as what a filter is used on, `…` for what is long; and whether more follow.

    Args:
        together: Whether the filter is used on all arguments, as a list.
    """
    depth, last = 0, at
    several = loop = False
    for index in range(at, len(tokens)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(tokens[index].text, 0)
        if depth == 1 and tokens[index].text == ",":
            several = together
            if not together:
                last, depth = index, 0
                break
        loop |= depth == 1 and tokens[index].text == "for"
        last = index
        if depth == 0:
            break
    more = tokens[last].text == ","
    inside = tokens[at + 1 : last]
    if depth or not inside or any(each.kind == "string" and "\n" in each.text for each in inside):
        return "…", more
    written = inside[0].text
    for before, token in pairwise(inside):
        written += " " * (token.start > before.end) + token.text
    if len(written) > LONGEST_ARGUMENT:
        return "…", more
    if several or loop:
        return f"[{written}]", more
    whole = written.startswith("[") and inside[-1].text == "]"
    is_path = all(each.kind == "name" or each.text == "." for each in inside)
    return written if whole or is_path else f"({written})", more
